// A staircase over the words: each word is a step down for all that stand before it, and their arcs fade with the depth.

import { CanvasPicture } from "../canvas_picture.js";
import { PHONE, sayIn, STARTS } from "../hands/hands.js";
import { placesOf, sizesFor } from "../playground/gestures.js";
import { drawArcs, drawWords } from "../playground/hero.js";
import {
  apart,
  area,
  drawGrip,
  drawLevels,
  line,
  percent,
  probe,
  scaleOf,
  setFont,
  sizeCanvas,
  write,
} from "../plot.js";
import { clamp, make, mounting } from "../shared.js";
import { depthsOf, headOf, movedSteps, rowOf, stairsOf, stepsOf, tallest } from "./core.js";

const LEFT = [1, 0.1, 0.01, 0.001]; // what is left of a weight
const KEYED = 0.05; // nats of a key press
const TALL = 380; // pixels: of the picture on a phone, at most
const ARCS = 0.72; // of its height: to which the playground's arcs and words are laid out; the stairs go farther down
const UNDER = 5; // pixels below the floor
const NUMBERED = 34; // pixels between words from which each step has its number
const SPELT = 14; // bytes of a word that are spelt out

/**
 * @import { Message } from "./core.js"
 * @typedef {{ word: number, locked?: boolean }} Cursor
 * @typedef {ReturnType<typeof stairsOf>} Stairs
 * @extends {CanvasPicture<Message, Cursor, Stairs, ReturnType<typeof placesFor>>}
 */
class Heirs extends CanvasPicture {
  dragged = false; // the click that ends a drag locks nothing
  chips = make("div", "chips", { role: "radiogroup" });
  handle = make("div", "handle"); // for a finger: what it does not begin on scrolls the page
  /** @type {[HTMLInputElement, HTMLCanvasElement][]} of every head */ heads = [];

  constructor(host) {
    super(host, "heirs");
    this.plot.append(this.handle);
    this.plots.after(this.chips);
    this.hands.drag(this.plots, (event) => this.grab(event));
  }

  drawn() {
    return [this.plots, this.chips, this.readout];
  }

  /** PyTorch's numbers. @param {Message} message */
  take(message) {
    if (this.message?.tokens.join(" ") !== message.tokens.join(" ")) this.cursor = null;
    if (!this.heads.length) this.buildChips(message);
    this.now = { ...stairsOf(message, this.hands.values), row: Float64Array.from(message.weights) };
    super.take(message);
  }

  /** Another text is known to Python alone. */
  computed() {
    const { message, hands: { values } } = this, isSame = message.hands.values.text === values.text;
    if (!isSame) values.fox_steps = "";
    return isSame ? stairsOf(message, values) : null;
  }

  handValue() {
    return this.hands.values.stairs;
  }

  get isAlibi() {
    return this.hands.values.stairs === "alibi";
  }

  /** The word whose step has the grip: the one that is pointed at, else the one of the tallest, or one in the middle. */
  get word() {
    const { query } = this.message;
    return Math.min(this.cursor?.word ?? (this.isAlibi ? Math.ceil(query / 2) : tallest(this.now.steps)), query);
  }

  /** What the drawing of the playground asks for. @type {any} */
  get store() {
    const { message: { tokens, query }, cursor } = this, length = tokens.length, key = () => cursor?.word ?? query;
    return {
      words: tokens,
      word: (i) => tokens[i],
      count: length,
      length,
      query,
      key,
      cursor: null,
      times: 1,
      most: 1,
    };
  }

  // The hand on a step.

  /** A press on the stairs holds the step of the word there. */
  grab(event) {
    const hit = this.message && this.hit(event);
    this.dragged = false;
    return hit && this.at(event)[1] > this.layout.top - 4 ? this.hold(event, hit.word) : null;
  }

  /** The step follows the pointer; of ALiBi all steps do, so that the foot of this one stays under it. */
  hold(event, word) {
    const { layout: { depth }, now: { steps, depths }, message: { most, query }, isAlibi } = this,
      [, from] = this.at(event);
    const start = isAlibi ? steps[word] : Math.min(steps[word], Math.max(2, most - depths[word]));
    const together = isAlibi ? query - word + 1 : 1;
    return (moved) => {
      const [, to] = this.at(moved);
      this.dragged ||= Math.abs(to - from) >= STARTS;
      if (this.dragged) this.setStep(word, start + (depth.from(to) - depth.from(from)) / together);
    };
  }

  /** @param {number | null} wanted null: the model's own */
  setStep(word, wanted) {
    const { message, hands } = this, moved = movedSteps(hands.values);
    const step = Number(clamp(wanted ?? 0, 0, message.steepest).toFixed(3));
    if (wanted === null) moved.delete(word);
    else moved.set(word, step);
    const entries = [...moved].sort(([a], [b]) => a - b).map(([at, value]) => `${at + 1}:${value}`);
    this.cursor = { ...this.cursor, word };
    hands.set(this.isAlibi ? { alibi_step: step } : { fox_steps: entries.join(",") });
  }

  /** Up and down move the step, Backspace gives it back; all other keys move the cursor. */
  useKey(event) {
    const { word, now: { steps }, hands } = this, turn = { ArrowDown: KEYED, ArrowUp: -KEYED }[event.key];
    if (!turn && event.key !== "Backspace") return super.useKey(event);
    this.setStep(word, turn ? steps[word] + turn * (event.shiftKey ? 10 : 1) : null);
    hands.releaseLater();
    return undefined;
  }

  // The cursor.

  move(cursor) {
    super.move(cursor);
    this.paint(false);
  }

  onClick(event) {
    if (!this.dragged) super.onClick(event);
    this.dragged = false;
  }

  hit(event) {
    const { layout, handle, message: { query } } = this;
    const word = event.target === handle ? this.word : layout.at(this.at(event)[0]);
    return query < 1 || word < 1 || word > query ? null : { word };
  }

  isAt({ word }) {
    return this.cursor?.word === word;
  }

  first() {
    return { word: this.word };
  }

  step({ key }, { word }) {
    const to = { ArrowLeft: word - 1, ArrowRight: word + 1, Home: 1, End: this.message.query }[key];
    return to === undefined ? null : { word: clamp(to, 1, this.message.query) };
  }

  say() {
    const { word, isAlibi, message: { words, query }, hands: { values } } = this;
    const template = isAlibi ? words.constant : movedSteps(values).has(word) ? words.moved : words.spelt;
    this.showReadout(query < 1 ? words.one_word : template);
  }

  placeholder(name) {
    const { word, message, now: { steps, row, plain }, hands: { values } } = this,
      { tokens, query, letters, ends } = message;
    const at = headOf(message, values), from = word ? ends[word - 1] : 0, gates = rowOf(message.gates, at);
    const spelt = letters.slice(from, ends[word]).map((letter, i) => `${letter} ${nats(gates[from + i])}`);
    const before = (shares) => percent(shares.slice(0, word).reduce((sum, share) => sum + share, 0));
    return {
      word: tokens[word],
      query: tokens[query],
      step: nats(steps[word]),
      trained: nats(rowOf(message.steps, at)[word]),
      spelt: spelt.length > SPELT ? `${spelt.slice(0, SPELT).join(" + ")} + …` : spelt.join(" + "),
      beyond: before(row),
      plain: before(plain),
    }[name];
  }

  // Drawing.

  /** @param {number} height */
  place(height) {
    const { root, width, theme, store, message: { most } } = this;
    return placesFor(store, theme, { width, tall: height, small: root.clientWidth < PHONE, large: false }, most);
  }

  colourOf(stairs) {
    return this.message.colours[stairs][this.theme.dark ? 1 : 0];
  }

  sayNote() {
    const { message: { words, query }, now, isAlibi } = this;
    const word = tallest(now.steps), step = now.steps[word];
    const values = { word: this.message.tokens[word], step: nats(step), kept: percent(Math.exp(-step)) };
    sayIn(this.note, query < 1 ? words.one_word : isAlibi ? words.note_alibi : words.note_fox, (name) => values[name]);
  }

  draw() {
    super.draw();
    this.drawChips();
    const { handle, scale } = this, { x, y } = this.gripOf();
    Object.assign(handle.style, { left: `${x * scale}px`, top: `${y * scale}px` });
    this.base.dataset.grip = `${x * scale},${y * scale}`; // for who looks from outside
  }

  /** The middle of a step that is in sight. */
  gripOf() {
    const { layout: { depth, x, pitch, bottom }, now: { steps, depths }, word } = this;
    const [from, to] = [depths[word], depths[word] + steps[word]].map((at) => Math.min(depth.to(at), bottom));
    return { x: x(word) - pitch / 2, y: Math.min((from + to) / 2, bottom - 10) };
  }

  drawOn(ctx) {
    const { layout: places, now, store, theme, message: { query, words }, hands: { values } } = this;
    const ink = { ...theme, accent: this.colourOf(values.stairs) },
      { depth, top, left, note: size, x, pitch, width } = places;
    const levels = LEFT.map((share) => -Math.log(share)),
      plot = { from: left, to: x(query) + pitch / 2, at: width, size };
    drawLevels(ctx, theme, levels, depth.to, plot, (nats) => `${Number((100 * Math.exp(-nats)).toPrecision(1))}%`);
    write(ctx, theme, words.left, width, top + 12 + size, { size, align: "right" });
    if (query > 0) this.drawStairs(ctx, ink);
    drawArcs(ctx, store, places, ink, now.row, now.plain);
    drawWords(ctx, store, places, ink, now.row, now.plain);
  }

  /** Of what is chosen the stairs, with a thick line for each step; of the other the line, dashed; and the grip. */
  drawStairs(ctx, ink) {
    const { layout: places, now: { depths }, message, hands: { values }, isAlibi, word } = this,
      { query } = message;
    const { top, bottom, left, x, pitch, small } = places,
      other = isAlibi ? "fox" : "alibi",
      grip = this.gripOf();
    const stairs = stairsLine(places, depths), others = depthsOf(stepsOf(message, { ...values, stairs: other }));
    const riser = (at) => stairs.slice(2 * at - 1, 2 * at + 1);
    ctx.globalAlpha = 0.09;
    ctx.fillStyle = ink.text;
    ctx.fillRect(x(word) - pitch / 2, top, pitch, bottom - top);
    ctx.globalAlpha = ink.dark ? 0.22 : 0.12;
    area(ctx, [...stairs, [x(query) + pitch / 2, bottom], [left, bottom]], ink.accent);
    ctx.globalAlpha = 1;
    line(ctx, stairsLine(places, others), this.colourOf(other), 1.5, [5, 4]);
    line(ctx, stairs, ink.accent, 2);
    for (let at = 1; at <= query; at += 1) line(ctx, riser(at), at === word ? ink.bias : ink.accent, 5);
    if (pitch >= NUMBERED) this.drawNumbers(ctx, ink);
    this.drawNames(ctx, [[values.stairs, depths], [other, others]]);
    const look = { colour: ink.bias, isUpright: true, radius: small ? 11 : 9, isHint: !this.dragged && !this.cursor };
    drawGrip(ctx, ink, grip.x, grip.y, look);
  }

  /** Whose stairs these are, over their left ends. */
  drawNames(ctx, ends) {
    const { layout: { depth, left, top, bottom, note: size }, theme, message: { words } } = this;
    const names = ends.map(([stairs, depths]) => ({ stairs, y: Math.min(depth.to(depths[0]), bottom) - size }));
    for (const { stairs, y } of apart(names, size + 4, top, bottom - size)) {
      write(ctx, theme, words[stairs], left, y, { colour: this.colourOf(stairs), size, weight: 700 });
    }
  }

  /** The step of every word, under where it stands. */
  drawNumbers(ctx, ink) {
    const { layout: { depth, x, pitch, bottom, note }, now: { steps, depths }, message: { query } } = this;
    for (let word = 1; word <= query; word += 1) {
      const y = Math.min(depth.to(depths[word]) + note, bottom - note);
      const isChosen = word === this.word, look = isChosen ? { colour: ink.bias, weight: 700 } : { colour: ink.text };
      const aside = isChosen ? Math.max(0, 22 - pitch / 4) : 0; // of the grip
      write(ctx, ink, nats(steps[word]), x(word) + aside, y, { size: note, align: "center", ...look });
    }
  }

  // The heads.

  buildChips({ heads, steps, words }) {
    const { chips, hands } = this;
    chips.setAttribute("aria-label", words.heads);
    this.heads = Array.from({ length: steps.shape[0] }, (_, at) => {
      const layer = Math.floor(at / heads) + 1, head = (at % heads) + 1;
      const name = words.chip.replace("{layer}", String(layer)).replace("{head}", String(head));
      const mark = make("input", "", { type: "radio", name: "chip", "aria-label": name, title: name });
      mark.addEventListener("change", () => hands.choose({ layer, head, stairs: "fox", fox_steps: "" }));
      const canvas = make("canvas", "", { "aria-hidden": "true" });
      if (head === 1) chips.append(make("span", "layer", {}, words.layer.replace("{layer}", String(layer))));
      chips.append(make("label", "chip", {}, mark, make("span", "", {}, String(head)), canvas));
      return [mark, canvas];
    });
  }

  drawChips() {
    const { heads, message, theme, ratio, hands: { values }, isAlibi } = this, chosen = headOf(message, values);
    const [{ clientWidth: width, clientHeight: height }] = heads.map(([mark]) => mark);
    if (!width) return;
    heads.forEach(([mark, canvas], at) => {
      mark.checked = at === chosen && !isAlibi;
      const depths = depthsOf(at === chosen && !isAlibi ? this.now.steps : rowOf(message.steps, at));
      const ctx = sizeCanvas(canvas, width, height, ratio),
        pitch = (width - 12) / depths.length;
      const places = {
        left: 6,
        pitch,
        bottom: height - 4,
        depth: scaleOf({ low: 0, high: message.most }, 6, height - 4),
      };
      line(
        ctx,
        stairsLine(places, depths),
        mark.checked ? this.colourOf("fox") : theme.quiet,
        mark.checked ? 2.4 : 1.6,
      );
    });
  }

  pictured() {
    return [this.note, this.plots, this.chips];
  }
}

/** A step for reading: 0.25, 0.004, 12.4. */
const nats = (step) => step === 0 ? "0" : step.toFixed(step < 0.1 ? 3 : step < 10 ? 2 : 1);

/** The words and the arcs as the playground has them, and the stairs in place of its curves. */
function placesFor(store, theme, screen, most) {
  const tall = screen.small ? Math.min(screen.tall, TALL) : screen.tall;
  const sizes = { ...sizesFor({ ...screen, tall: ARCS * tall }), beside: screen.small ? 52 : 66 };
  setFont(probe, theme, 600, sizes.type);
  const places = placesOf(store, sizes, (word) => probe.measureText(word).width), bottom = tall - UNDER;
  return { ...places, height: tall, bottom, depth: scaleOf({ low: 0, high: most }, places.top + 10, bottom) };
}

/** The stairs from the left to the query: as deep as each word stands, no deeper than the floor. @returns {[number, number][]} */
function stairsLine({ left, pitch, bottom, depth }, depths) {
  return Array.from({ length: depths.length }, (_, word) => {
    const y = Math.min(depth.to(depths[word]), bottom);
    return /** @type {[number, number][]} */ ([[left + word * pitch, y], [left + (word + 1) * pitch, y]]);
  }).flat();
}

export default mounting(Heirs);
