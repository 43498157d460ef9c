// The curve view itself: state, preview, pointer, keys and readout.

import { difference, largestGap } from "../core.js";
import {
  along, decode, formatAlong, formatFact, nearestPoint, previewCurves, ranked, slopeThrough, valueAt, valueOn, withSlope,
} from "./core.js";
import { computeLayout, drawCursor, drawPicture, drawRule, gripAt } from "./draw.js";
import { Canvas } from "../canvas.js";
import { drawGrip, OCTAVE, REACH, settable, STARTS } from "../grip.js";
import { probe } from "../parts.js";
import { REPORT_AFTER } from "../picture.js";
import { clamp, formatExact } from "../shared.js";

const NEAR = 12; // pixels: a click this near to the locked point unlocks it

/**
 * @import { Curve, Message } from "./core.js"
 * @typedef {{ index: number, x: number, px?: number, py?: number, locked?: boolean }} Cursor
 * @extends {Canvas<Message, Cursor, Curve[], ReturnType<typeof computeLayout>>}
 */
export class View extends Canvas {
  decode = decode;
  computed = previewCurves;
  /** @type {ReturnType<typeof drawPicture>} the texts on the curves */ labels = [];
  /** @type {{ index: number, from: number[], moved: boolean } | null} the curve under the hand */ grabbed = null;
  /** @type {{ index: number, slope: number } | null} what the hand has set, until Python answers */ bent = null;
  chosen = 1; // the curve that has the grip: not the first, whose fall is hardly seen
  dragged = false; // the click that ends a drag locks nothing

  constructor(host) {
    super(host, "cv");
    const { plots } = this.parts;
    plots.addEventListener("pointerup", () => this.letGo());
    plots.addEventListener("pointercancel", () => this.cancel());
  }

  read(data) {
    if (!this.grabbed) this.bent = null;
    super.read(data);
  }

  kept(message, curves) {
    return { ...message, curves };
  }

  showPython() {
    super.showPython();
    if (this.bent) this.bend(this.bent.index, this.bent.slope);
  }

  /** Whether a curve may be bent now. */
  bendable(index) {
    const { hand } = this.message;
    return hand !== null && index < Math.min(hand.length, this.now.length);
  }

  bend(index, slope) {
    if (!this.bendable(index)) return;
    const { message } = this, to = settable(slope);
    this.bent = { index, slope: to };
    this.now = message.curves.map((curve, at) => (at === index ? withSlope(message, curve, to) : curve));
    Object.assign(this, { source: "preview", chosen: index });
    this.schedule();
  }

  onPointer(event) {
    const { grabbed } = this, hit = this.hit(event);
    if (event.type === "pointerdown") {
      this.dragged = false;
      const index = hit && this.within(hit, REACH[event.pointerType] ?? REACH.mouse) ? hit.index : -1;
      if (index >= 0 && event.isPrimary && event.button === 0 && this.bendable(index)) {
        this.grabbed = { index, from: [event.clientX, event.clientY], moved: false };
        this.parts.plots.setPointerCapture(event.pointerId);
      }
    } else if (grabbed) return this.pull(event, grabbed);
    return super.onPointer(event);
  }

  pull(event, grabbed) {
    const [x, y] = grabbed.from, { toX, toY } = this.layout, [left, top] = this.at(event);
    if (!grabbed.moved && Math.hypot(event.clientX - x, event.clientY - y) < STARTS) return;
    grabbed.moved = true;
    const at = Math.max(toX.from(left), this.message.x.low);
    this.bend(grabbed.index, slopeThrough(this.message, at, toY.from(top)));
    this.cursor = this.cursor && { ...this.cursor, index: grabbed.index, x: valueOn(this.message.x, this.shareOf(at)) };
  }

  shareOf(x) {
    const { left, right, toX } = this.layout;
    return (toX.to(x) - left) / (right - left);
  }

  letGo() {
    const { grabbed } = this;
    this.grabbed = null;
    this.dragged = grabbed?.moved ?? false;
    if (this.dragged) this.tellBent();
  }

  /** Python answers with all curves; where there is none, what is shown counts at once. */
  tellBent() {
    const { bent } = this;
    if (!bent) return;
    if (!this.alone) return this.report("slope", [bent.index, bent.slope]);
    this.bent = null;
    this.keep(this.message.follows);
  }

  /** The browser took the touch for a scroll: as if nothing had been touched. */
  cancel() {
    if (!this.grabbed) return;
    this.grabbed = this.bent = null;
    this.showPython();
    this.schedule();
  }

  onClick(event) {
    if (!this.dragged) super.onClick(event);
    this.dragged = false;
  }

  /** Plus and minus bend the chosen curve, Backspace gives it back the rule's slope; all other keys move the cursor. */
  useKey(event) {
    const { message: { hand }, cursor } = this, { key } = event, index = cursor?.index ?? this.chosen;
    const octaves = { "-": -OCTAVE, "+": OCTAVE, "=": OCTAVE }[key];
    if (!this.bendable(index) || !(octaves || key === "Backspace")) return super.useKey(event);
    this.bend(index, octaves ? Number(this.now[index].facts.slope) * 2 ** octaves : (hand ?? [])[index]);
    clearTimeout(this.sending); // where the keys come to rest
    this.sending = setTimeout(() => this.tellBent(), REPORT_AFTER);
    return undefined;
  }

  close() {
    clearTimeout(this.sending);
    super.close();
  }

  sent(message) {
    return message.curves;
  }

  gapOf(ours, theirs) {
    if (ours.length !== theirs.length) return { absolute: Infinity, relative: Infinity };
    return largestGap(ours.map(({ values }, at) => difference(values, theirs[at].values)));
  }

  place(height) {
    return computeLayout(probe, this.message, this.width, height, this.theme);
  }

  drawOn(ctx) {
    const { layout, now: curves, message, theme } = this, index = this.cursor?.index ?? Math.min(this.chosen, curves.length - 1);
    this.labels = drawPicture(ctx, layout, curves, message, theme, index);
    const curve = curves[index], at = this.bendable(index) && gripAt(layout, curve);
    if (!at) return;
    const rule = message.hand?.[index] ?? 0, sent = message.curves.length === curves.length;
    if (sent && Math.abs(Number(curve.facts.slope) / rule - 1) > 1e-5) drawRule(ctx, layout, withSlope(message, curve, rule), message, theme);
    this.base.dataset.grip = `${at.x},${at.y}`;
    drawGrip(ctx, theme, at.x, at.y, false);
  }

  drawCursorOn(ctx) {
    const point = this.point();
    if (!point) return;
    drawCursor(ctx, this.layout, point, this.labels, this.message, this.theme);
    const grip = this.bendable(point.index) && gripAt(this.layout, point.curve);
    if (grip) drawGrip(ctx, this.theme, grip.x, grip.y, false); // over the chosen curve too
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

  /** Whether a place is so near to its curve, across or down. */
  within({ index, px, py }, reach) {
    const { message, now: curves, layout: { toX, toY } } = this, curve = curves[index], x = toX.from(px);
    const heights = [-reach / 2, 0, reach / 2].map((step) => toY.to(valueAt(message, curve, toX.from(toX.to(x) + step))));
    return Math.min(...heights) - reach <= py && py <= Math.max(...heights) + reach;
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
