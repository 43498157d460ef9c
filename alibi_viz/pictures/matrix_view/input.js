// Pointer, keys, cursor and readout of the matrix view. Cells are in tokens.

import { evaluate, logSum, sampleOf } from "./core.js";
import { drawCursor } from "./draw.js";
import { Panels } from "./view.js";
import { sizeCanvas } from "../parts.js";
import { STARTS } from "../grip.js";
import { clamp, formatExact } from "../shared.js";

const ZOOMS = { zoom_in: 2, zoom_out: 0.5, zoom_all: 0 };
const STAGES = ["content", "bias", "scores", "masked", "weights"];

export class MatrixView extends Panels {
  /** @type {{ x: number, y: number, row: number, col: number, moved: boolean } | null} a press on a window that can be moved */ held = null;

  /** The token cell under an event, and its panel; null outside the plots. */
  hit(event) {
    const figure = event.target.closest?.(".panel");
    if (!figure) return null;
    const index = Number(figure.dataset.index), { layout } = this, { rows, cols } = this.message;
    const box = this.panels[index].base.getBoundingClientRect();
    const x = (event.clientX - box.left - layout.left) / layout.cellWidth;
    const y = (event.clientY - box.top - layout.top) / layout.cellHeight;
    const inside = x >= 0 && y >= 0 && x < cols.count && y < rows.count;
    const token = (axis, at) => axis.start + Math.floor(at * axis.step);
    return inside ? { index, i: token(rows, y), j: token(cols, x) } : null;
  }

  onClick(event) {
    const figure = this.pickable && event.target.closest?.(".panel"), panned = this.held?.moved;
    this.held = null;
    if (panned) return; // the window was moved: no cell was meant
    if (figure) this.pick(Number(figure.dataset.index));
    else super.onClick(event);
  }

  onDoubleClick(event) {
    const hit = this.message.zoomable && this.hit(event);
    if (hit) this.owner.zoom([hit.i, hit.j, 2]);
  }

  /** The number of a cell's sample in the panels' values. */
  at({ i, j }) {
    const { rows, cols } = this.message;
    return sampleOf(rows, i) * cols.count + sampleOf(cols, j);
  }

  move(cursor) {
    this.pointed = cursor?.index ?? this.pointed;
    super.move(cursor);
  }

  isAt(cell) {
    return this.cursor !== null && this.at(this.cursor) === this.at(cell);
  }

  numbersOf({ i, j }) {
    return [i, j];
  }

  lock(cell, isStep) {
    if (this.message.locked) this.owner.lock(cell, isStep);
  }

  first() {
    return { i: this.message.rows.start, j: this.message.cols.start };
  }

  pick(index) {
    this.active = this.picked = index;
    this.showPicked();
    this.owner.pick(index);
  }

  act(name) {
    return name in ZOOMS ? this.zoom(name) : super.act(name);
  }

  zoom(name) {
    const { rows, cols } = this.message;
    const middle = (axis) => axis.start + Math.floor((axis.count * axis.step) / 2);
    const at = this.cursor ?? { i: middle(rows), j: middle(cols) };
    this.owner.zoom([at.i, at.j, ZOOMS[name]]);
  }

  /** One key; false for a key that means nothing here. */
  useKey(event) {
    const zoom = { "+": "zoom_in", "=": "zoom_in", "-": "zoom_out", 0: "zoom_all" }[event.key];
    if (zoom && this.message.zoomable) return this.zoom(zoom);
    return this.pickable ? this.pickKey(event) : super.useKey(event);
  }

  /** One key on thumbnails; false for a key that means nothing here. */
  pickKey({ key }) {
    const count = this.message.panels.length;
    const step = { ArrowLeft: -1, ArrowUp: -this.across, ArrowRight: 1, ArrowDown: this.across }[key];
    if (step) this.active = clamp(this.active + step, 0, count - 1);
    else if (key === "Home") this.active = 0;
    else if (key === "End") this.active = count - 1;
    else if (key === "Enter" || key === " ") this.pick(this.active);
    else return false;
    return this.showPicked();
  }

  /** The cell that a key leads to; null for a key that means nothing here. */
  step({ key, shiftKey }, { i, j }) {
    const { rows, cols } = this.message, first = this.first();
    const last = { i: rows.start + rows.count * rows.step - 1, j: cols.start + cols.count * cols.step - 1 };
    const far = shiftKey ? 10 : 1, page = Math.max(1, Math.round((last.i - first.i + 1) / 8));
    const next = {
      ArrowLeft: [i, j - far], ArrowRight: [i, j + far], ArrowUp: [i - far, j], ArrowDown: [i + far, j],
      Home: [i, first.j], End: [i, last.j], PageUp: [i - page, j], PageDown: [i + page, j],
    }[key];
    if (!next) return null;
    if (this.seen()) this.moveAlong(next);
    const inside = ({ start, count, step }, at) => clamp(at, start, start + count * step - 1);
    return { i: inside(this.message.rows, next[0]), j: inside(this.message.cols, next[1]) };
  }

  /** The slider of the length, of a picture that shows a part of the text: then its window can be moved. */
  movable() {
    const length = this.message.zoomable && this.sent.follows.find(({ form }) => form === "length");
    return length && this.message.rows.count * this.message.rows.step < length.value ? length : null;
  }

  /** A key that leads out of the window takes it along: by an eighth of it, as far as the text goes. */
  moveAlong([i, j]) {
    const start = ({ start: first, count, step }, at) => {
      const wide = count * step, eighth = Math.ceil(wide / 8);
      return at < first ? Math.min(at, first - eighth) : at < first + wide ? first : Math.max(at - wide + 1, first + eighth);
    };
    const { rows, cols } = this.message, row = start(rows, i), col = start(cols, j);
    if (this.movable() && (row !== rows.start || col !== cols.start)) this.lookFrom(row, col);
  }

  /** Show the window from a token on, and ask Python for it when the hand rests. */
  lookFrom(row, col) {
    const length = this.movable();
    const shown = length && this.previewAt(this.sent, { ...length, row: Math.round(row), col: Math.round(col) }, length.value);
    if (!shown) return;
    Object.assign(this, { source: "preview", shown: length.value });
    this.display(shown);
    this.schedule();
    const middle = ({ start, count, step }) => start + Math.ceil((count * step) / 2);
    this.owner.zoom([middle(shown.rows), middle(shown.cols), 1], true);
  }

  /** A press takes hold of a window that can be moved. */
  onPointer(event) {
    if (event.type === "pointerdown") {
      const { rows, cols } = this.message, hit = this.movable() && event.isPrimary && this.hit(event);
      this.held = hit ? { x: event.clientX, y: event.clientY, row: rows.start, col: cols.start, moved: false } : null;
    } else if (this.held && event.buttons & 1) return this.pan(event, this.held);
    return super.onPointer(event);
  }

  pan({ clientX, clientY, pointerId }, held) {
    const { layout, message: { rows, cols }, parts: { plots } } = this;
    const right = clientX - held.x, down = clientY - held.y;
    if (!held.moved && Math.hypot(right, down) < STARTS) return;
    if (!held.moved) plots.setPointerCapture(pointerId);
    held.moved = true;
    this.lookFrom(held.row - (down / layout.cellHeight) * rows.step, held.col - (right / layout.cellWidth) * cols.step);
  }

  /** The cursor in every panel, its values beside the titles, and its sentence below. */
  showCursor() {
    const { panels, message, theme, ratio, layout } = this, cursor = this.seen();
    if (!this.width) return;
    panels.forEach((part, index) => {
      if (part.figure.hidden) return;
      const ctx = sizeCanvas(part.over, layout.width, layout.height, ratio);
      if (cursor) drawCursor(ctx, layout, cursor, message, theme);
      const value = cursor && layout.named ? this.valueAt(index, cursor) : null;
      const without = message.size === "stage" ? part.extremes ?? "" : "";
      part.now.textContent = value === -Infinity ? message.words.masked : value === null ? without : formatExact(value);
      part.now.classList.toggle("extremes", value === null);
    });
    if (this.pointed >= message.panels.length) this.pointed = 0;
    if (message.readout) this.showReadout(this.template(message.readout));
  }

  /** A panel's exact value at a cell: its own where a sample is one token, else the model's. */
  valueAt(index, { i, j }) {
    const { rows, cols, panels } = this.message, { stage, model } = panels[index], head = this.heads[model];
    const sample = this.values[index][this.at({ i, j })];
    if ((rows.step === 1 && cols.step === 1) || !head || !stage) return sample;
    if (head.causal && j > i && sample === -Infinity) return sample;
    const exact = evaluate(head, stage, i, j);
    return Number.isNaN(exact) ? sample : exact;
  }

  isMasked({ i, j }) {
    const head = this.speaker();
    return head ? head.causal && j > i : this.values[this.pointed]?.[this.at({ i, j })] === -Infinity;
  }

  speaker() {
    return this.heads[this.message.panels[this.pointed]?.model] ?? this.heads[0] ?? null;
  }

  /** The template that fits what the cursor stands on. */
  template({ allowed, masked, empty, ahead }) {
    const cursor = this.seen();
    if (!cursor) return empty;
    return this.isMasked(cursor) ? masked : cursor.j > cursor.i && ahead ? ahead : allowed;
  }

  /** The text for one placeholder of the readout (see Readout in message.py); undefined for an unknown one. */
  placeholder(name) {
    const { message, pointed } = this, { panels, rows, cols, words } = message, head = this.speaker(), cursor = this.seen();
    if (name === "slope" || name === "strength") return formatExact(head?.[name]);
    if (!cursor) return undefined;
    const { i, j } = cursor;
    const label = (axis, token) => axis.labels?.[token - axis.start] ?? words.token.replace("{n}", token);
    const numbers = { i, j, distance: i - j, ahead: j - i };
    if (name in numbers) return formatExact(numbers[name]);
    if (name === "query") return label(rows, i);
    if (name === "key") return label(cols, j);
    const index = panels[pointed]?.key === name ? pointed : panels.findIndex(({ key }) => key === name);
    if (index >= 0) return formatExact(this.valueAt(index, cursor));
    if (head && name === "sum") return formatExact(Math.exp(logSum(head, i)));
    return head && STAGES.includes(name) ? formatExact(evaluate(head, name, i, j)) : undefined;
  }
}
