// The windows view itself: state, preview, pointer, keys and readout, and the module's entry.

import { Canvas } from "../canvas.js";
import { difference, largestGap } from "../core.js";
import { clamp, mounting } from "../shared.js";
import { decode, kindOf, previewPlan } from "./core.js";
import { computeLayout, drawCursor, drawPicture, LEFT, TOP } from "./draw.js";

/**
 * @import { Message, Now } from "./core.js"
 * @extends {Canvas<Message, { row: number, word: number, locked?: boolean }, Now, ReturnType<typeof computeLayout>>}
 */
class View extends Canvas {
  lockable = false;
  decode = decode;
  computed = previewPlan;

  constructor(host) {
    super(host, "wv");
  }

  kept(message, { settings, plan }) {
    return { ...message, settings, plan };
  }

  sent({ settings, plan }) {
    return { settings, plan };
  }

  gapOf({ plan: ours }, { plan: theirs }) {
    if (ours.read.length !== theirs.read.length) return { absolute: Infinity, relative: Infinity };
    const rows = ["read", "counted"].flatMap((kind) => ours[kind].map((row, at) => difference(row, theirs[kind][at])));
    return largestGap([...rows, ...["context", "other"].map((kind) => difference(ours[kind], theirs[kind]))]);
  }

  place(height) {
    return computeLayout(this.message, this.now, this.width, height);
  }

  drawOn(ctx) {
    drawPicture(ctx, this.layout, this.message, this.now, this.theme);
  }

  draw() {
    this.layout = this.place(this.tall); // another window, another number of rows
    super.draw();
  }

  /** The cursor, on a row that there is: the last one is the bars. */
  point() {
    const { cursor, now: { plan: { read } }, message: { labels } } = this;
    return cursor && { row: Math.min(cursor.row, read.length), word: Math.min(cursor.word, labels.length - 1) };
  }

  drawCursorOn(ctx) {
    const point = this.point();
    if (point) drawCursor(ctx, this.layout, point, this.now.plan.read.length, this.theme);
  }

  say() {
    const point = this.point();
    this.showReadout(this.message.readout[point ? this.kind(point) : "empty"]);
  }

  kind({ row, word }) {
    if (row < this.now.plan.read.length) return kindOf(this.now, row, word);
    return word ? "context" : "outside"; // the first word is never predicted
  }

  hit(event) {
    const { cell, row, bars } = this.layout, [x, y] = this.at(event), rows = this.now.plan.read.length;
    const word = Math.floor((x - LEFT) / cell);
    const at = y >= bars.top ? rows : Math.floor((y - TOP) / row);
    const inside = word >= 0 && word < this.message.labels.length && at >= 0 && at <= rows;
    return inside ? { row: at, word } : null;
  }

  first() {
    return { row: 0, word: 0 };
  }

  /** The cell that a key leads to; null for a key that means nothing here. */
  step({ key }) {
    const rows = this.now.plan.read.length, last = this.message.labels.length - 1, { row, word } = this.point() ?? this.first();
    const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -last], End: [0, last] }[key];
    return by ? { row: clamp(row + by[0], 0, rows), word: clamp(word + by[1], 0, last) } : null;
  }

  /** The text for one placeholder of the readout; undefined for an unknown one. */
  placeholder(name) {
    const point = this.point(), { plan: { context, other }, settings: { least } } = this.now;
    if (!point) return undefined;
    const { row, word } = point;
    const said = { word: this.message.labels[word], pass: row + 1, least, context: context[word - 1], other: other[word - 1] };
    return said[name] === undefined ? undefined : String(said[name]);
  }
}

export default mounting(View);
