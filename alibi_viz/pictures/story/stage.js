// The stage: what the hands say, the numbers that glide to it, and the pen. A picture is a function of these numbers alone.

import { filled, runsLeft } from "../text.js";
import { formatSlope } from "../attention.js";
import { drawGrip, line, setFont, upright, widthOf, write } from "../plot.js";
import { clamp, formatNumber } from "../shared.js";
import { contentOf } from "../words.js";
import { ease, lerp, orderOf, ownOrder, placed, STEEPEST, weightsOf } from "./arithmetic.js";

/** @import { Message } from "./message.d.ts" @import { Values } from "../hands/hands.js" */
/** @typedef {(number | null)[] | null} DrawnLine a perplexity for each sample */

/** What glides when a step is turned: the first and the last step in which it is there, and for how many ms it turns. */
const TURNS = {
  line: [2, 9, 700],
  rail: [2, 2, 700],
  fan: [3, 3, 700],
  cells: [4, 9, 1500],
  longer: [5, 9, 1000],
  chart: [6, 9, 1000],
  texts: [7, 8, 700],
  end: [9, 9, 900],
};
const AWAY = { line: 0, rail: 0, bent: 0, fan: 0, cells: 0, longer: 0, chart: 0, texts: 0, end: 0 };
const BACK = 0.6; // of that time, on the way back
const EVEN = ["shown", "play"]; // of one speed, from begin to end
const BENDS = 900; // ms: from scores to weights, and from weights to shares
const PULLS = 2200; // ms: the text grows anew for the next rival
const FOLLOWS = 200; // ms, behind a key or a mouse that points; a finger is followed at once

/** The hands that weights follow from. */
const WEIGHED = ["step", "story_text", "story_order", "causal", "story_slope", "story_head"];

/** What is read in step 8, by the value of its hand. @type {Record<string, "all" | "near" | "clamped">} */
const READINGS = { false: "all", true: "near", clamped: "clamped" };

export class Stage {
  /** @type {Message} */ message;
  /** @type {CanvasRenderingContext2D} */ ctx;
  /** @type {import("../parts.js").Theme & { raised: string, learned: string }} */ ink;
  width = 0;
  height = 0;
  unit = 1; // pixels for one of the sketch at 1280 × 800
  small = false; // a phone
  isStill = false; // reduced motion: every change at once
  isMoving = false; // something asks for another frame
  untouched = true; // since this step was opened
  /** @type {import("./texts.js").Texts} */ texts;
  v = { ...AWAY, shown: 0, near: 0, play: 1, slope: 0, times: 1, rival: 0, seen: 9 };
  /** @type {number | null} the distance at which the line is held */ grip = null;
  endHeight = 0; // pixels of the last words
  /** @type {Record<string, { from: number, to: number, begin: number, ms: number }>} */ turns = {};
  /** @typedef {{ text: string, x: number | null, alpha: number }} Shown a word, where it stands now */
  /** @type {string[]} words of the text, in its own order */ tokens = [];
  /** @type {Shown[]} the same */ ownWords = [];
  /** @type {ArrayLike<number>} [T, T] their content scores */ ownContent = [];
  /** @type {{ word: number, x: number } | null} the word under a finger */ held = null;
  /** @type {{ alibi: DrawnLine, rope: DrawnLine }} what the reader has drawn */ drawn = { alibi: null, rope: null };
  guess = ""; // the same, as the address has it
  /** @type {"alibi" | "rope"} whose line is drawn next */ pen = "alibi";
  // What the hands say.
  step = 0;
  count = 0; // words
  /** @type {number[]} the word of each place, as the reader has dragged them */ dragged = [];
  // After the first step the dragged sentence is the sentence: a word is its place.
  /** @type {number[]} the word of each place */ order = [];
  /** @type {Shown[]} */ words = [];
  /** @type {string[]} */ sentence = [];
  /** @type {ArrayLike<number>} [T, T] */ content = [];
  isLeftward = false; // the words run from right to left, and so does their row
  query = 0; // the word that asks
  isCausal = false;
  slope = 0;
  bent = 0; // in step 2: 0 scores, 1 weights, 2 shares
  rival = 0; // of the five in step 5
  shownRival = 0;
  head = 1;
  slopeInForce = 0; // that this step shows
  /** @type {[number, number]} of which the page speaks: query, key */ cell = [0, 0];
  isShown = false; // what was measured, in step 6
  times = 1; // lengths of the text
  bytes = 0;
  /** @type {"all" | "near" | "clamped"} */ reading = "all";
  /** @type {"near" | "clamped"} the last one but all keys */ other = "near";
  seen = 1; // bytes

  /** @param {import("../hands/hands.js").Hands} hands */
  constructor(hands) {
    this.hands = hands;
  }

  /** The words of the text; nothing where they are the same. @param {string[]} tokens */
  setWords(tokens) {
    if (tokens === this.tokens) return;
    const ownWords = tokens.map((text) => ({ text, x: null, alpha: 1 }));
    Object.assign(this, { tokens, ownWords, ownContent: contentOf(tokens) });
  }

  /** Hear what the hands say now. */
  hear() {
    const { message, ownWords, hands: { values } } = this, { slopes, drawing } = message, count = ownWords.length;
    const step = Number(values.step), isFirst = step <= 1, last = count - 1, asking = Number(values.story_query);
    const [query, key] = String(values.cell).split(",").map(Number);
    Object.assign(this, { step, count, slope: Number(values.story_slope), head: Number(values.story_head) });
    const dragged = this.dragged = orderOf(values.story_order, count), own = ownOrder(count);
    const words = isFirst ? own : dragged;
    this.order = isFirst ? dragged : own;
    this.words = words.map((word) => ownWords[word]);
    this.sentence = this.words.map(({ text }) => text);
    this.isLeftward = runsLeft(this.sentence.join(" "));
    this.content = isFirst ? this.ownContent : placed(this.ownContent, words);
    this.query = isFirst && asking >= 0 ? Math.min(asking, last) : last;
    this.isCausal = !isFirst || Boolean(values.causal);
    this.slopeInForce = isFirst ? 0 : step === 3 ? slopes[this.head - 1] : this.slope;
    this.cell = key <= query && query <= last ? [query, key] : [last, Math.min(1, last - 1)];
    this.isShown = Boolean(values.story_shown) && !drawing?.is_open;
    this.times = Number(values.story_times);
    this.bent = Number(values.story_bent ?? 0);
    this.rival = Number(values.story_rival ?? 0);
    this.bytes = Number(values.write_at);
    this.reading = step === 8 ? READINGS[String(values.write_near)] ?? "all" : "all";
    if (this.reading !== "all") this.other = this.reading;
    this.seen = Number(values.story_seen);
  }

  /** Whether two models write: in the mystery, and where it is solved. */
  get isWriting() {
    return [0, 7, 8].includes(this.step);
  }

  /** Bytes in sight before the curtain moves. */
  get farthest() {
    return Math.max(1, ...this.message.lines.flatMap(({ contexts }) => contexts));
  }

  /** Whether a hand has brought what the step's other text is about: an answer, or in step 1 the mask. */
  get isAnswered() {
    const { step, isCausal, bent, isShown, reading, seen, farthest } = this;
    return { 1: isCausal, 2: bent > 0, 6: isShown, 8: reading !== "all", 9: seen < farthest }[step] ?? true;
  }

  /** What the hands say once the step has answered; nothing where it asks nothing, has answered, or may not yet. @returns {Values | null} */
  get answer() {
    const { step, isAnswered, message: { drawing, trained } } = this;
    if (isAnswered || (step === 6 && drawing?.is_open)) return null;
    const answers = { 2: { story_bent: 2 }, 6: { story_shown: true }, 8: { write_near: "true" } };
    return { ...answers, 9: { story_seen: trained } }[step] ?? null;
  }

  /** The two places whose words the button exchanges. @returns {[number, number]} */
  get swap() {
    const { message: { swap, hands: { values } }, hands: { ofText }, count } = this;
    return ofText === values.story_text ? swap : [0, Math.min(2, count - 1)];
  }

  /** Whether what is drawn is what PyTorch has answered: nothing glides, and the hands say what they said then. */
  get isExact() {
    const { hands: { values, isRefused }, message } = this, settled = Math.abs(this.v.slope - this.slopeInForce) < 1e-9;
    return settled && !isRefused && WEIGHED.every((key) => values[key] === message.hands.values[key]);
  }

  /** Weights [T, T] of `words`: PyTorch's where they are those of what is drawn, else computed here. */
  weights() {
    const { isExact, step, message: { weights }, dragged } = this;
    if (isExact) return step <= 1 ? weights : placed(weights, dragged);
    return weightsOf(this.content, this.order, this.v.slope, this.isCausal);
  }

  /** A place across the row of words, on the stage; and the other way round. */
  across(x) {
    return this.isLeftward ? this.width - x : x;
  }

  /** The measured line of a method. */
  lineOf(method) {
    return /** @type {import("./message.d.ts").Line} */ (this.message.lines.find((other) => other.method === method));
  }

  /** What a method is called where there is little room. */
  nameOf(method) {
    if (method === "learned") return this.word("learned");
    return method === "sinusoidal" && this.small ? this.word("sine") : this.lineOf(method).name;
  }

  // What glides.

  /** Let a number glide to another; at once without ms. */
  turn(name, to, ms) {
    const { v, turns } = this;
    if ((turns[name]?.to ?? v[name]) === to) return;
    if (this.isStill || !ms) {
      delete turns[name];
      v[name] = to;
    } else turns[name] = { from: v[name], to, begin: performance.now(), ms };
  }

  /** Set out for what the hands say. isAtOnce: without gliding, as when the page opens. */
  aim(isBack, isAtOnce) {
    const { step, v, turns, rival } = this, isHeld = isAtOnce || this.hands.isDragging, ms = isHeld ? 0 : FOLLOWS;
    for (const [name, [first, last, long]] of Object.entries(TURNS)) {
      const isThere = name === "texts" ? this.isWriting : first <= step && step <= last;
      this.turn(name, Number(isThere), isAtOnce ? 0 : isBack ? BACK * long : long);
    }
    this.turn("shown", Number(this.isShown && step >= 6), this.isShown && !isAtOnce ? 1600 : 0);
    this.turn("near", Number(this.reading !== "all"), isAtOnce ? 0 : 900);
    const bent = step === 2 ? this.bent : 0;
    this.turn("bent", bent, isHeld ? 0 : BENDS * Math.abs(bent - v.bent));
    this.turn("slope", this.slopeInForce, ms);
    this.turn("rival", rival, ms);
    this.turn("seen", Math.log2(this.seen), ms);
    const isNew = rival !== this.shownRival && step === 5 && !isAtOnce; // then the text is pulled anew
    if (isNew) {
      delete turns.times;
      v.times = 1;
    }
    this.turn("times", step >= 5 ? this.times : 1, isNew ? PULLS : ms);
    this.shownRival = rival;
  }

  /** One frame on. */
  tick(now) {
    const { v, turns } = this;
    this.isMoving = false;
    for (const [name, { from, to, begin, ms }] of Object.entries(turns)) {
      const share = clamp((now - begin) / ms, 0, 1);
      v[name] = lerp(from, to, EVEN.includes(name) ? share : ease(share));
      if (share === 1) delete turns[name];
      else this.isMoving = true;
    }
  }

  /** A number a part of its way on to where a word stands; it arrives where it is near enough. */
  follow(from, to, share, enough) {
    if (this.isStill || Math.abs(to - from) < enough) return to;
    this.isMoving = true;
    return lerp(from, to, share);
  }

  // The pen. Sizes are pixels at 1280 × 800.

  px(size) {
    return size * this.unit;
  }

  /** The size of type: for a desk and for a phone, never smaller than can be read. */
  type(desk, phone = 12) {
    return Math.max(this.ink.least, this.small ? phone : this.px(desk));
  }

  /** A text of the lesson with its values; of “brief|long” the one that has room. @param {Record<string, any>} values */
  word(name, values = {}) {
    const [brief, long = brief] = this.message.words[name].split("|");
    return filled(this.small ? brief : long, (key) => values[key]?.toString());
  }

  /** @param {{ colour?: string, size?: number, weight?: number, align?: string }} look */
  say(text, x, y, look = {}) {
    const { ink } = this, size = look.size ?? this.type(15);
    write(this.ctx, ink, text, x, y, { colour: ink.soft, ...look, size: Math.max(ink.least, size) });
    return this.ctx.measureText(text).width;
  }

  /** A text without a halo, on a ground of its own. */
  letters(text, x, y, { colour, size, weight, align = "center" }) {
    setFont(this.ctx, this.ink, weight, size);
    Object.assign(this.ctx, { fillStyle: colour, textAlign: align, textBaseline: "middle" });
    this.ctx.direction = runsLeft(text) ? "rtl" : "ltr"; // where “…” ends a word
    upright(this.ctx, x, y, (left, top) => this.ctx.fillText(text, left, top));
  }

  /** A text that stands out. */
  strong(text, x, y, size, align = "left", weight = 600, colour = this.ink.text) {
    return this.say(text, x, y, { colour, size, weight, align });
  }

  wide(text, size, weight = 400) {
    return widthOf(this.ink, text, Math.max(this.ink.least, size), weight);
  }

  fade(alpha) {
    this.ctx.globalAlpha = clamp(alpha, 0, 1);
  }

  line(points, colour, width = 1, dash = []) {
    line(this.ctx, points, colour, width, dash);
  }

  box(x, y, width, height, radius, fill, stroke = "", lineWidth = 1) {
    const { ctx } = this;
    ctx.beginPath();
    ctx.roundRect(x, y, width, height, radius);
    if (fill) Object.assign(ctx, { fillStyle: fill }).fill();
    if (stroke) Object.assign(ctx, { strokeStyle: stroke, lineWidth }).stroke();
  }

  knob(x, y, colour, isUpright = false) {
    drawGrip(this.ctx, this.ink, x, y, { radius: 13 * Math.max(1, this.unit), colour, isUpright });
  }

  /** The colour of a method's line. */
  colourOf(method) {
    return this.lineOf(method).colours[Number(this.ink.dark)];
  }

  /** A colour that moves between two levels while nothing was touched: it asks for a hand. */
  pulse() {
    if (this.isStill) return 1;
    this.isMoving = true;
    return 0.6 + 0.4 * Math.sin(performance.now() / 320);
  }
}

/** A slope: 1/4, or two decimals. The number beside a product must be the one that was multiplied. */
export function slopeText(slope) {
  if (slope < 1e-9) return "0";
  return Number.isInteger(Math.log2(slope)) ? formatSlope(slope) : slope.toFixed(2);
}

/** A slope as a hand leaves it: with two decimals, or a power of two. */
export function pulled(slope) {
  const stop = [0, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2].find((each) => Math.abs(slope - each) < 0.006);
  return clamp(stop ?? Number(slope.toFixed(2)), 0, STEEPEST);
}

/** Words of distance: 1.4, 12, 177. */
export const wordCount = (value) => formatNumber(value, value < 10 ? 2 : 3);
