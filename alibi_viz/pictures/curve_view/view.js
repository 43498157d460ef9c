// The curve view itself: state, pointer, keys and readout.

import { along, decode, formatAlong, formatFact, nearestPoint, ranked, valueAt, valueOn } from "./core.js";
import { computeLayout, drawCursor, drawPicture } from "./draw.js";
import { Canvas } from "../canvas.js";
import { probe } from "../parts.js";
import { clamp, formatExact } from "../shared.js";

const NEAR = 12; // pixels: a click this near to the locked point unlocks it

/**
 * @import { Curve, Message } from "./core.js"
 * @typedef {{ index: number, x: number, px?: number, py?: number, locked?: boolean }} Cursor
 * @extends {Canvas<Message, Cursor, Curve[], ReturnType<typeof computeLayout>>}
 */
export class View extends Canvas {
  decode = decode;
  /** @type {ReturnType<typeof drawPicture>} the texts on the curves */ labels = [];
  chosen = 0; // the curve that stands out before there is a cursor

  constructor(host) {
    super(host, "cv");
  }

  sent(message) {
    return message.curves;
  }

  place(height) {
    return computeLayout(probe, this.message, this.width, height, this.theme);
  }

  drawOn(ctx) {
    const { layout, now: curves, message, theme } = this, index = this.cursor?.index ?? Math.min(this.chosen, curves.length - 1);
    this.labels = drawPicture(ctx, layout, curves, message, theme, index);
  }

  drawCursorOn(ctx) {
    const point = this.point();
    if (point) drawCursor(ctx, this.layout, point, this.labels, this.message, this.theme);
  }

  say() {
    const { readout } = this.message;
    if (readout) this.showReadout(this.point() ? readout.curve : readout.empty);
  }

  /** Where the cursor stands; null without one. The last curve may be gone by a drag. */
  point() {
    const { cursor, now: curves, message } = this;
    if (!cursor) return null;
    const index = Math.min(cursor.index, curves.length - 1), curve = curves[index];
    return { index, curve, x: cursor.x, y: valueAt(message, curve, cursor.x), locked: cursor.locked };
  }

  /** The place under an event: x, the curve that is nearest there, and its pixels; null outside the plot. */
  hit(event) {
    const { layout: { left, right, top, bottom }, message } = this, [px, py] = this.at(event);
    if (px < left - 4 || px > right + 4 || py < top - 4 || py > bottom + 4) return null;
    const x = valueOn(message.x, (px - left) / (right - left)), index = this.nearest(x, py);
    return { index, x: nearestPoint(message, this.now[index], x), px, py };
  }

  /** The curve that is nearest to a pixel's height at x; curves inside the plot first. */
  nearest(x, py) {
    const { now: curves, message, layout: { top, bottom, toY } } = this;
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
    return { index, x: nearestPoint(message, this.now[index], x) };
  }

  /** The place that a key leads to; null for a key that means nothing here. */
  step({ key, shiftKey }, { x }) {
    const { message, now: curves, cursor } = this, { x: axis } = message, steps = shiftKey ? 10 : 1;
    const index = Math.min(cursor?.index ?? 0, curves.length - 1);
    const presses = { ArrowLeft: -steps, ArrowRight: steps, PageDown: -10, PageUp: 10 }[key];
    const end = { Home: axis.low, End: axis.high }[key], up = { ArrowUp: steps, ArrowDown: -steps }[key];
    if (presses) return { index, x: along(message, curves[index], x, presses) };
    if (end !== undefined) return { index, x: nearestPoint(message, curves[index], end) };
    return up ? { index: this.above(index, x, up), x } : null;
  }

  /** The curve so many ranks higher at x. */
  above(index, x, ranks) {
    const order = ranked(this.message, this.now, x);
    return order[clamp(order.indexOf(index) + ranks, 0, order.length - 1)];
  }

  /** The text for one placeholder of the readout (see Readout in message.py); undefined for an unknown one. */
  placeholder(name) {
    const point = this.point();
    if (!point) return undefined;
    const { curve, x, y } = point;
    if (name === "x") return formatAlong(this.message.x, x);
    if (name === "y") return formatExact(y);
    if (name === "exp") return formatExact(Math.exp(y));
    if (name === "family") return this.message.families[curve.family].name;
    return name in curve.facts ? formatFact(name, curve.facts[name]) : undefined;
  }
}
