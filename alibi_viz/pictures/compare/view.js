// Position methods side by side: a column each, and below them what each adds against distance. One cursor runs through all.

import { PHONE } from "../hands/hands.js";
import { paint, paintScale } from "../heatmap.js";
import { CursorPicture } from "../cursor_picture.js";
import { lettersOn, percent, signed, typeSize } from "../plot.js";
import { addressOf, clamp, lookUp, make, mounting, pointIn } from "../shared.js";
import { joined } from "../text.js";
import { COLOURS, DEEPEST, drawCurves, drawMatrix, drawPerplexity, imagesOf } from "./draw.js";

const STEPS = { vector: "embeddings", query_key: "queries_and_keys", score: "scores" };
const OF_TEXT = ["content", "text", "times"]; // hands that change the words: a locked pair is then of other ones
const NARROW = 820, ACROSS = 3; // pixels below which three columns stand across
const NARROWEST = 340; // and two
const LEAST = 64; // pixels: of a matrix
const MEASURED = 38; // pixels: the height of the perplexities
const FURTHER_DOWN = 34; // pixels that a page has below its stage: here the picture takes them

/**
 * @import { Column, Message } from "./message.d.ts"
 * @typedef {{ query: number, key: number }} Pair of positions
 */

/** @extends {CursorPicture<Message, Pair & { locked?: boolean }>} */
class Compare extends CursorPicture {
  /** @type {ReturnType<Compare["column"]>[]} */ parts = [];
  cursor = { query: 0, key: 0, locked: false }; // it never leaves
  marked = ""; // the name of the method that is pointed at
  side = 0; // pixels: of a matrix
  high = 0; // of the curves
  /** @type {ReturnType<typeof drawCurves> | null} */ plot = null;
  columns = make("div", "columns");
  hint = make("span", "hint");
  axis = make("span", "axis", { "aria-hidden": "true" }); // of the curves, whose numbers stand below it
  curves = make("canvas", "curves", { "aria-hidden": "true" });
  legend = make("div", "legend", { "aria-hidden": "true" });

  constructor(host) {
    super(host, "compare");
    const { root, trouble, plots, columns, readout, curves, legend } = this;
    root.setAttribute("role", "group");
    this.tools.before(legend);
    plots.append(columns, readout, curves);
    root.prepend(this.hands.row, this.hands.foot, this.hands.advanced, trouble);
    if (this.alone) { // only Python answers them
      for (const part of [this.hands.row, this.hands.presets, this.hands.more]) part.remove();
    }
    for (const kind of ["pointerover", "pointerleave"]) columns.addEventListener(kind, (event) => this.mark(event));
  }

  /** PyTorch's numbers, of all columns at once. */
  take(message) {
    const { columns } = message;
    const before = this.message, { words } = message, cell = String(this.hands.values.cell || "");
    const isSame = before && OF_TEXT.every((key) => before.hands.values[key] === message.hands.values[key]);
    this.message = message;
    const [query, key] = cell ? cell.split(",").map(Number) : message.pair;
    this.cursor = { ...(isSame && !cell ? this.nearest(this.cursor) : { query, key }), locked: Boolean(cell) };
    this.plots.setAttribute("aria-label", words.label);
    this.axis.textContent = words.added;
    const { activeElement } = /** @type {ShadowRoot} */ (this.root.getRootNode());
    const focused = this.parts.findIndex(({ root }) => root.contains(activeElement));
    this.parts = columns.map((column, at) => this.column(column, at));
    this.columns.replaceChildren(...this.parts.map(({ root }) => root));
    this.parts[focused]?.root.querySelector("select")?.focus();
    this.look = ""; // the images are of these numbers
    this.layOut();
  }

  /** The elements of a column. @param {Column} column */
  column(column, at) {
    const { words, methods } = this.message, hidden = { "aria-hidden": "true" };
    const href = column.page && addressOf(this.root, column.page);
    const name = make("a", "name", href ? { href } : {}, column.name);
    name.addEventListener("click", (event) => {
      if (this.alone || event.ctrlKey || event.metaKey || event.shiftKey || !href) return;
      event.preventDefault();
      this.trigger("open", column.method); // the page is turned without being loaded again
    });
    const options = methods.map(([value, title]) => make("option", "", { value }, title));
    const swap = make("select", "swap", { "aria-label": words.swap.replace("{name}", column.name) }, ...options);
    swap.value = column.method;
    swap.addEventListener("change", () => this.swapIn(at, swap.value));
    const change = make("span", "change", {}, "▾", swap);
    change.hidden = this.alone;
    const steps = Object.entries(STEPS).map(([step, place]) =>
      make("span", column.acts_on === place ? "on" : "", {}, words[step])
    );
    const added = make("canvas", "matrix added", hidden), weights = make("canvas", "matrix weights", hidden);
    const measured = make("canvas", "", hidden), sum = make("div", "sum");
    const origin = make("div", "origin", { title: column.about }, column.origin);
    const root = make(
      "section",
      "column",
      {},
      make("div", "head", {}, name, change),
      make("div", "steps", {}, ...steps),
      make("div", "adds", {}, column.adds),
      make("div", "both", {}, added, origin, weights, make("div", "ended", {}, column.problem)),
      sum,
      make("div", "measured", {}, make("div", "caption", {}, at ? "" : words.perplexity), measured),
    );
    const images = { added: make("canvas"), weights: make("canvas") };
    return { root, sum, matrices: { added, weights }, measured, images };
  }

  /** Another method in a column; if it stands in another one, the two change places. */
  swapIn(at, method) {
    const methods = this.message.columns.map((column) => column.method), other = methods.indexOf(method);
    if (other >= 0) methods[other] = methods[at];
    methods[at] = method;
    this.hands.choose({ methods: methods.join(",") });
  }

  /** The hands have moved: what they say is not known before PyTorch has answered. */
  moved() {
    const { values } = this.hands, before = this.message?.hands.values ?? {};
    if (OF_TEXT.some((key) => values[key] !== before[key])) {
      values.cell = "";
      this.cursor.locked = false;
    }
    this.arrange();
  }

  // The cursor.

  get samples() {
    return this.message.positions.length;
  }

  /** Positions between two samples. */
  get stride() {
    return Math.ceil(this.message.count / this.samples);
  }

  /** Where a position stands among the samples, which are a step apart. */
  place(position) {
    return (position - this.message.positions[0]) / this.stride;
  }

  /** The keys of a query of which there are numbers, nearest last. */
  keysOf(query) {
    const { message } = this;
    return query === message.query
      ? Array.from({ length: query + 1 }, (_, at) => at)
      : Array.from(message.positions).filter((at) => at <= query);
  }

  /** The nearest pair of which there are numbers. @param {Pair} pair @returns {Pair} */
  nearest({ query, key }) {
    const { positions, query: whole } = this.message;
    const row = query === whole ? whole : closest(Array.from(positions), query);
    return { query: row, key: closest(this.keysOf(row), key) };
  }

  /** Content, what a column adds, and the weight of a pair; null where its positions have ended. @param {Column} column @param {Pair} pair */
  scoreOf({ acts_on: place, cells, row, logsum, row_logsum: sum }, { query, key } = this.cursor) {
    const { message } = this, nothing = place === "nothing";
    const [at, column] = [query, key].map((position) => Math.round(this.place(position)));
    const pair = (at * (at + 1)) / 2 + column;
    const [content, own, total] = query === message.query
      ? [message.row[key], row[key], sum]
      : [message.content[pair], cells[pair], logsum[at]];
    const added = nothing ? 0 : own;
    return added === undefined
      ? null
      : { content, added, weight: Number(Math.exp(content + added - total).toPrecision(6)) }; // 1/16 is 6.3% in every head
  }

  /** The pair under an event on a matrix; on the curves the query stays. */
  hit(event) {
    const { curves, plot, samples, side, cursor: { query }, message: { positions } } = this;
    if (event.target === curves && plot) {
      return { query, key: closest(this.keysOf(query), query - plot.xAt(pointIn(curves, event)[0])) };
    }
    const canvas = event.target.closest?.("canvas.matrix");
    if (!canvas) return null;
    const [column, row] = pointIn(canvas, event).map((at) => clamp(Math.floor((at / side) * samples), 0, samples - 1));
    return column > row ? null : { query: positions[row], key: positions[column] };
  }

  numbersOf({ query, key }) {
    return [query, key];
  }

  move(cursor) {
    if (!cursor) return; // the pointer has left
    super.move(cursor);
    this.schedule();
  }

  lockAt([query, key]) {
    if (query < this.message.count) this.move({ query, key: Math.min(query, key), locked: true });
    else this.hands.set({ cell: "" });
  }

  mark(event) {
    const at = event.type === "pointerleave" ? -1 : this.parts.findIndex(({ root }) => root.contains(event.target));
    const name = this.message?.columns[at]?.name ?? "";
    if (name === this.marked) return;
    this.marked = name;
    this.schedule();
  }

  onKey(event) {
    if (event.target === this.plots) super.onKey(event); // not those of a list in a column
  }

  useKey(event) {
    return event.key === "Escape" && !this.cursor.locked ? false : super.useKey(event);
  }

  first() {
    return this.cursor;
  }

  step({ key: name, shiftKey }, { query, key }) {
    const { positions, query: whole } = this.message, keys = this.keysOf(query), at = keys.indexOf(key);
    const far = shiftKey ? 8 : 1, all = Array.from(positions);
    const rows = query === whole ? [...new Set([...all, whole])].sort((a, b) => a - b) : all;
    const along = lookUp({ ArrowLeft: at - far, ArrowRight: at + far, Home: 0, End: keys.length - 1 }, name);
    const down = lookUp({ ArrowUp: -far, ArrowDown: far, PageUp: -8, PageDown: 8 }, name);
    if (along !== undefined) return { query, key: keys[clamp(along, 0, keys.length - 1)] };
    if (!down) return null;
    return this.nearest({ query: rows[clamp(rows.indexOf(query) + down, 0, rows.length - 1)], key });
  }

  // Drawing.

  /** Columns side by side; matrices and curves share the height that is left. */
  arrange() {
    const { root, message, columns, curves, ruler, parts, theme } = this, wide = root.clientWidth;
    if (!message || !wide) return;
    const look = JSON.stringify(theme), isPhone = wide < PHONE, type = typeSize(theme, 13);
    const rows = wide >= NARROW || parts.length <= ACROSS ? 1 : wide >= NARROWEST ? 2 : 3;
    if (look !== this.look) this.colour();
    this.say(); // it takes its lines of the height
    this.look = look;
    root.classList.toggle("narrow", isPhone);
    root.classList.toggle("measures", Boolean(this.hands.values.measured));
    root.classList.remove("beside");
    root.dataset.shown = String(this.hands.values.stage); // on a phone, where there is room for one matrix
    columns.style.setProperty("--across", String(Math.ceil(parts.length / rows)));
    columns.style.setProperty("--side", `${LEAST}px`);
    curves.style.height = "0px";
    const low = parts.length * (type + 2) + 3 * type; // of the curves: a line of type for each name
    const free = ruler.offsetHeight + (theme.least ? 0 : FURTHER_DOWN) - root.offsetHeight + 2 * LEAST;
    const across = parts[0].root.clientWidth, half = across / 2 - 4, below = Math.min(across, (free - low) / 2);
    const isBeside = !isPhone && (rows > 1 || Math.min(half, free - low) > 0.85 * below);
    root.classList.toggle("beside", isBeside);
    this.side = Math.floor(isPhone ? across : clamp(isBeside ? half : below, LEAST, 360));
    this.high = Math.round(isPhone ? 210 : clamp(free - (isBeside ? 1 : 2) * this.side, low, 460));
    columns.style.setProperty("--side", `${this.side}px`);
    curves.style.height = `${this.high}px`;
    this.drawLegend();
    this.schedule();
  }

  /** The images of the matrices, in the theme's colours. */
  colour() {
    const { message: { columns, content }, samples, parts, theme: ink } = this;
    columns.forEach((column, at) => {
      const { root, images } = parts[at], colour = this.colourOf(column), values = imagesOf(column, content, samples);
      root.style.setProperty("--c", colour);
      root.style.setProperty("--on", lettersOn(colour));
      for (const kind of /** @type {["added", "weights"]} */ (["added", "weights"])) {
        paint(images[kind], values[kind], samples, samples, COLOURS[kind], ink.dark);
      }
    });
  }

  draw() {
    const { message, parts, theme: ink, side, samples, cursor: { query, key }, curves, high, marked, ratio } = this;
    if (!side) return;
    const { columns, count, tokens, words, perplexities } = message, times = count / tokens.length;
    const once = tokens.length / this.stride, at = { query: this.place(query), key: this.place(key) };
    const names = /** @type {[string, string]} */ ([this.label(query), this.label(key)]);
    const place = { ink, ratio, side, samples, once, names, ...at }, measures = Boolean(this.hands.values.measured);
    columns.forEach((column, number) => {
      const { matrices, images, sum, measured, root } = parts[number], colour = this.colourOf(column);
      for (const kind of ["added", "weights"]) {
        if (!matrices[kind].clientWidth) continue;
        drawMatrix(matrices[kind], images[kind], place, kind === "added" || !matrices.added.clientWidth);
      }
      sum.replaceChildren(...sumOf(this.scoreOf(column), column));
      const size = { wide: root.clientWidth, high: MEASURED, ink, ratio, colour };
      if (measures) drawPerplexity(measured, size, column.perplexity, perplexities, times, words);
    });
    const lines = columns.map((column) => this.curveOf(column));
    const size = { query, key, once: tokens.length, marked, wide: this.root.clientWidth, high, ink, ratio };
    this.plot = drawCurves(curves, lines, size, words);
    this.say();
  }

  /** @param {Column} column */
  colourOf({ colours }) {
    return colours[Number(this.theme.dark)];
  }

  /** What a column adds to the score of each key of the query. */
  curveOf(column) {
    const { query } = this.cursor, { name, is_strong: isStrong } = column;
    const values = this.keysOf(query).map((key) => [query - key, this.scoreOf(column, { query, key })?.added])
      .reverse();
    const points = /** @type {[number, number][]} */ (values.filter(([, added]) => added !== undefined));
    const at = this.scoreOf(column)?.added ?? null;
    return { name, colour: this.colourOf(column), wide: isStrong ? 3 : 1.8, at, points };
  }

  /** The colour bars: what is added, and weights. */
  drawLegend() {
    const { legend, theme: ink, message: { words } } = this,
      ends = { added: [`−${DEEPEST}`, `+${DEEPEST}`], weights: ["0", "100%"] };
    legend.replaceChildren(
      ...Object.entries(ends).flatMap(([kind, [low, high]]) => {
        const bar = make("canvas", "colours");
        paintScale(bar, COLOURS[kind], ink.dark);
        return [make("span", "", {}, words[kind]), make("span", "end", {}, low), bar, make("span", "end", {}, high)];
      }),
    );
  }

  // Words.

  /** What a position is called in a sentence, and at a row: one word everywhere has its number alone. */
  word(position) {
    const { named, words } = this.message;
    return named ? this.label(position) : words.nth.replace("{n}", String(position + 1));
  }

  label(position) {
    const { tokens, named } = this.message;
    return named ? tokens[position % tokens.length] : String(position + 1);
  }

  say() {
    const { message: { words, columns }, readout, hint, axis, stride, cursor: { locked } } = this;
    const ask = locked ? "" : matchMedia("(hover: none)").matches ? words.tap : words.point;
    const sampled = stride > 1 ? words.sampled.replace("{step}", String(stride)) : "";
    hint.textContent = joined([ask, sampled, words.height].filter(Boolean), words.sentences);
    this.showReadout(words.pair);
    const said = readout.textContent,
      sums = columns.map(({ name }, at) => joined([name, this.parts[at].sum.textContent ?? ""], words.colon));
    readout.append(hint, axis);
    this.speak(joined([said, ...sums], words.stop));
  }

  placeholder(name) {
    const { query, key } = this.cursor;
    return { query: this.word(query), key: this.word(key), distance: String(query - key) }[name];
  }

  pictured() {
    return [this.plots];
  }
}

/** “2.00 − 3.50 → 2.1%”, as the children of an element. */
function sumOf(numbers, { acts_on: place }) {
  if (!numbers) return ["–"];
  const { content, added, weight } = numbers,
    more = place === "nothing" ? "" : `${added <= -0.005 ? "−" : "+"} ${Math.abs(added).toFixed(2)} `;
  return [`${signed(content)} ${more}`, make("span", "weight", {}, `→ ${percent(weight)}`)];
}

const closest = (numbers, wanted) =>
  numbers.reduce((best, at) => (Math.abs(at - wanted) < Math.abs(best - wanted) ? at : best), numbers[0]);

export default mounting(Compare);
