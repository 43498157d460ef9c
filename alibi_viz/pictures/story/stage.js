// The stage: what the hands say, the numbers that glide to it, and the pen. Each picture is a function of these numbers, so any
// step is reached from any other.

import { formatSlope } from "../attention.js";
import { crisp, drawDot, drawGrip, line, setFont, write } from "../plot.js";
import { clamp, formatNumber } from "../shared.js";
import { ease, lerp, orderOf, ownOrder, STEEPEST, weightsOf } from "./core.js";

/** @import { Message } from "./message.d.ts" */

/** What glides when a step is turned, and for how many ms; back it takes a part of that. */
const TURNS = { line: 700, fan: 700, cells: 1500, longer: 1000, chart: 1000, texts: 700, end: 900 };
const BACK = 0.6;
/** What follows a hand: how much of its way a frame. */
const FOLLOWS = { slope: 0.3, times: 0.4, seen: 0.5 };

/** The hands that weights follow from. */
const WEIGHED = ["step", "story_order", "causal", "story_slope", "story_head"];

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
  v = {
    line: 0,
    fan: 0,
    cells: 0,
    longer: 0,
    chart: 0,
    texts: 0,
    end: 0,
    shown: 0,
    near: 0,
    play: 1,
    slope: 0,
    times: 1,
    seen: 9,
  };
  /** @type {number | null} the distance at which the line is held */ grip = null;
  endHeight = 0; // pixels of the last words
  /** @type {Record<string, { from: number, to: number, begin: number, ms: number }>} */ turns = {};
  /** @type {{ text: string, x: number | null, alpha: number }[]} the words, where they stand now */ words = [];
  /** @type {{ word: number, x: number } | null} the word under a finger */ held = null;
  /** @type {Record<"alibi" | "rope", (number | null)[] | null>} what the reader has drawn */ drawn = {
    alibi: null,
    rope: null,
  };
  /** @type {"alibi" | "rope"} whose line is drawn next */ pen = "alibi";

  /** @param {import("../hands/hands.js").Hands} hands */
  constructor(hands) {
    this.hands = hands;
  }

  // What the hands say.

  get step() {
    return Number(this.hands.values.step);
  }
  get count() {
    return this.message.sentence.length;
  }
  get order() {
    return this.step === 1 ? orderOf(this.hands.values.story_order, this.count) : ownOrder(this.count);
  }
  /** The word that asks. */
  get query() {
    const { story_query } = this.hands.values;
    return this.step > 1 || Number(story_query) < 0 ? this.count - 1 : Math.min(Number(story_query), this.count - 1);
  }
  get isCausal() {
    return this.step > 1 || Boolean(this.hands.values.causal);
  }
  get slope() {
    return Number(this.hands.values.story_slope);
  }
  get head() {
    return Number(this.hands.values.story_head);
  }
  /** The slope that this step shows. */
  get slopeInForce() {
    return this.step === 1 ? 0 : this.step === 3 ? this.message.slopes[this.head - 1] : this.slope;
  }
  /** The cell of which the page speaks: [query, key]. @returns {[number, number]} */
  get cell() {
    const [query, key] = String(this.hands.values.cell).split(",").map(Number), last = this.count - 1;
    return key <= query && query <= last ? [query, key] : [last, Math.max(0, Math.min(1, last - 1))];
  }
  get isShown() {
    return Boolean(this.hands.values.story_shown) && !this.message.drawing?.is_open;
  }
  get bytes() {
    return Number(this.hands.values.write_at);
  }
  get isNear() {
    return Boolean(this.hands.values.write_near) && this.step === 8;
  }
  get seen() {
    return Number(this.hands.values.story_seen);
  }

  /** Whether what is drawn is what PyTorch has answered: nothing glides, and the hands say what they said then. */
  get isExact() {
    const { hands: { values }, message } = this, settled = Math.abs(this.v.slope - this.slopeInForce) < 1e-9;
    return settled && WEIGHED.every((key) => values[key] === message.hands.values[key]);
  }

  /** Weights [T, T] of the words: PyTorch's where they are those of what is drawn, else computed here. */
  weights() {
    if (this.isExact) return this.message.weights;
    return weightsOf(this.message.content, this.order, this.v.slope, this.isCausal);
  }

  /** The measured line of a method. */
  lineOf(method) {
    return /** @type {import("./message.d.ts").Line} */ (this.message.lines.find((other) => other.method === method));
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
    const { step } = this;
    const goals = {
      line: step >= 2,
      fan: step === 3,
      cells: step >= 4,
      longer: step >= 5,
      chart: step >= 6,
      texts: step === 7 || step === 8,
      end: step === 9,
    };
    for (const [name, goal] of Object.entries(goals)) {
      this.turn(name, Number(goal), isAtOnce ? 0 : TURNS[name] * (isBack ? BACK : 1));
    }
    this.turn("shown", Number(this.isShown && step >= 6), this.isShown && !isAtOnce ? 1600 : 0);
    this.turn("near", Number(this.isNear), isAtOnce ? 0 : 900);
    if (isAtOnce) Object.assign(this.v, this.followed());
  }

  followed() {
    const { step, hands: { values } } = this, times = step >= 5 ? Number(values.story_times) : 1;
    return { slope: this.slopeInForce, times, seen: Math.log2(this.seen) };
  }

  /** One frame on. */
  tick(now) {
    const { v, turns } = this;
    this.isMoving = false;
    for (const [name, { from, to, begin, ms }] of Object.entries(turns)) {
      const share = clamp((now - begin) / ms, 0, 1);
      v[name] = lerp(from, to, name === "shown" ? share : ease(share));
      if (share === 1) delete turns[name];
      else this.isMoving = true;
    }
    for (const [name, to] of Object.entries(this.followed())) v[name] = this.follow(v[name], to, FOLLOWS[name], 1e-4);
  }

  /** A number a part of its way on; it arrives where it is near enough. */
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
    return Math.max(this.ink.least || 12, this.small ? phone : this.px(desk));
  }

  /** @param {{ colour?: string, size?: number, weight?: number, align?: string }} look */
  say(text, x, y, look = {}) {
    const { ink } = this, size = look.size ?? this.type(15);
    write(this.ctx, ink, text, x, y, { colour: ink.soft, ...look, size: Math.max(ink.least || 12, size) });
    return this.ctx.measureText(text).width;
  }

  /** A text that stands out. */
  strong(text, x, y, size, align = "left", weight = 600, colour = this.ink.text) {
    return this.say(text, x, y, { colour, size, weight, align });
  }

  wide(text, size, weight = 400) {
    setFont(this.ctx, this.ink, weight, Math.max(this.ink.least || 12, size));
    return this.ctx.measureText(text).width;
  }

  fade(alpha) {
    this.ctx.globalAlpha = clamp(alpha, 0, 1);
  }

  line(points, colour, width = 1, dash = []) {
    line(this.ctx, points, colour, width, dash);
  }

  level(x, to, y, colour) {
    line(this.ctx, [[x, crisp(y)], [to, crisp(y)]], colour);
  }

  dot(x, y, radius, colour, rim = 0) {
    drawDot(this.ctx, x, y, radius, colour, this.ink, rim);
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

/** A score: 1.32, −0.50. */
export const score = (value, digits = 2) =>
  (value <= -(10 ** -digits) / 2 ? "−" : "") + Math.abs(value).toFixed(digits);
/** A slope: 1/4, or two decimals. The number beside a product must be the one that was multiplied. */
export const slopeText = (
  slope,
) => (slope < 1e-9 ? "0" : Number.isInteger(Math.log2(slope)) ? formatSlope(slope) : slope.toFixed(2));
/** A slope as a hand leaves it: with two decimals, or a power of two. */
export const pulled = (slope) => {
  const stops = [0, ...[1, 2, 3, 4, 5].map((power) => 2 ** -power)];
  return clamp(stops.find((stop) => Math.abs(slope - stop) < 0.006) ?? Number(slope.toFixed(2)), 0, STEEPEST);
};
/** Words of distance: 1.4, 12, 177. */
export const wordCount = (value) => formatNumber(value, value < 10 ? 2 : 3);
