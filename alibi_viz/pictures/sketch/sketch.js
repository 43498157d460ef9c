// The sketch: a curve view whose one curve is drawn by the reader. Its first point is given and stays.

import { scaleOf } from "../curve_view/core.js";
import { View } from "../curve_view/view.js";
import { drawDot } from "../parts.js";
import { REPORT_AFTER } from "../picture.js";
import { clamp, mounting } from "../shared.js";

const PRESS = 0.02; // of the axis: what one key press moves a point

class Sketch extends View {
  constructor(host) {
    super(host);
    const { signal } = this.off;
    for (const kind of ["pointerup", "pointercancel"]) window.addEventListener(kind, () => this.release(), { signal });
  }

  read(data) {
    const mine = this.touched ? this.now[0].values : null;
    super.read(data);
    if (mine?.length === this.message.xs.length) this.keep(mine); // Python's is the drawing as it has heard it
  }

  keep(values) {
    this.now = [{ ...this.message.curves[0], values }];
  }

  /** The number of the point under an event, never the first; and the value there. */
  pointUnder(event) {
    const { layout: { left, right, top, bottom, columnsOf, toY }, message: { y, xs } } = this, columns = columnsOf(xs);
    const [px, py] = this.at(event);
    if (px < left - 12 || px > right + 12) return null;
    let at = 1;
    columns.forEach((column, index) => { if (index && Math.abs(column - px) < Math.abs(columns[at] - px)) at = index; });
    return { at, value: clamp(toY.from(clamp(py, top, bottom)), y.low, y.high) };
  }

  onPointer(event) {
    const place = this.pointUnder(event);
    if (!place) return;
    if (event.type === "pointerdown" && event.isPrimary && event.button === 0) this.last = place;
    if (this.last && event.buttons & 1) {
      this.line(this.last, place);
      this.last = place;
    } else this.choose(place.at);
  }

  onClick() {}

  /** Set every point between two places on the line between them: a fast hand leaves none out. */
  line(from, to) {
    const values = this.now[0].values.slice(), { toY } = this.layout, step = Math.sign(to.at - from.at) || 1;
    const [start, end] = [toY.to(from.value), toY.to(to.value)];
    for (let at = from.at; ; at += step) {
      const share = from.at === to.at ? 1 : (at - from.at) / (to.at - from.at);
      values[at] = toY.from(start + share * (end - start));
      if (at === to.at) break;
    }
    this.change(values, to.at);
  }

  change(values, at) {
    this.touched = true;
    this.keep(values);
    this.cursor = { index: 0, x: this.message.xs[at], locked: false };
    this.schedule();
  }

  choose(at) {
    this.move({ index: 0, x: this.message.xs[at], locked: false });
  }

  release() {
    if (!this.last) return;
    this.last = null;
    this.tellDrawn();
  }

  tellDrawn() {
    clearTimeout(this.reporting);
    this.report("drawn", Array.from(this.now[0].values));
  }

  useKey({ key, shiftKey }) {
    const { message: { xs, y } } = this, last = xs.length - 1;
    const at = this.cursor ? xs.indexOf(this.cursor.x) : 0;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 1, End: last }[key];
    if (to !== undefined) return this.choose(clamp(to, 1, last));
    const presses = { ArrowUp: 1, ArrowDown: -1, PageUp: 5, PageDown: -5 }[key];
    if (!presses) return false;
    const chosen = Math.max(at, 1), values = this.now[0].values.slice(), scale = scaleOf(y, 0, 1);
    const moved = clamp(scale.to(values[chosen]) + presses * PRESS * (shiftKey ? 5 : 1), 0, 1);
    values[chosen] = scale.from(moved);
    this.change(values, chosen);
    clearTimeout(this.reporting);
    this.reporting = setTimeout(() => this.tellDrawn(), REPORT_AFTER);
    return undefined;
  }

  /** The curve's points stand out: they are what moves. */
  drawOn(ctx) {
    super.drawOn(ctx);
    const { layout: { columnsOf, toY }, now, message, theme } = this, columns = columnsOf(message.xs);
    now[0].values.forEach((value, at) => {
      drawDot(ctx, columns[at], toY.to(value), at ? 5 : 3, at ? theme.accent : theme.text, theme);
    });
  }
}

export default mounting(Sketch);
