// A view: panels with one cursor, as they are placed and painted, pointed at and read with keys. Cells are in tokens.

import { logSum, shownAt } from "../attention.js";
import { decode, previewed, sameAxis, sampleOf, withContent } from "./preview.js";
import { filled } from "../text.js";
import { computeLayout, drawBar, drawOver, drawPanel } from "./draw.js";
import { alike } from "../hands/hands.js";
import { buildPanels, columnsFor, gridOf, showWhere } from "./parts.js";
import { paint, range } from "../heatmap.js";
import { buildTools } from "../parts.js";
import { probe, sizeCanvas } from "../plot.js";
import { CursorPicture } from "../cursor_picture.js";
import { clamp, formatExact, formatNumber, lookUp, make, pointIn } from "../shared.js";

const EXTENT_FROM = 200; // pixels of a matrix over which there is room for its real minimum and maximum too
const BESIDE = 6; // pixels between a colour bar and the number at its right end
const ONE_ROW = 1.25; // how much larger cells must be for panels to stand in two rows
const NARROW = 420; // pixels: on a phone one matrix fills the place
const ZOOMS = { zoom_in: 2, zoom_out: 0.5, zoom_all: 0 };

export const isInside = ({ rows, cols }, { i, j }) =>
  [[rows, i], [cols, j]].every(
    ([{ start, count, step }, token]) => token >= start && token < start + count * step,
  );

/** The least and the largest number of a matrix, for reading. @param {Record<string, string>} words @param {string[]} ends */
const extentText = (words, [least, most]) => filled(words.extent, (name) => ({ least, most })[name]);

/**
 * @import { View } from "./preview.js"
 * @typedef {{ i: number, j: number, index?: number, locked?: boolean }} Cursor in tokens
 * @extends {CursorPicture<View, Cursor>}
 */
export class MatrixView extends CursorPicture {
  /** @type {import("./parts.js").Part[]} */ panels = [];
  /** @type {ReturnType<MatrixView["layoutIn"]>} */ layout;
  /** @type {View} what Python sent; `message` is what is shown, in a preview that of the hands' values */ sent;
  pointed = 0; // the panel whose model the readout speaks of
  across = 1; // columns of the grid
  /** @type {number[]} where there is no room for all panels: those that come first, the one seen last at the end */ front =
    [];

  /** @param {import("./view.js").Matrices} owner whose hands it follows, and who hears what is chosen in the panels */
  constructor(host, owner) {
    super(host, "mv", owner);
    this.owner = owner;
    this.tabs = make("div", "tabs");
    this.plots.before(this.tabs);
    this.drag((event) => this.grab(event));
  }

  receive([view, key, words]) {
    const message = decode(view, key, words),
      { tools, plots, alt, readout } = this,
      { panels, front } = message;
    const shape = JSON.stringify([panels.length, message.picked === null, message.size, message.zoomable, words]);
    if (shape !== this.shape) {
      buildTools(tools, { ...this.hands.words, ...words }, (name) => this.act(name), message.zoomable);
      this.panels = buildPanels(plots, message);
      this.tabs.replaceChildren(...panels.map((_, index) => this.tab(index)));
      this.front = [...panels.keys()].filter((index) => !front.includes(index)).concat(front);
      this.shape = shape;
    }
    this.sent = withContent(message, this.hands.values, this.hands.tokens);
    this.show(this.current());
    plots.setAttribute("aria-label", words.label);
    alt.textContent = message.alt;
    this.showProblem("");
    readout.hidden = !message.readout;
    if (this.isKept()) {
      const { cell } = this.hands.values, [i, j] = String(cell).split(",").map(Number);
      this.cursor = cell ? { i, j, locked: true } : this.cursor && { ...this.cursor, locked: false };
    }
    if (this.cursor && !isInside(message, this.cursor)) this.cursor = null;
    this.layOut();
  }

  /** What Python sent, or a preview. @param {View} message */
  show(message) {
    this.message = message;
    this.source = message === this.sent && !this.owner.message.isOurs ? "python" : "preview";
    message.panels.forEach(({ heading, note, model }, index) => {
      const part = this.panels[index];
      part.title.textContent = heading;
      if (!this.tabs.hidden) this.tabs.children[index].textContent = heading;
      part.note.textContent = note;
      showWhere(part, message, message.models[model]?.total ?? 0);
    });
  }

  /** Python's numbers where they are of what the hands say, or nothing else can be drawn. */
  current() {
    const { values, tokens, isRefused } = this.hands, isAnswered = alike(values, this.owner.message.hands.values);
    return (isAnswered && !isRefused ? null : previewed(this.sent, values, tokens)) ?? this.sent;
  }

  /** The hands have moved: every panel that can be previewed is; the others keep Python's last numbers. */
  follow() {
    if (!this.sent.follows) return;
    const { rows, cols } = this.message;
    this.show(this.current());
    if (this.cursor && !isInside(this.message, this.cursor)) this.cursor = null;
    if (sameAxis(rows, this.message.rows) && sameAxis(cols, this.message.cols)) this.schedule();
    else this.layOut();
  }

  // Where the panels stand.

  /** The numbers of the panels in sight: on a phone one, while presented two, else all. */
  inSight() {
    const { message, width, theme, front } = this, all = [...message.panels.keys()];
    const isFlat = 2 * message.rows.count < message.cols.count; // flat ones stand one below the other
    const most = message.size !== "stage" || isFlat ? Infinity : width < NARROW ? 1 : theme.least ? 2 : Infinity;
    return all.length > most ? front.slice(-most).sort((a, b) => a - b) : all;
  }

  /** A panel's tab, where not all are in sight: it brings its panel, in the place of the one that was chosen first. */
  tab(index) {
    const tab = make("button", "tab", { type: "button" });
    tab.onclick = () => {
      this.front = [...this.front.filter((other) => other !== index), index];
      this.layOut(false);
    };
    return tab;
  }

  showTabs() {
    const sight = this.inSight(), isAll = sight.length === this.panels.length;
    this.tabs.hidden = isAll;
    this.root.classList.toggle("single", !isAll && sight.length === 1);
    this.panels.forEach(({ figure, title }, index) => {
      const tab = this.tabs.children[index];
      figure.hidden = !sight.includes(index);
      tab.textContent = isAll ? "" : title.textContent;
      tab.setAttribute("aria-pressed", String(!figure.hidden));
    });
    if (!sight.includes(this.pointed)) this.pointed = sight[sight.length - 1];
  }

  /** Grid columns and the layout of a panel's canvas for the present width: of those to try, the largest cells. */
  arrange() {
    const { message: { size, fills }, width } = this;
    this.showTabs();
    const grids = columnsFor(size, this.inSight().length, width).map((across) => gridOf(size, across, width, fills));
    const layouts = grids.map((grid) => this.layoutIn(grid));
    const most = Math.max(...grids.map(({ across }) => across));
    // What fits comes first; then one row, which reads as a sum, unless cells in two would be much larger.
    const worth = layouts.map(({ cellWidth, fits }, at) =>
      cellWidth * (fits ? 1 : 1e-6) * (grids[at].across === most ? ONE_ROW : 1)
    );
    const best = worth.indexOf(Math.max(...worth));
    this.setGrid(grids[best]);
    this.layout = layouts[best];
    const place = { paddingLeft: `${this.layout.left}px`, width: `${this.layout.width - 1}px` };
    for (const { scale } of this.panels) Object.assign(scale.style, place);
  }

  setGrid({ across, gap, each }) {
    const { plots } = this, columns = { gridTemplateColumns: `repeat(${across}, ${each}px)`, columnGap: `${gap}px` };
    // The gap of rows would also part a panel's title from its plot where the caption between them is low.
    Object.assign(plots.style, columns, { rowGap: this.inSight().length > across ? "" : "0" });
    this.across = across;
  }

  /** The layout of a panel's canvas in such a grid, which is set: its titles are as high as they are there. */
  layoutIn(grid) {
    this.setGrid(grid);
    const room = this.roomFor(grid.across), layout = computeLayout(probe, this.message, grid.each, this.theme, room);
    return { ...layout, fits: layout.height <= room + 1 };
  }

  /** On a stage: how tall a panel's canvas may be, beside all that stands above and below it. */
  roomFor(across) {
    if (this.message.size !== "stage") return Infinity;
    const { ruler, root, plots, panels } = this, rows = Math.ceil(this.inSight().length / across);
    const heightOf = ({ title, caption, scale }) =>
      (title.parentElement?.offsetHeight ?? 0) + caption.offsetHeight + scale.offsetHeight;
    const gap = parseFloat(getComputedStyle(plots).rowGap) || 0;
    const others = root.offsetHeight - plots.offsetHeight + Math.max(...panels.map(heightOf)) * rows +
      gap * (rows - 1) + 8;
    return (ruler.offsetHeight - others) / rows;
  }

  // Painting.

  draw() {
    const { panels, message, theme, ratio, layout } = this, { rows, cols, words } = message;
    panels.forEach((part, index) => {
      const panel = message.panels[index];
      if (part.figure.hidden) return;
      paint(part.image, panel.values, cols.count, rows.count, panel, theme.dark);
      drawPanel(sizeCanvas(part.base, layout.width, layout.height, ratio), layout, part.image, message, theme, ratio);
      const extent = range(panel.values), ends = extent ? extent.map((end) => formatNumber(end)) : ["–", "–"];
      if (message.size === "beside") part.figure.title = `${part.title.textContent}\n${extentText(words, ends)}`; // it has no scale
      else this.paintScale(part, panel, extent, ends);
    });
  }

  /** A panel's colour bar, and its numbers. @param {number[] | null} extent of its values @param {string[]} ends for reading */
  paintScale(part, panel, extent, ends) {
    const { named, plotWidth } = this.layout, { size, words } = this.message, [least, most] = ends;
    const [low, high] = [panel.low, panel.high].map((end) => formatNumber(end));
    // A thumbnail has room for two numbers: the real ones. Its domain is in the title.
    part.low.textContent = named ? low : least;
    part.high.textContent = named ? high : most;
    const wide = size === "stage" ? plotWidth - part.high.offsetWidth - BESIDE : plotWidth; // its numbers stand beside it
    const ctx = sizeCanvas(part.strip, wide, named ? 14 : 11, this.ratio);
    drawBar(ctx, 0, 3, wide, named ? 8 : 5, panel, extent, this.theme);
    part.extremes = named && plotWidth >= EXTENT_FROM ? extentText(words, ends) : "";
    part.extent.textContent = size === "stage" ? "" : part.extremes;
    part.scale.title = `${low} … ${high}`;
  }

  pictured() {
    return [this.plots];
  }

  // The cursor.

  hit(event) {
    const { clientX, clientY } = event, within = /** @type {ShadowRoot} */ (this.root.getRootNode());
    const figure = within.elementFromPoint(clientX, clientY)?.closest(".panel"); // of a drag the target is the whole picture
    if (!(figure instanceof HTMLElement)) return null;
    const index = Number(figure.dataset.index), { layout } = this, { rows, cols } = this.message;
    const [left, top] = pointIn(this.panels[index].base, event);
    const x = (left - layout.left) / layout.cellWidth, y = (top - layout.top) / layout.cellHeight;
    const inside = x >= 0 && y >= 0 && x < cols.count && y < rows.count;
    const token = (axis, at) => axis.start + Math.floor(at * axis.step);
    return inside ? { index, i: token(rows, y), j: token(cols, x) } : null;
  }

  onDoubleClick(event) {
    const hit = this.message.zoomable && this.hit(event);
    if (hit) this.owner.zoom(hit.i, hit.j, 2);
  }

  /** The number of a cell's sample in the panels' values. */
  at({ i, j }) {
    const { rows, cols } = this.message;
    return sampleOf(rows, i) * cols.count + sampleOf(cols, j);
  }

  /** The cursor, if what is shown has its cell. Where the browser computes no cell, a square is named by its first tokens. */
  cursorInSight() {
    const { cursor, message: { rows, cols, models } } = this;
    if (!cursor || !isInside(this.message, cursor)) return null;
    const first = (axis, token) => axis.start + sampleOf(axis, token) * axis.step;
    return models.length ? cursor : { ...cursor, i: first(rows, cursor.i), j: first(cols, cursor.j) };
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

  /** Whether the locked cell is a hand: not among thumbnails, nor in a section. */
  isKept() {
    return this.message.picked === null && "cell" in this.hands.values;
  }

  lock(cell, isStep) {
    if (this.isKept()) super.lock(cell, isStep);
  }

  first() {
    return { i: this.message.rows.start, j: this.message.cols.start };
  }

  act(name) {
    return Object.hasOwn(ZOOMS, name) ? this.zoom(name) : super.act(name);
  }

  zoom(name) {
    const { rows, cols } = this.message, middle = (axis) => axis.start + Math.floor((axis.count * axis.step) / 2);
    this.owner.zoom(this.cursor?.i ?? middle(rows), this.cursor?.j ?? middle(cols), ZOOMS[name]);
  }

  useKey(event) {
    const zoom = lookUp({ "+": "zoom_in", "=": "zoom_in", "-": "zoom_out", 0: "zoom_all" }, event.key);
    return zoom && this.message.zoomable ? this.zoom(zoom) : super.useKey(event);
  }

  step({ key, shiftKey }, { i, j }) {
    const { rows, cols } = this.message, first = this.first();
    const last = { i: rows.start + rows.count * rows.step - 1, j: cols.start + cols.count * cols.step - 1 };
    const far = shiftKey ? 10 : 1, page = Math.max(1, Math.round((last.i - first.i + 1) / 8));
    const next = {
      ArrowLeft: [i, j - far],
      ArrowRight: [i, j + far],
      ArrowUp: [i - far, j],
      ArrowDown: [i + far, j],
      Home: [i, first.j],
      End: [i, last.j],
      PageUp: [i - page, j],
      PageDown: [i + page, j],
    }[key];
    if (!next) return null;
    if (this.cursorInSight() && this.isMovable()) this.moveAlong(next);
    const inside = ({ start, count, step }, at) => clamp(at, start, start + count * step - 1);
    return { i: inside(this.message.rows, next[0]), j: inside(this.message.cols, next[1]) };
  }

  // The window of a long text.

  /** Whether the picture shows a part of the text that a hand can move. */
  isMovable() {
    const { zoomable, models, rows } = this.message;
    return zoomable && rows.count * rows.step < models[0].total;
  }

  /** A key that leads out of the window takes it along: by an eighth of it, as far as the text goes. */
  moveAlong([i, j]) {
    const start = ({ start: first, count, step }, at) => {
      const wide = count * step, eighth = Math.ceil(wide / 8);
      return at < first
        ? Math.min(at, first - eighth)
        : at < first + wide
        ? first
        : Math.max(at - wide + 1, first + eighth);
    };
    const { rows, cols } = this.message, row = start(rows, i), col = start(cols, j);
    if (row === rows.start && col === cols.start) return;
    this.owner.look(row, col);
    this.hands.releaseLater();
  }

  /** A press takes hold of a window that can be moved. */
  grab(event) {
    const { layout: { cellWidth, cellHeight }, message: { rows, cols } } = this;
    if (!this.isMovable() || !this.hit(event)) return null;
    return ({ clientX, clientY }) => {
      const down = (clientY - event.clientY) / cellHeight, right = (clientX - event.clientX) / cellWidth;
      this.owner.look(rows.start - down * rows.step, cols.start - right * cols.step);
    };
  }

  // What stands at the cursor.

  /** The cursor in every panel, its values beside the titles, and its sentence below. */
  showCursor() {
    const { panels, message, theme, ratio, layout } = this, cursor = this.cursorInSight();
    if (!this.width) return;
    panels.forEach((part, index) => {
      if (part.figure.hidden) return;
      drawOver(sizeCanvas(part.over, layout.width, layout.height, ratio), layout, cursor, message, theme);
      const value = cursor && layout.named ? this.valueAt(index, cursor) : null;
      const extremes = message.size === "stage" ? part.extremes ?? "" : "";
      part.now.textContent = value === -Infinity
        ? message.words.masked
        : value === null
        ? extremes
        : formatExact(value);
      part.now.classList.toggle("extremes", value === null);
    });
    if (message.readout) this.showReadout(this.template(message.readout));
  }

  /** A panel's exact value at a cell: its own where a sample is one token, else the model's. */
  valueAt(index, { i, j }) {
    const { rows, cols, panels, models } = this.message, { stage, model, values } = panels[index], head = models[model];
    if ((rows.step === 1 && cols.step === 1) || !head || !stage) return values[this.at({ i, j })];
    return shownAt(head, stage, i, j);
  }

  /** The head of which the readout speaks. */
  speaker() {
    const { panels, models } = this.message;
    return models[panels[this.pointed].model] ?? models[0] ?? null;
  }

  template({ allowed, masked, empty, ahead }) {
    const cursor = this.cursorInSight(), head = this.speaker();
    if (!cursor) return empty;
    const isAhead = cursor.j > cursor.i,
      isMasked = head ? head.causal && isAhead : this.valueAt(this.pointed, cursor) === -Infinity;
    return isMasked ? masked : isAhead && ahead ? ahead : allowed;
  }

  /** The text for one placeholder of the readout (see Readout in message.py); undefined for an unknown one. */
  placeholder(name) {
    const { message: { panels, rows, cols, words }, pointed } = this;
    const head = this.speaker(), cursor = this.cursorInSight();
    if (name === "slope" || name === "strength") return formatExact(head?.[name]);
    if (!cursor) return undefined;
    const { i, j } = cursor;
    const label = (axis, token) => axis.labels?.[token - axis.start] ?? words.token.replace("{n}", token);
    const numbers = { i, j, distance: i - j, ahead: j - i };
    if (Object.hasOwn(numbers, name)) return formatExact(numbers[name]);
    if (name === "query") return label(rows, i);
    if (name === "key") return label(cols, j);
    const index = panels[pointed].key === name ? pointed : panels.findIndex(({ key }) => key === name);
    if (index >= 0) return formatExact(this.valueAt(index, cursor));
    return head && name === "sum" ? formatExact(Math.exp(logSum(head, i))) : undefined;
  }
}
