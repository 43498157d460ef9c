// The matrix view itself: state and preview.

import { paint, range } from "./colour.js";
import { decode } from "./core.js";
import { computeLayout, drawBar, drawPanel, drawPlot } from "./draw.js";
import { buildPanels, buildTabs, columnsFor, gridBeside, gridOf, showWhere } from "./parts.js";
import { previewMessage, sameAxis } from "./preview.js";
import { buildTools, probe, sizeCanvas, typeSize } from "../parts.js";
import { Picture } from "../picture.js";
import { formatNumber, make } from "../shared.js";

const EXTENT_FROM = 200; // pixels of a matrix over which there is room for its real minimum and maximum too
const BESIDE = 6; // pixels between a colour bar and the number at its right end
const ONE_ROW = 1.25; // how much larger cells must be for panels to stand in two rows
const NARROW = 420; // pixels: on a phone one matrix fills the place

const isInside = ({ rows, cols }, { i, j }) => [[rows, i], [cols, j]].every(
  ([{ start, count, step }, token]) => token >= start && token < start + count * step);

/**
 * @typedef {{ i: number, j: number, index?: number, locked?: boolean }} Cursor in tokens
 * @typedef {{ lock: (cell: string, isStep: boolean) => void, pick: (panel: number) => void,
 *   zoom: (at: number[], isStep?: boolean) => void }} Owner at: a query, a key, and how many times closer; 0: all
 * @extends {Picture<import("./core.js").Message, Cursor>}
 */
export class Panels extends Picture {
  /** @type {import("./parts.js").Part[]} */ panels = [];
  /** @type {ReturnType<Panels["layoutIn"]>} */ layout;
  /** @type {import("./core.js").Message} what Python sent; `message` is what is shown, in a preview that of its value */ sent;
  /** @type {import("./core.js").Head[]} */ heads = [];
  /** @type {Float32Array[]} what is painted, one array a panel */ values = [];
  /** @type {Float32Array[]} where previews are computed, one a panel */ buffers = [];
  /** @type {import("./core.js").Message} that the layout is of */ placed;
  /** @type {number | null} the value of a hand that what is painted belongs to */ shown = null;
  pointed = 0; // the panel whose model the readout speaks of
  active = 0; // of thumbnails: the one the arrow keys stand on
  across = 1; // columns of the grid
  channel = ""; // of the hand that moved last
  /** @type {number[]} where there is no room for all panels: those that come first, the one seen last at the end */ front = [];

  /** @param {Owner & import("../hands/handed.js").Handed<any>} owner hears what is chosen in the matrices */
  constructor(host, owner) {
    super(host, "mv", owner);
    this.owner = owner;
    this.tabs = make("div", "tabs", { hidden: "" });
    this.parts.plots.before(this.tabs);
  }

  /** The numbers of the panels in sight: on a phone one, while presented two, else all. */
  inSight() {
    const { message, width, theme, front } = this, every = message.panels.map((_, index) => index);
    const flat = 2 * message.rows.count < message.cols.count; // flat ones stand one below the other
    const most = message.size !== "stage" || flat ? Infinity : width < NARROW ? 1 : theme.least ? 2 : Infinity;
    return every.length > most ? front.slice(-most).sort((a, b) => a - b) : every;
  }

  /** Bring a panel into sight, in the place of the one that was chosen first. */
  bring(index) {
    this.front = [...this.front.filter((other) => other !== index), index];
    this.layOut(false);
  }

  showTabs() {
    const sight = this.inSight(), all = sight.length === this.panels.length;
    this.tabs.hidden = all;
    if (all) this.tabs.replaceChildren();
    else if (!this.tabs.childElementCount) buildTabs(this.tabs, this.message, (index) => this.bring(index));
    this.parts.root.classList.toggle("single", !all && sight.length === 1);
    this.panels.forEach(({ figure }, index) => {
      figure.hidden = !sight.includes(index);
      this.tabs.children[index]?.setAttribute("aria-pressed", String(!figure.hidden));
    });
    if (!sight.includes(this.pointed)) this.pointed = sight[sight.length - 1];
  }

  receive(data) {
    const message = decode(data), { parts } = this, { panels, words } = message;
    const shape = JSON.stringify([panels.length, message.size, message.zoomable, words]);
    if (shape !== this.shape) {
      buildTools(parts.tools, words, (name) => this.act(name), message.zoomable);
      this.panels = buildPanels(parts.plots, message);
      this.tabs.replaceChildren();
      const given = message.front ?? [0, 1];
      this.front = [...message.panels.keys()].filter((index) => !given.includes(index)).concat(given);
      this.shape = shape;
    }
    this.pickable = message.picked !== null;
    this.sent = this.message = message;
    parts.root.classList.toggle("pick", this.pickable);
    parts.plots.setAttribute("role", this.pickable ? "listbox" : "application");
    parts.plots.setAttribute("aria-label", this.pickable ? words.pick_label : words.label);
    parts.alt.textContent = message.alt;
    this.showProblem("");
    parts.readout.hidden = !message.readout;
    if (this.pickable) this.describePanels(message);
    if (message.locked) { // else Python keeps no cell of this picture
      const [i, j] = message.locked;
      this.cursor = message.locked.length ? { i, j, locked: true } : this.cursor && { ...this.cursor, locked: false };
    }
    if (this.cursor && !isInside(message, this.cursor)) this.cursor = null;
    this.showPython();
    this.layOut();
  }

  handValue() {
    return this.shown;
  }

  /** The cursor, if what is shown has its cell. */
  seen() {
    return this.cursor && isInside(this.message, this.cursor) ? this.cursor : null;
  }

  /** An array to preview a panel into. */
  bufferOf(index, cells) {
    if (this.buffers[index]?.length !== cells) this.buffers[index] = new Float32Array(cells);
    return this.buffers[index];
  }

  describePanels({ panels, picked }) {
    this.panels.forEach(({ figure }, index) => {
      figure.id = `panel-${index}`;
      figure.setAttribute("role", "option");
      figure.setAttribute("aria-label", panels[index].title);
    });
    if (picked !== this.picked) this.active = picked;
    this.picked = picked;
    this.showPicked();
  }

  showPicked() {
    this.panels.forEach(({ figure }, index) => {
      figure.classList.toggle("picked", index === this.picked);
      figure.classList.toggle("active", index === this.active);
      figure.setAttribute("aria-selected", String(index === this.picked));
    });
    this.parts.plots.setAttribute("aria-activedescendant", `panel-${this.active}`);
  }

  showPython() {
    const { follows } = this.sent, follow = follows.find(({ channel }) => channel === this.channel) ?? follows[0];
    Object.assign(this, { source: "python", shown: follow?.value ?? null });
    this.display(this.sent);
  }

  /** Show a message: Python's, or one of the preview. */
  display(message) {
    Object.assign(this, { message, heads: message.models, values: message.panels.map((panel) => panel.values) });
    message.panels.forEach(({ title, caption }, index) => {
      const part = this.panels[index];
      part.title.textContent = title;
      if (this.tabs.children[index]) this.tabs.children[index].textContent = title;
      part.note.textContent = caption;
      showWhere(part, message, message.models[message.panels[index].model]?.total ?? 0);
    });
  }

  previewAt(message, follow, value) {
    return previewMessage(message, follow, value, (index, cells) => this.bufferOf(index, cells));
  }

  /**
   * A hand has moved: preview every panel that can be previewed; the others keep Python's last numbers. isKept: Python
   * will not answer, and the next value starts from this one.
   */
  follow(channel, value, isKept) {
    const { follows } = this.sent, follow = follows.find((other) => other.channel === channel);
    if (!follow) return;
    this.channel = channel;
    const preview = this.previewAt(this.sent, follow, value);
    if (preview) {
      Object.assign(this, { source: "preview", shown: value });
      this.display(preview);
    } else this.showPython();
    if (isKept) {
      const panels = this.message.panels.map((panel) => ({ ...panel, values: panel.values.slice() }));
      this.sent = { ...this.message, panels, follows: follows.map((other) => (other === follow ? { ...follow, value } : other)) };
      this.display(this.sent);
    }
    this.schedule();
  }

  /** Grid columns and the layout of a panel's canvas for the present width: of those to try, the largest cells. */
  arrange() {
    const { message } = this;
    this.arranged = false;
    this.placed = message;
    this.showTabs();
    if (message.size === "beside") return this.arrangeBeside();
    const grids = columnsFor(message.size, this.inSight().length, this.width)
      .map((across) => gridOf(message.size, across, this.width, message.fills));
    const layouts = grids.map((grid) => this.layoutIn(grid));
    const most = Math.max(...grids.map(({ across }) => across));
    // What fits comes first; then one row, which reads as a sum, unless cells in two would be much larger.
    const worth = layouts.map(({ cellWidth, fits }, at) => cellWidth * (fits ? 1 : 1e-6) * (grids[at].across === most ? ONE_ROW : 1));
    const best = worth.indexOf(Math.max(...worth));
    if (best < grids.length - 1) this.setGrid(grids[best]); // the last one tried is still set
    this.layout = layouts[best];
    const place = { paddingLeft: `${this.layout.left}px`, width: `${this.layout.width - 1}px` };
    for (const { scale } of this.panels) Object.assign(scale.style, place);
    return undefined;
  }

  /** Thumbnails beside the stage's matrix: as large as the place has room for, in a place of their own. */
  arrangeBeside() {
    const { message, width, parts } = this, { room } = parts;
    const title = Math.ceil(1.3 * typeSize(this.theme)), place = [message.panels.length, width - 8, room.offsetHeight - 8];
    const named = gridBeside(...place, title), bare = named.each < 2 * title; // too small for their numbers
    const grid = bare ? gridBeside(...place, 0) : named;
    parts.plots.classList.toggle("bare", bare);
    this.setGrid(grid);
    this.layout = { ...computeLayout(probe, message, grid.each, this.theme, grid.each), fits: true };
  }

  setGrid({ across, gap, each }) {
    const { parts } = this, columns = { gridTemplateColumns: `repeat(${across}, ${each}px)`, columnGap: `${gap}px` };
    // The gap of rows would also part a panel's title from its plot where the caption between them is low.
    Object.assign(parts.plots.style, columns, { rowGap: this.inSight().length > across ? "" : "0" });
    this.across = across;
  }

  /** The layout of a panel's canvas in such a grid, which is set: its titles are as high as they are there. */
  layoutIn(grid) {
    this.setGrid(grid);
    const room = this.roomFor(this.message, grid.across);
    const layout = computeLayout(probe, this.message, grid.each, this.theme, room);
    return { ...layout, fits: layout.height <= room + 1 };
  }

  /** On a stage: how tall a panel's canvas may be, beside all that stands above and below it. */
  roomFor({ size }, across) {
    if (size !== "stage") return Infinity;
    const { parts: { room, root, plots }, panels } = this, rows = Math.ceil(this.inSight().length / across);
    const heightOf = ({ title, caption, scale }) => (title.parentElement?.offsetHeight ?? 0) + caption.offsetHeight + scale.offsetHeight;
    const gap = parseFloat(getComputedStyle(plots).rowGap) || 0;
    const others = root.offsetHeight - plots.offsetHeight + Math.max(...panels.map(heightOf)) * rows + gap * (rows - 1) + 8;
    return (room.offsetHeight - others) / rows;
  }

  draw() {
    const { rows, cols } = this.message, { placed } = this; // another length may be dragged
    if (!sameAxis(rows, placed.rows) || !sameAxis(cols, placed.cols)) this.arrange();
    const { panels, message, theme, ratio, layout } = this;
    panels.forEach((part, index) => {
      const panel = message.panels[index];
      if (part.figure.hidden) return;
      paint(part.image, this.values[index], message.cols.count, message.rows.count, panel, theme.dark);
      const ctx = sizeCanvas(part.base, layout.width, layout.height, ratio, !this.arranged);
      const draw = this.arranged ? drawPlot : drawPanel; // ticks and labels stay while only values change
      if (this.arranged) ctx.clearRect(layout.left - 1, layout.top - 1, layout.plotWidth + 2, layout.plotHeight + 2);
      draw(ctx, layout, part.image, message, theme, ratio);
      this.paintScale(part, panel, this.values[index]);
    });
    this.arranged = true;
  }

  paintScale(part, panel, values) {
    const extent = range(values), { named, plotWidth } = this.layout, { size } = this.message;
    const [low, high] = [panel.low, panel.high].map((end) => formatNumber(end));
    const [least, most] = extent ? extent.map((end) => formatNumber(end)) : ["–", "–"];
    // A thumbnail has room for two numbers: the real ones. Its domain is in the title.
    part.low.textContent = named ? low : least;
    part.high.textContent = named ? high : most;
    const wide = size === "stage" ? plotWidth - part.high.offsetWidth - BESIDE : plotWidth; // its numbers stand beside it
    const ctx = sizeCanvas(part.strip, wide, named ? 14 : 11, this.ratio);
    drawBar(ctx, 0, 3, wide, named ? 8 : 5, panel, extent, this.theme);
    part.extremes = named && plotWidth >= EXTENT_FROM ? `min ${least} · max ${most}` : "";
    part.extent.textContent = size === "stage" ? "" : part.extremes;
    part.scale.title = `${low} … ${high}`;
    if (size === "beside") part.figure.title = `${part.title.textContent}: ${least} … ${most}`;
  }

  pictured() {
    return [this.parts.plots];
  }
}
