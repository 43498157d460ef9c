// The picture of the slopes: curves that a hand bends, the ladder beside them, and the row of controls on top.

import { CanvasPicture } from "../canvas_picture.js";
import { formatSlope, halving, settable, weightAt } from "../attention.js";
import { OCTAVE, REACH, sayIn } from "../hands/hands.js";
import { drawGrip, probe, sizeCanvas } from "../plot.js";
import { clamp, formatExact, formatNumber, lookUp, make, mounting, pointIn } from "../shared.js";
import {
  away,
  curvesOf,
  distanceAxis,
  distanceOn,
  ruleSlopes,
  slopesOf,
  slopeThrough,
  writtenSlope,
} from "./curves.js";
import { colourOf, computeLayout, drawCursor, drawCurves, drawLadder, ladderLayout } from "./draw.js";

const LADDER = 190; // pixels: its height on a phone, where it goes below the curves
const NEAR = 12; // pixels: a click this near to the locked point unlocks it
const WEIGHTS = [0, 0.25, 0.5, 0.75, 1];

/**
 * @import { Curve, Message } from "./curves.js"
 * @typedef {{ index: number, x: number, px?: number, py?: number, locked?: boolean }} Cursor
 * @extends {CanvasPicture<Message, Cursor, Curve[], ReturnType<typeof computeLayout>>}
 */
class Slopes extends CanvasPicture {
  chosen = 1; // the curve that has the grip: not the first, whose fall is hardly seen
  board = make("div", "board");
  side = make("div", "side");
  legend = make("div", "legend");
  rungs = make("canvas", "rungs", { "aria-hidden": "true" });
  /** @type {ReturnType<typeof ladderLayout>} */ ladder = null;

  constructor(host) {
    super(host, "slopes");
    const { plots, board, side, legend, rungs } = this;
    plots.replaceWith(board);
    side.append(this.note, legend, rungs);
    board.append(plots, side);
    this.drag((event) => this.grab(event));
    rungs.addEventListener("pointermove", (event) => this.onRung(event));
    rungs.addEventListener("pointerleave", () => this.onLeave());
    rungs.addEventListener("click", (event) => this.onRung(event, true));
  }

  drawn() {
    return [this.board, this.readout];
  }

  take(message) {
    const { distances, weights, slopes, families, words } = message, count = distances.length;
    const [index, x] = String(message.hands.values.cell || "").split(",").map(Number);
    this.now = slopes.map((slope, at) => (
      { head: at + 1, slope, family: families[at], weights: weights.subarray(at * count, (at + 1) * count) }
    ));
    if (x) this.cursor = { index, x, locked: true };
    else if (this.cursor?.locked) this.cursor = null;
    super.take({ ...message, x: distanceAxis(words.distance, distances) });
  }

  computed() {
    const { hands: { values }, message, cursor } = this, all = slopesOf(values);
    if (!all) return null;
    if (cursor && cursor.index >= all.length) {
      this.cursor = null;
      values.cell = "";
    }
    return curvesOf(message, all, values);
  }

  // The cursor.

  /** The curve that stands out. */
  get index() {
    return Math.min(this.cursor?.index ?? this.chosen, this.now.length - 1);
  }

  lockAt([index, x]) {
    if (index < this.now.length) {
      this.move({ index, x: clamp(x, 1, Math.max(...this.message.distances)), locked: true });
    }
  }

  /** Where the cursor stands; null without one. The last curve may be gone by a drag. */
  point() {
    const { cursor, index } = this;
    return cursor &&
      { curve: this.now[index], x: cursor.x, y: weightAt(this.now[index].slope, cursor.x), locked: cursor.locked };
  }

  /** The place under an event: the distance, the curve that is nearest there, and its pixels; null outside the plot. */
  hit(event) {
    const { layout: { left, right, top, bottom, across, xAt } } = this, [px, py] = this.at(event);
    if (px < left - 4 || px > right + 4 || py < top - 4 || py > bottom + 4) return null;
    const x = distanceOn(across, xAt(px));
    return { index: this.nearest(x, py), x, px, py };
  }

  /** The curve that is nearest to a pixel's height at a distance; curves inside the plot first. */
  nearest(x, py) {
    const { now: curves, layout: { top, bottom, y } } = this;
    const far = (at) => Math.abs(at - py) + (at < top - 4 || at > bottom + 4 ? 1e4 : 0);
    const heights = curves.map(({ slope }, index) => ({ index, at: clamp(y(weightAt(slope, x)), -1e4, 1e4) }));
    return heights.reduce((best, next) => (far(next.at) < far(best.at) ? next : best)).index;
  }

  isAt({ px = 0, py = 0 }) {
    const point = this.point(), { layout } = this;
    return point !== null && Math.hypot(layout.x(point.x) - px, layout.y(point.y) - py) < NEAR;
  }

  numbersOf({ index, x }) {
    return [index, x];
  }

  /** The middle of the picture. */
  first() {
    const { left, right, top, bottom, across, xAt } = this.layout, x = distanceOn(across, xAt((left + right) / 2));
    return { index: this.nearest(x, (top + bottom) / 2), x };
  }

  step({ key, shiftKey }, { x }) {
    const { layout: { across }, index } = this, steps = shiftKey ? 10 : 1;
    const presses = { ArrowLeft: -steps, ArrowRight: steps, PageDown: -10, PageUp: 10 }[key];
    const end = { Home: across.low, End: across.high }[key], up = { ArrowUp: steps, ArrowDown: -steps }[key];
    if (presses) return { index, x: away(across, x, presses) };
    if (end !== undefined) return { index, x: end };
    return up ? { index: this.above(index, up), x } : null;
  }

  /** The curve so many ranks higher: less steep. */
  above(index, ranks) {
    const { now: curves } = this, order = [...curves.keys()].sort((a, b) => curves[b].slope - curves[a].slope || a - b);
    return order[clamp(order.indexOf(index) + ranks, 0, order.length - 1)];
  }

  say() {
    const { words } = this.message;
    this.showReadout(this.cursor ? words.curve : words.empty);
  }

  placeholder(name) {
    const point = this.point();
    if (!point) return undefined;
    const { curve: { head, slope }, x, y } = point;
    return { head: String(head), slope: formatSlope(slope), x: formatNumber(x, 9), y: formatExact(y) }[name];
  }

  // The hand on a curve.

  bend(index, slope) {
    const own = this.now.map((curve) => curve.slope);
    own[index] = settable(slope);
    this.chosen = index;
    this.hands.set({ rule: "own list", own: own.map(writtenSlope).join(", ") });
  }

  /** A press near a curve bends it. */
  grab(event) {
    const hit = this.hit(event), reach = lookUp(REACH, event.pointerType) ?? REACH.mouse;
    return hit && this.within(hit, reach) ? (moved) => this.pull(moved, hit.index) : null;
  }

  pull(event, index) {
    const { across, xAt, yAt } = this.layout, [px, py] = this.at(event), x = Math.max(xAt(px), across.low);
    this.bend(index, slopeThrough(x, yAt(py)));
    this.cursor = this.cursor && { ...this.cursor, index, x: distanceOn(across, x) };
  }

  /** A rung is its curve, where half of the weight is left. */
  onRung(event, locked = false) {
    if (this.cursor?.locked && !locked) return;
    const { ladder, rungs } = this;
    if (!ladder) return;
    const [left] = pointIn(rungs, event), head = Math.round(ladder.xAt(left / this.scale));
    const curve = this.now[head - 1];
    if (!curve) return;
    const half = halving(Math.max(curve.slope, 1e-9)), { low, high } = this.message.x;
    this.move({ index: head - 1, x: Math.round(clamp(half, low, high)), locked });
  }

  /** Plus and minus bend the chosen curve, Backspace gives it back the rule's slope; all other keys move the cursor. */
  useKey(event) {
    const { key } = event, { index } = this;
    const octaves = { "-": -OCTAVE, "+": OCTAVE, "=": OCTAVE }[key];
    if (!octaves && key !== "Backspace") return super.useKey(event);
    const rule = ruleSlopes(this.hands.values, this.now.length)[index];
    this.bend(index, octaves ? this.now[index].slope * 2 ** octaves : rule);
    this.hands.releaseLater();
    return undefined;
  }

  /** Whether a place is so near to its curve, across or down. */
  within({ index, px, py }, reach) {
    const { layout: { y, xAt } } = this, { slope } = this.now[index];
    const heights = [-reach / 2, 0, reach / 2].map((step) => y(weightAt(slope, xAt(px + step))));
    return Math.min(...heights) - reach <= py && py <= Math.max(...heights) + reach;
  }

  // Drawing.

  /** @param {number} height */
  place(height) {
    const { message: { words, x }, width, theme } = this;
    const y = { name: words.weight, low: 0, high: 1.03, ticks: WEIGHTS, log: false };
    return computeLayout(probe, x, y, width, height, theme);
  }

  arrange() {
    const { root, rungs, side, note, legend, message, theme } = this;
    legend.replaceChildren(...["power", "extra"].map((name, family) => {
      const sample = make("i");
      sample.style.background = colourOf(message, family, theme);
      return make("span", "", {}, sample, message.words[name]);
    }));
    super.arrange();
    const { scale, tall } = this, above = note.offsetHeight + legend.offsetHeight + 24;
    const height = root.classList.contains("narrow") ? LADDER * scale : Math.max(140, tall * scale - above);
    Object.assign(rungs.style, { width: `${side.clientWidth}px`, height: `${height}px` });
  }

  draw() {
    super.draw();
    this.legend.style.visibility = this.now.some(({ family }) => family) ? "" : "hidden";
    this.drawRungs();
  }

  /** In how many tokens a weight halves. */
  sayNote() {
    const { note, note_one, note_none } = this.message.words, all = this.now.map(({ slope }) => slope);
    const gentlest = Math.min(...all), steepest = Math.max(...all);
    const [half_short, half_long] = [steepest, gentlest].map((slope) => formatNumber(halving(slope)));
    const said = gentlest <= 0 ? note_none : gentlest === steepest ? note_one : note;
    sayIn(this.note, said, (name) => ({ half_short, half_long })[name]);
  }

  drawRungs() {
    const { rungs, theme, ratio, scale, message, now } = this;
    const width = rungs.clientWidth / scale, height = rungs.clientHeight / scale;
    const ctx = sizeCanvas(rungs, width, height, ratio, scale);
    this.ladder = width < 40 ? null : ladderLayout(probe, now, message, width, height, theme);
    if (this.ladder) drawLadder(ctx, this.ladder, now, message, theme, this.index);
  }

  drawOn(ctx) {
    const { layout, now: curves, message, theme, index, hands: { values } } = this, { slope, weights } = curves[index];
    const point = this.point(), rule = ruleSlopes(values, curves.length)[index];
    const ruled = Math.abs(slope / rule - 1) > 1e-5 ? message.distances.map((x) => weightAt(rule, x)) : null;
    drawCurves(ctx, layout, curves, message, theme, { index, ruled, point });
    if (point) drawCursor(ctx, layout, point, message, theme);
    const grip = gripAt(layout, message.distances, weights);
    if (!grip) return;
    this.base.dataset.grip = `${grip.x},${grip.y}`;
    drawGrip(ctx, theme, grip.x, grip.y);
  }
}

/** Where the grip of a curve stands: on the point that is nearest to the middle of the plot's height. */
function gripAt({ top, bottom, x, y }, distances, weights) {
  const middle = (top + bottom) / 2,
    heights = Array.from(weights, y),
    far = (at) => Math.abs(heights[at] - middle);
  const at = heights.reduce((best, _, next) => (far(next) < far(best) ? next : best), 0);
  return heights[at] >= top - 2 && heights[at] <= bottom + 2 ? { x: x(distances[at]), y: heights[at] } : null;
}

export default mounting(Slopes);
