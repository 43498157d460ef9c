// The curve view itself: state, preview, pointer, keys and readout.

import { difference, largestGap } from "../core.js";
import { away, decode, formatAlong, formatFact, previewCurves, ranked, valueAt, valueOn } from "./core.js";
import { computeLayout, drawCursor, drawPicture } from "./draw.js";
import { composePicture, probe, sizeCanvas } from "../parts.js";
import { Picture, REPORT_AFTER } from "../picture.js";
import { clamp, formatNumber } from "../shared.js";

const NEAR = 12; // pixels: a click this near to the locked point unlocks it

export class View extends Picture {
  constructor(host) {
    super(host, "cv");
    this.curves = []; // what is painted
    this.labels = []; // the texts on them
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

  /** The place under an event: x, and the curve that is nearest there; null outside the plot. */
  hit(event) {
    const { layout: { left, right, top, bottom }, message } = this, box = this.base.getBoundingClientRect();
    const px = event.clientX - box.left, py = event.clientY - box.top;
    if (px < left - 4 || px > right + 4 || py < top - 4 || py > bottom + 4) return null;
    const x = valueOn(message.x, (px - left) / (right - left));
    return { index: this.nearest(x, py), x, px, py };
  }

  /** The curve that is nearest to a pixel's height at x; curves inside the plot first. */
  nearest(x, py) {
    const { curves, message, layout: { top, bottom, toY } } = this;
    const far = ({ at }) => Math.abs(at - py) + (at < top - 4 || at > bottom + 4 ? 1e4 : 0);
    const heights = curves.map((curve, index) => ({ index, at: clamp(toY.to(valueAt(message, curve, x)), -1e4, 1e4) }));
    return heights.reduce((best, next) => (far(next) < far(best) ? next : best)).index;
  }

  onPointer(event) {
    const hit = this.hit(event);
    if (!hit) return this.onLeave();
    if (!this.cursor?.locked) this.move({ index: hit.index, x: hit.x, locked: false });
  }

  onLeave() {
    if (this.cursor && !this.cursor.locked) this.move(null);
  }

  onClick(event) {
    const hit = this.hit(event), point = this.point(), { toX, toY } = this.layout;
    if (!hit) return;
    const near = (at, to) => Math.abs(at - to) < NEAR;
    if (point?.locked && near(toX.to(point.x), hit.px) && near(toY.to(point.y), hit.py)) this.unlock();
    else this.move({ index: hit.index, x: hit.x, locked: true });
  }

  unlock() {
    this.move({ ...this.cursor, locked: false });
  }

  cellOf([index, x]) {
    return { index, x };
  }

  move(cursor) {
    const before = this.cursor?.locked ? this.cursor : null, now = cursor?.locked ? cursor : null;
    this.cursor = cursor;
    this.showCursor();
    if (this.message.locked === null || (before?.index === now?.index && before?.x === now?.x)) return;
    clearTimeout(this.reporting);
    // Keys move a locked cursor step by step: Python hears where it comes to rest.
    this.reporting = setTimeout(() => this.tell(now ? [now.index, now.x] : []), before && now ? REPORT_AFTER : 0);
  }

  /** One key; false for a key that means nothing here. The first one shows the cursor, in the middle of the picture. */
  useKey({ key, shiftKey }) {
    const { cursor, message: { x: axis }, layout: { top, bottom } } = this, point = this.point();
    const x = point?.x ?? valueOn(axis, 0.5), index = point?.index ?? this.nearest(x, (top + bottom) / 2);
    const locked = Boolean(cursor?.locked), steps = shiftKey ? 10 : 1;
    if (key === "Enter" || key === " ") return this.move({ index, x, locked: !locked });
    if (key === "Escape") {
      if (!cursor) return false;
      return locked ? this.unlock() : this.move(null);
    }
    const along = { ArrowLeft: -steps, ArrowRight: steps, PageDown: -10, PageUp: 10 }[key];
    const end = { Home: axis.low, End: axis.high }[key], up = { ArrowUp: steps, ArrowDown: -steps }[key];
    if (along === undefined && end === undefined && up === undefined) return false;
    if (!cursor) return this.move({ index, x, locked });
    return this.move({ index: up ? this.above(index, x, up) : index, x: end ?? (along ? away(axis, x, along) : x), locked });
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
