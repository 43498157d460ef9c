// The curve view itself: state, preview, pointer, keys and readout.

import { difference, largestGap } from "../core.js";
import { along, decode, formatAlong, formatFact, nearestPoint, previewCurves, ranked, valueAt, valueOn } from "./core.js";
import { computeLayout, drawCursor, drawPicture } from "./draw.js";
import { composePicture, probe, sizeCanvas } from "../parts.js";
import { Picture } from "../picture.js";
import { clamp, formatNumber } from "../shared.js";

const NEAR = 12; // pixels: a click this near to the locked point unlocks it

/**
 * @typedef {{ index: number, x: number, px?: number, py?: number, locked?: boolean }} Cursor
 * @extends {Picture<import("./core.js").Message, Cursor>}
 */
export class View extends Picture {
  /** @type {ReturnType<typeof computeLayout>} */ layout;
  /** @type {import("./core.js").Curve[]} what is painted */ curves = [];
  /** @type {ReturnType<typeof drawPicture>} the texts on them */ labels = [];

  constructor(host) {
    super(host, "cv");
    this.addCanvas();
  }

  read(data) {
    this.accept(decode(data));
    this.takeLock(this.message);
    this.settle(this.message);
  }

  showPython() {
    Object.assign(this, { source: "python", shown: this.sentValue(this.message), curves: this.message.curves });
  }

  compute(follow, shown) {
    const curves = previewCurves(this.message, follow, shown);
    if (curves) Object.assign(this, { source: "preview", shown, gap: null, curves });
    else this.showPython();
  }

  /** The browser's curves for Python's value against Python's; null where nothing can be compared. */
  compare(message, follow) {
    const ours = previewCurves(message, follow, follow.value), theirs = message.curves;
    if (!ours) return null;
    if (ours.length !== theirs.length) return { absolute: Infinity, relative: Infinity };
    return largestGap(ours.map(({ values }, at) => difference(values, theirs[at].values)));
  }

  arrange() {
    if (!this.measure()) return;
    this.layout = computeLayout(probe, this.message, this.width, this.roomFor(this.message), this.theme);
  }

  draw() {
    const { layout, base, ratio, curves, message, theme } = this;
    const ctx = sizeCanvas(base, layout.width, layout.height, ratio);
    this.labels = drawPicture(ctx, layout, curves, message, theme);
  }

  showCursor() {
    const { layout, over, ratio, labels, message, theme } = this, point = this.point();
    const ctx = sizeCanvas(over, layout.width, layout.height, ratio);
    if (point) drawCursor(ctx, layout, point, labels, message, theme);
    if (message.readout) this.showReadout(point ? message.readout.curve : message.readout.empty);
  }

  /** Where the cursor stands; null without one. A dragged number of curves may leave it on the last. */
  point() {
    const { cursor, curves, message } = this;
    if (!cursor) return null;
    const index = Math.min(cursor.index, curves.length - 1), curve = curves[index];
    return { index, curve, x: cursor.x, y: valueAt(message, curve, cursor.x), locked: cursor.locked };
  }

  compose() {
    const { parts, plot, layout, curves, message, theme } = this, point = this.point();
    return composePicture(parts.plots, theme, (ctx) => {
      const at = plot.getBoundingClientRect();
      ctx.translate(at.left, at.top);
      const labels = drawPicture(ctx, layout, curves, message, theme);
      if (point?.locked) drawCursor(ctx, layout, point, labels, message, theme);
    });
  }

  /** The place under an event: x, the curve that is nearest there, and its pixels; null outside the plot. */
  hit(event) {
    const { layout: { left, right, top, bottom }, message } = this, box = this.base.getBoundingClientRect();
    const px = event.clientX - box.left, py = event.clientY - box.top;
    if (px < left - 4 || px > right + 4 || py < top - 4 || py > bottom + 4) return null;
    const x = valueOn(message.x, (px - left) / (right - left)), index = this.nearest(x, py);
    return { index, x: nearestPoint(message, this.curves[index], x), px, py };
  }

  /** The curve that is nearest to a pixel's height at x; curves inside the plot first. */
  nearest(x, py) {
    const { curves, message, layout: { top, bottom, toY } } = this;
    const far = ({ at }) => (Number.isNaN(at) ? Infinity : Math.abs(at - py) + (at < top - 4 || at > bottom + 4 ? 1e4 : 0));
    const heights = curves.map((curve, index) => ({ index, at: clamp(toY.to(valueAt(message, curve, x)), -1e4, 1e4) }));
    return heights.reduce((best, next) => (far(next) < far(best) ? next : best)).index;
  }

  /** Whether a place under an event is the cursor's. */
  isAt({ px = 0, py = 0 }) {
    const point = this.point(), { toX, toY } = this.layout;
    return point !== null && Math.hypot(toX.to(point.x) - px, toY.to(point.y) - py) < NEAR;
  }

  /** @param {number[]} numbers */
  cellOf([index, x]) {
    return { index, x };
  }

  numbersOf({ index, x }) {
    return [index, x];
  }

  /** The middle of the picture. */
  first() {
    const { message, layout: { top, bottom } } = this, x = valueOn(message.x, 0.5);
    const index = this.nearest(x, (top + bottom) / 2);
    return { index, x: nearestPoint(message, this.curves[index], x) };
  }

  /** The place that a key leads to; null for a key that means nothing here. */
  step({ key, shiftKey }, { x }) {
    const { message, curves, cursor } = this, { x: axis } = message, steps = shiftKey ? 10 : 1;
    const index = Math.min(cursor?.index ?? 0, curves.length - 1);
    const presses = { ArrowLeft: -steps, ArrowRight: steps, PageDown: -10, PageUp: 10 }[key];
    const end = { Home: axis.low, End: axis.high }[key], up = { ArrowUp: steps, ArrowDown: -steps }[key];
    if (presses) return { index, x: along(message, curves[index], x, presses) };
    if (end !== undefined) return { index, x: nearestPoint(message, curves[index], end) };
    return up ? { index: this.above(index, x, up), x } : null;
  }

  /** The curve so many ranks higher at x. */
  above(index, x, ranks) {
    const order = ranked(this.message, this.curves, x);
    return order[clamp(order.indexOf(index) + ranks, 0, order.length - 1)];
  }

  /** The text for one placeholder of the readout (see Readout in message.py); undefined for an unknown one. */
  placeholder(name) {
    const point = this.point();
    if (!point) return undefined;
    const { curve, x, y } = point;
    if (name === "x") return formatAlong(this.message.x, x);
    if (name === "y") return formatNumber(y);
    if (name === "exp") return formatNumber(Math.exp(y));
    if (name === "family") return this.message.families[curve.family].name;
    return name in curve.facts ? formatFact(name, curve.facts[name]) : undefined;
  }
}
