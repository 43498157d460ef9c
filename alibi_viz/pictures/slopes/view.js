// The picture of the slopes: curves that a hand bends, the ladder beside them, and the row of controls on top.

import { buildTools, composePicture, sizeCanvas } from "../parts.js";
import { aloneIn, formatNumber, make, mounting } from "../shared.js";
import { valueAt, valueOn } from "../curve_view/core.js";
import { drawCurve, inPlot } from "../curve_view/draw.js";
import { View } from "../curve_view/view.js";
import { drawGrip, OCTAVE, REACH, settable, STARTS } from "../grip.js";
import { Hands, LOWEST, PHONE, sayIn } from "../hands/hands.js";
import { curveOf, curvesOf, ruleSlopes, slopesOf, slopeThrough, writtenSlope } from "./core.js";
import { drawLadder, ladderOf, ladderPlaces } from "./ladder.js";

const LADDER = 190; // pixels: its height on a phone, where it goes below the curves

/**
 * What Python sends beside the curves (message.py).
 * @typedef {{ hands: import("../hands/message.d.ts").Hands, problem: string, note: string, note_none: string, head: string, slope: string, families: object[] }} Further
 */

export class Slopes extends View {
  /** @type {Further} */ further;
  chosen = 1; // the curve that has the grip: not the first, whose fall is hardly seen
  /** @type {{ index: number, from: number[], moved: boolean, before: import("../hands/hands.js").Values } | null} under the hand */ grabbed = null;
  dragged = false; // the click that ends a drag locks nothing
  board = make("div", "board");
  side = make("div", "side");
  note = make("p", "note");
  rungs = make("canvas", "rungs", { "aria-hidden": "true" });

  constructor(host) {
    super(host);
    const { root, plots, tools, bar, trouble } = this.parts, { board, side } = this;
    this.hands = new Hands({
      alone: aloneIn(root) !== null,
      moved: () => this.moved(),
      report: (report) => this.trigger("hands", report),
    });
    bar.remove();
    plots.replaceWith(board);
    side.append(this.note, this.rungs);
    board.append(plots, side);
    root.prepend(this.hands.row, this.hands.foot, trouble);
    this.hands.foot.append(tools);
    plots.addEventListener("pointerup", () => this.letGo());
    plots.addEventListener("pointercancel", () => this.cancel());
    this.rungs.addEventListener("pointermove", (event) => this.onRung(event));
    this.rungs.addEventListener("pointerleave", () => this.onLeave());
    this.rungs.addEventListener("click", (event) => this.onRung(event, true));
  }

  close() {
    this.hands.close();
    super.close();
  }

  read(data) {
    const message = /** @type {import("../curve_view/core.js").Message & Further} */ (this.decode(data));
    if (!this.message) buildTools(this.parts, message, (name) => this.act(name));
    this.hands.answer(message.hands, () => {
      const later = Boolean(this.message);
      this.take(message);
      if (later) this.schedule();
    });
  }

  /** Python's numbers. @param {import("../curve_view/core.js").Message & Further} message */
  take(message) {
    const { alt, plots, readout } = this.parts, [index, x] = String(message.hands.values.cell || "").split(",").map(Number);
    this.message = this.further = message;
    alt.textContent = message.alt;
    plots.setAttribute("aria-label", message.words.label);
    readout.hidden = false;
    Object.assign(this, { now: message.curves, source: "python", shown: message.curves.length });
    if (x) this.cursor = { index, x, locked: true };
    else if (this.cursor?.locked) this.cursor = null;
  }

  update(component) {
    super.update(component);
    const { trouble, readout } = this.parts, { problem } = this.further;
    this.board.hidden = Boolean(problem) || !trouble.hidden;
    if (!problem) return;
    Object.assign(trouble, { textContent: problem, hidden: false });
    readout.hidden = true;
  }

  /** The hands have moved: what they say is drawn at once. */
  moved() {
    const { hands: { values }, message, cursor } = this, all = slopesOf(values);
    if (!all) return;
    Object.assign(this, { now: curvesOf(message, all, values), source: "preview", shown: all.length });
    if (cursor && cursor.index >= all.length) {
      this.cursor = null;
      values.cell = "";
    }
    this.parts.trouble.hidden = true;
    this.board.hidden = this.parts.readout.hidden = false;
    this.schedule();
  }

  /** Lock a point, or let it go: it is in the address too. */
  move(cursor) {
    const { values } = this.hands, before = values.cell, now = cursor?.locked ? this.numbersOf(cursor).join(",") : "";
    this.cursor = cursor;
    this.draw();
    this.showCursor();
    if (now === before) return;
    values.cell = now;
    if (before && now) this.hands.releaseLater(); // keys move it step by step
    else this.hands.release();
  }

  // The hand on a curve.

  bend(index, slope) {
    const own = this.now.map(({ facts }) => Number(facts.slope));
    own[index] = settable(slope);
    this.chosen = index;
    this.hands.set({ rule: "own list", own: own.map(writtenSlope).join(", ") });
  }

  onPointer(event) {
    const { grabbed } = this, hit = this.hit(event);
    if (event.type === "pointerdown") {
      this.dragged = false;
      const index = hit && this.within(hit, REACH[event.pointerType] ?? REACH.mouse) ? hit.index : -1;
      if (index >= 0 && event.isPrimary && event.button === 0) {
        this.grabbed = { index, from: [event.clientX, event.clientY], moved: false, before: { ...this.hands.values } };
        this.hands.held = true;
        this.parts.plots.setPointerCapture(event.pointerId);
      }
    } else if (grabbed) return this.pull(event, grabbed);
    return super.onPointer(event);
  }

  pull(event, grabbed) {
    const [x, y] = grabbed.from, { toX, toY, left, right } = this.layout, [across, down] = this.at(event);
    if (!grabbed.moved && Math.hypot(event.clientX - x, event.clientY - y) < STARTS) return;
    grabbed.moved = true;
    const at = Math.max(toX.from(across), this.message.x.low);
    this.bend(grabbed.index, slopeThrough(at, toY.from(down)));
    this.cursor = this.cursor && { ...this.cursor, index: grabbed.index, x: valueOn(this.message.x, (toX.to(at) - left) / (right - left)) };
  }

  letGo() {
    this.dragged = this.grabbed?.moved ?? false;
    if (this.grabbed) this.hands.held = false;
    this.grabbed = null;
    if (this.dragged) this.hands.release();
  }

  /** The browser took the touch for a scroll: as if nothing had been touched. */
  cancel() {
    if (this.grabbed?.moved) this.hands.set(this.grabbed.before);
    this.grabbed = null;
    this.hands.held = false;
  }

  onClick(event) {
    if (!this.dragged) super.onClick(event);
    this.dragged = false;
  }

  /** A rung is its curve, where half of the weight is left. */
  onRung(event, locked = false) {
    if (this.cursor?.locked && !locked) return;
    const { left, width } = this.rungs.getBoundingClientRect(), { ladder } = this;
    if (!ladder) return;
    const head = Math.round(ladder.toX.from(((event.clientX - left) / width) * ladder.width)), curve = this.now[head - 1];
    if (!curve) return;
    const half = Math.LN2 / Math.max(Number(curve.facts.slope), 1e-9), { low, high } = this.message.x;
    this.move({ index: head - 1, x: Math.round(Math.min(high, Math.max(low, half))), locked });
  }

  /** Plus and minus bend the chosen curve, Backspace gives it back the rule's slope; all other keys move the cursor. */
  useKey(event) {
    const { key } = event, index = Math.min(this.cursor?.index ?? this.chosen, this.now.length - 1);
    const octaves = { "-": -OCTAVE, "+": OCTAVE, "=": OCTAVE }[key];
    if (!octaves && key !== "Backspace") return super.useKey(event);
    const slope = Number(this.now[index].facts.slope);
    this.bend(index, octaves ? slope * 2 ** octaves : ruleSlopes(this.hands.values, this.now.length)[index]);
    this.hands.releaseLater();
    return undefined;
  }

  /** Whether a place is so near to its curve, across or down. */
  within({ index, px, py }, reach) {
    const { message, now: curves, layout: { toX, toY } } = this, curve = curves[index], x = toX.from(px);
    const heights = [-reach / 2, 0, reach / 2].map((step) => toY.to(valueAt(message, curve, toX.from(toX.to(x) + step))));
    return Math.min(...heights) - reach <= py && py <= Math.max(...heights) + reach;
  }

  // Drawing.

  arrange() {
    const { parts: { root, room, plots }, rungs, side, board } = this;
    root.dataset.size = "stage";
    const isNarrow = root.clientWidth < PHONE, { scale } = this;
    root.classList.toggle("narrow", isNarrow);
    if (!this.measure()) return;
    const around = root.offsetHeight - board.offsetHeight;
    const tall = Math.max(LOWEST, isNarrow ? room.offsetHeight - 40 : room.offsetHeight - around);
    this.width = (plots.clientWidth - 8) / scale;
    this.tall = tall / scale;
    this.layout = this.place(this.tall);
    const height = isNarrow ? LADDER * scale : Math.max(140, tall - this.note.offsetHeight - 12);
    Object.assign(rungs.style, { width: `${side.clientWidth}px`, height: `${height}px` });
  }

  onResize() {
    const { root, room } = this.parts, size = `${root.clientWidth} ${room.offsetHeight}`;
    if (!this.message || size === this.size) return;
    this.size = size;
    this.width = 0; // whatever it was
    super.onResize();
  }

  draw() {
    this.sayNote(this.now.map(({ facts }) => Number(facts.slope)));
    this.drawOn(this.pen(this.base));
    this.drawRungs();
  }

  /** The sentence beside the curves: in how many tokens a weight halves. */
  sayNote(all) {
    const { note: words, note_none: none } = this.further, gentlest = Math.min(...all);
    const numbers = { half_short: formatNumber(Math.LN2 / Math.max(...all)), half_long: formatNumber(Math.LN2 / gentlest) };
    sayIn(this.note, gentlest > 0 ? words : none, (name) => numbers[name]);
  }

  drawRungs() {
    const { rungs, theme, ratio, scale, further, now, cursor } = this, ladder = ladderOf(further, now);
    const [width, height] = [rungs.clientWidth / scale, rungs.clientHeight / scale];
    const ctx = sizeCanvas(rungs, width * scale, height * scale, ratio);
    rungs.dataset.zoom = String(scale);
    if (!ladder || width < 40) return;
    ctx.scale(scale, scale);
    this.ladder = ladderPlaces(ladder, width, height, theme);
    drawLadder(ctx, this.ladder, ladder, theme, cursor?.index ?? Math.min(this.chosen, now.length - 1));
  }

  drawOn(ctx) {
    super.drawOn(ctx);
    const { layout, now: curves, message, theme, hands: { values } } = this;
    const index = this.cursor?.index ?? Math.min(this.chosen, curves.length - 1), curve = curves[index], at = gripAt(layout, curve);
    if (!at) return;
    const rule = ruleSlopes(values, curves.length)[index];
    if (Math.abs(Number(curve.facts.slope) / rule - 1) > 1e-5) drawRule(ctx, layout, curveOf(curve.xs, rule, index), message, theme);
    this.base.dataset.grip = `${at.x},${at.y}`;
    drawGrip(ctx, theme, at.x, at.y, false);
  }

  drawCursorOn(ctx) {
    super.drawCursorOn(ctx);
    const point = this.point(), grip = point && gripAt(this.layout, point.curve);
    if (grip) drawGrip(ctx, this.theme, grip.x, grip.y, false); // over the chosen curve too
  }

  compose() {
    return composePicture(this.board, this.theme, (ctx) => {
      for (const [canvas, draw] of /** @type {[HTMLCanvasElement, (pen: CanvasRenderingContext2D) => void][]} */ ([
        [this.base, (pen) => this.drawOn(pen)],
        [this.rungs, (pen) => this.ladder && drawLadder(pen, this.ladder, ladderOf(this.further, this.now), this.theme, this.cursor?.index ?? this.chosen)],
      ])) {
        const at = canvas.getBoundingClientRect();
        ctx.save();
        ctx.translate(at.left, at.top);
        ctx.scale(this.scale, this.scale);
        draw(ctx);
        if (canvas === this.base && this.cursor?.locked) this.drawCursorOn(ctx);
        ctx.restore();
      }
    });
  }
}

/** The rule's curve, dashed, under the one that a hand has bent. */
function drawRule(ctx, layout, curve, { families }, theme) {
  const dashed = families.map((family) => ({ ...family, dash: "dash" }));
  inPlot(ctx, layout, () => drawCurve(ctx, layout, curve, { families: dashed }, theme, 1.5, theme.soft));
}

/** Where the grip of a curve stands: on the point that is nearest to the middle of the plot's height. */
function gripAt(layout, { xs, values }) {
  const { top, bottom, toY } = layout, middle = (top + bottom) / 2, columns = layout.columnsOf(xs);
  const heights = Array.from(values, toY.to), far = (at) => Math.abs(heights[at] - middle);
  const at = heights.reduce((best, _, next) => (far(next) < far(best) ? next : best), 0);
  return heights[at] >= top - 2 && heights[at] <= bottom + 2 ? { x: columns[at], y: heights[at] } : null;
}

export default mounting(Slopes);
