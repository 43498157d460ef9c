// The windows view itself: state, preview, pointer, keys and readout, and the module's entry.

import { difference, largestGap } from "../core.js";
import { composePicture, sizeCanvas } from "../parts.js";
import { Picture } from "../picture.js";
import { clamp, mounting } from "../shared.js";
import { decode, kindOf, previewPlan } from "./core.js";
import { computeLayout, drawCursor, drawPicture, LEFT, TOP } from "./draw.js";

/** @extends {Picture<import("./core.js").Message, { row: number, word: number, locked?: boolean }>} */
class View extends Picture {
  /** @type {ReturnType<typeof computeLayout>} */ layout;
  /** @type {import("./core.js").Now} what is shown now */ now;

  constructor(host) {
    super(host, "wv");
    this.lockable = false;
    this.addCanvas();
  }

  read(data) {
    this.accept(decode(data));
    this.settle(this.message);
  }

  showPython() {
    const { settings, plan } = this.message;
    Object.assign(this, { source: "python", shown: this.sentValue(this.message), now: { settings, plan } });
  }

  compute(follow, value) {
    Object.assign(this, { source: "preview", shown: value, gap: null, now: previewPlan(this.message, follow, value) });
  }

  /** The browser's windows for Python's value against Python's. */
  compare(message, follow) {
    const { plan: ours } = previewPlan(message, follow, follow.value), { plan: theirs } = message;
    if (ours.read.length !== theirs.read.length) return { absolute: Infinity, relative: Infinity };
    const rows = ["read", "counted"].flatMap((kind) => ours[kind].map((row, at) => difference(row, theirs[kind][at])));
    return largestGap([...rows, ...["context", "other"].map((kind) => difference(ours[kind], theirs[kind]))]);
  }

  arrange() {
    if (this.measure()) this.tall = this.roomFor(this.message);
  }

  draw() {
    this.layout = computeLayout(this.message, this.now, this.width, this.tall); // another window, another number of rows
    const ctx = sizeCanvas(this.base, this.width, this.layout.height, this.ratio);
    drawPicture(ctx, this.layout, this.message, this.now, this.theme);
  }

  /** The cursor, on a row that there is: the last one is the bars. */
  point() {
    const { cursor, now: { plan: { read } }, message: { labels } } = this;
    return cursor && { row: Math.min(cursor.row, read.length), word: Math.min(cursor.word, labels.length - 1) };
  }

  showCursor() {
    const point = this.point(), { layout, message: { readout } } = this;
    const ctx = sizeCanvas(this.over, this.width, layout.height, this.ratio);
    if (point) drawCursor(ctx, layout, point, this.now.plan.read.length, this.theme);
    this.showReadout(readout[point ? this.kind(point) : "empty"]);
  }

  kind({ row, word }) {
    if (row < this.now.plan.read.length) return kindOf(this.now, row, word);
    return word ? "context" : "outside"; // the first word is never predicted
  }

  compose() {
    return composePicture(this.parts.plots, this.theme, (ctx) => {
      const at = this.plot.getBoundingClientRect();
      ctx.translate(at.left, at.top);
      drawPicture(ctx, this.layout, this.message, this.now, this.theme);
    });
  }

  hit(event) {
    const { cell, row, bars } = this.layout, box = this.base.getBoundingClientRect(), rows = this.now.plan.read.length;
    const word = Math.floor((event.clientX - box.left - LEFT) / cell), y = event.clientY - box.top;
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
