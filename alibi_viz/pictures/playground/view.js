// The playground: one store, and the views of it that move together. The browser computes each frame; when the hand lets
// go PyTorch computes the same, and its numbers are drawn.

import { formatSlope } from "../attention.js";
import { mirror, sizeCanvas, widthOf } from "../plot.js";
import { claim, clamp, formatNumber, isCombined, isStill, lookUp, make, mounting, pointIn } from "../shared.js";
import { filled } from "../text.js";
import { PictureBase } from "../hands/picture_base.js";
import { alike, PHONE } from "../hands/hands.js";
import { grab, gripOf, heroKey, hover, railKey } from "./gestures.js";
import { drawCurves, drawRail } from "./hero.js";
import { drawLines, measuredNear, timesAt } from "./lines.js";
import { buildMatrices, cellAt, drawMatrices } from "./matrices.js";
import { buildChips, drawChips, showLines, showReadout, showShare } from "./readout.js";
import { drawArcs, drawWords, layOutRow, sizesFor } from "../words_row.js";
import { Store } from "./store.js";

/** @import { Message } from "./message.d.ts" */

const FADE = 900, FADE_AFTER = 350; // ms

/** @extends {PictureBase<Message>} */
class Playground extends PictureBase {
  /** @type {Store} */ store = new Store(this.hands);
  /** @type {ReturnType<Playground["measured"]>} */ sizes;
  /** @type {ReturnType<typeof layOutRow>} */ places;
  over = 0; // the head that is pointed at
  near = 0; // the measured length at which the lines are drawn
  untouched = true;
  heads = 0; // the number of them before the hands moved
  fadesFrom = -Infinity; // time at which the bias comes on
  canvas = make("canvas", "arcs", { tabindex: "0", role: "slider", "aria-valuemin": "-10", "aria-valuemax": "1" });
  pull = make("button", "pull", { type: "button", role: "slider", "aria-valuemin": "1" });
  reset = make("button", "icon reset", { type: "button", disabled: "" }, "↺"); // its place is PNG's until something was changed
  png = make("button", "icon png", { type: "button" }, "⤓");
  share = make("span", "big");
  nearest = make("span", "key");
  plain = make("span", "key ghost");
  legend = make("div", "legend");
  hero = make("div", "hero", {}, this.canvas, this.legend, this.pull);
  madeUp = make("p", "made_up");
  read = make("p", "read", { role: "status" });
  note = make("p", "note", { role: "status" });
  chips = make("fieldset", "chips");
  pairs = make("div", "eq");
  said = make("p", "said");
  lines = make("canvas", "lines", { "aria-hidden": "true" }); // moved like the text, whose hand has keys
  plot = make("div", "plot", {}, this.lines);
  lower = make("div", "lower");
  /** @type {ReturnType<typeof buildMatrices>} */ matrices = [];

  constructor(host) {
    super(host, make("div", "playground"));
    this.root.append(this.trouble, this.alt);
  }

  /** PyTorch's numbers, and what the hands say of which they are. */
  take(message) {
    const { store } = this, isFirst = !this.message;
    this.message = message;
    if (isFirst) this.build();
    store.setWords(this.hands.read("text"));
    this.heads = store.heads;
    Object.assign(this.note, { textContent: message.note, hidden: !message.note });
    if (isFirst && !store.isChanged && !isStill()) this.fadesFrom = performance.now() + FADE_AFTER;
    this.layOut();
  }

  /** What stands once. */
  build() {
    const { root, hands, canvas, pull, reset, png, hero, legend, madeUp, chips, pairs, lower } = this;
    const { words } = this.message, title = (text) => make("h2", "", {}, text);
    canvas.ariaLabel = words.slope;
    pull.ariaLabel = words.pull_label;
    chips.ariaLabel = words.head;
    reset.ariaLabel = reset.title = words.reset;
    png.ariaLabel = png.title = hands.words.png_title;
    madeUp.textContent = words.made_up;
    legend.append(this.share, make("i", "swatch"), this.nearest, make("i", "swatch ghost"), this.plain);
    const axis = make("p", "hint", { "aria-hidden": "true" }, words.perplexity);
    const hint = make("p", "hint", {}, words.two_beats);
    this.matrices = buildMatrices(pairs, words);
    lower.append(
      make("div", "pairs", {}, title(words.pairs), pairs),
      make("div", "beat", {}, title(words.longer), this.said, axis, this.plot, hint),
    );
    const controls = make("div", "controls", {}, hands.row, reset, png);
    root.append(make("div", "stage", {}, controls, hero, this.read, this.note, chips, lower));
    this.listen();
  }

  /** The parts may have other sizes, or other colours. */
  arrange() {
    const { root, theme, hands, store, chips, hero, legend, madeUp, message: { words } } = this;
    root.classList.toggle("present", theme.least > 0);
    if (root.clientWidth < PHONE) hero.before(madeUp); // beside the arcs there is no room
    else legend.append(madeUp);
    if (chips.childElementCount !== store.heads) {
      buildChips(chips, store.heads, words, (head) => hands.choose({ head }));
    }
    for (const name of ["query", "bias", "quiet"]) root.style.setProperty(`--${name}`, theme[name]);
    this.sizes = this.measured();
    this.near = 0;
  }

  /** Its parts are as high as the window lets them be. */
  onResize() {
    this.layOut(false);
  }

  /** Whether the message belongs to what the hands say. */
  get isPython() {
    return alike(this.message.hands.values, this.hands.values) && !this.hands.isRefused;
  }

  // Changes.

  /** The hands say something else. Another number of heads has other slopes. */
  moved() {
    const { values } = this.hands, heads = Number(values.heads);
    if (heads !== this.heads) Object.assign(values, { slopes: "", head: Math.min(Number(values.head), heads) });
    this.heads = heads;
    this.untouched = false;
    this.store.setWords(this.hands.read("text"));
    this.schedule();
  }

  /** A key, which counts along the words: where these run from right to left, so do the arrows. */
  key(event, use) {
    const turned = this.store.isLeftward && lookUp({ ArrowLeft: "ArrowRight", ArrowRight: "ArrowLeft" }, event.key);
    if (isCombined(event) || !use(this.store, turned || event.key, event.shiftKey)) return;
    claim(event);
    this.hands.releaseLater();
  }

  listen() {
    const { store, hands, canvas, pull, lines } = this;
    for (const part of [this.hero, this.pairs, this.plot]) this.observer.observe(part);
    this.png.onclick = () => this.act("png");
    this.reset.onclick = () => {
      store.reset();
      hands.release();
    };
    hands.drag(canvas, (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.point(event));
    canvas.addEventListener("pointerleave", (event) => {
      if (!hands.isDragging && event.pointerType === "mouse") this.leave();
    });
    canvas.addEventListener("keydown", (event) => this.key(event, heroKey));
    hands.drag(pull, () => (event) => store.setTimes(this.places.rail.times(this.pointOn(event)[0])));
    pull.addEventListener("keydown", (event) => this.key(event, railKey));
    hands.drag(lines, (event) => {
      const pullTo = (moved) => store.setTimes(this.stopAt(pointIn(lines, moved)[0]), 0);
      pullTo(event);
      return pullTo;
    });
    for (const { canvas: matrix } of this.matrices) this.listenTo(matrix);
  }

  /** The measured length under a pixel of the plot, as far as the text can be pulled. */
  stopAt(px) {
    const { lines } = this.message;
    return measuredNear(lines, timesAt(lines, this.plot.clientWidth, px, this.theme));
  }

  /** A place across the hero, along its words; and the other way round. */
  across(x) {
    return this.store.isLeftward ? this.canvas.clientWidth - x : x;
  }

  /** The place of a pointer on the hero, along its words. @returns {[number, number]} */
  pointOn(event) {
    const [x, y] = pointIn(this.canvas, event);
    return [this.across(x), y];
  }

  press(event) {
    const pull = grab(this.store, this.places, ...this.pointOn(event), event.pointerType);
    const follow = (moved) => {
      pull(...this.pointOn(moved));
      this.schedule();
    };
    follow(event);
    return follow;
  }

  /** A pointer over the hero that holds nothing. */
  point(event) {
    if (this.hands.isDragging || event.pointerType !== "mouse" || !this.places) return;
    const [x, y] = this.pointOn(event), { head, cursor } = hover(this.store, this.places, x, y);
    this.over = head;
    this.canvas.style.cursor = cursor;
    this.schedule();
  }

  leave() {
    this.over = 0;
    this.store.point(null);
    this.schedule();
  }

  /** A matrix: the cell under the pointer is the cursor of all; a click makes its query the query. */
  listenTo(matrix) {
    const { store } = this;
    const cell = (event) => {
      const [x, y] = pointIn(matrix, event), { count } = store, query = cellAt(y, matrix.clientHeight, count);
      store.point(Math.min(query, cellAt(x, matrix.clientWidth, count)), query);
      this.schedule();
    };
    matrix.addEventListener("pointermove", cell);
    matrix.addEventListener("pointerleave", () => this.leave());
    matrix.addEventListener("click", (event) => {
      cell(event);
      const { cursor, query } = store;
      store.setQuery(query);
      store.point(cursor);
      this.hands.release();
    });
  }

  // Drawing.

  /** Read once, and not in every frame: the browser would have to lay out the page in the midst of it. */
  measured() {
    const { hero, chips, plot, pairs } = this, [chip] = chips.children, [matrix] = pairs.children;
    const sizeOf = ({ clientWidth: width, clientHeight: height }) => ({ width, height });
    return { hero: sizeOf(hero), chip: sizeOf(chip), plot: sizeOf(plot), matrix: matrix.clientWidth };
  }

  /** The query's weights in every head and without ALiBi: PyTorch's where it has computed them, else the same ones computed here. */
  weights() {
    const { store, message } = this, at = [...Array(store.heads).keys()], width = store.query + 1;
    if (this.isPython && store.fade === 1 && store.peek === null) {
      return { rows: at.map((head) => message.rows.subarray(head * width, (head + 1) * width)), plain: message.plain };
    }
    return {
      rows: at.map((head) => store.weights(store.query, store.rate(head + 1))),
      plain: store.weights(store.query, 0),
    };
  }

  /** The bias comes on by itself, once. While it does, no number is shown. */
  fade() {
    const { store, root } = this, share = this.untouched ? clamp((performance.now() - this.fadesFrom) / FADE, 0, 1) : 1;
    store.fade = share * share * (3 - 2 * share);
    root.classList.toggle("fading", store.fade < 1);
  }

  draw() {
    const { store, message: { words, lines, matrix }, chips, ratio } = this;
    this.fade();
    if (chips.childElementCount !== store.heads) this.arrange();
    const { theme: ink, sizes } = this, { rows, plain } = this.weights(), row = rows[store.head - 1];
    if (!sizes.hero.width) return;
    this.showControls();
    this.drawHero(row, plain);
    drawChips(chips, store, rows, sizes.chip, ink, words, ratio);
    const python = this.isPython && store.fade === 1 ? matrix : null;
    drawMatrices(this.matrices, store, python, sizes.matrix, ink, words, ratio);
    const near = measuredNear(lines, store.times);
    if (near !== this.near) drawLines(this.lines, sizes.plot, this.message, near, ink, ratio);
    this.near = near;
    showReadout(this.read, store, row, words);
    showShare(this, store, row, plain, words);
    showLines(this, this.message, near);
    this.source = this.isPython ? "python" : "preview";
    this.root.dataset.source = this.source; // for who looks from outside
  }

  painted() {
    if (this.store.fade < 1) this.schedule();
  }

  drawHero(row, plain) {
    const { canvas, store, theme: ink, sizes: { hero: { width, height: tall } }, message: { words } } = this;
    const screen = sizesFor({ width, tall, small: this.width < PHONE, large: ink.least > 0 });
    const ctx = sizeCanvas(canvas, width, tall, this.ratio);
    if (store.isLeftward) mirror(ctx, width);
    const places = this.places = layOutRow(store, screen, (word) => widthOf(ink, word, screen.type, 600));
    drawArcs(ctx, store, places, ink, row, plain);
    drawCurves(ctx, store, places, ink, words, this.over, this.untouched);
    drawWords(ctx, store, places, ink, row, plain);
    drawRail(ctx, store, places, ink, words);
    const grip = gripOf(store, places);
    if (grip) canvas.dataset.grip = `${this.across(grip.x) / width},${grip.y / tall}`; // for who looks from outside
    Object.assign(this.pull.style, { left: `${this.across(places.rail.x)}px`, top: `${places.rail.y}px` });
    this.legend.classList.toggle("left", (store.count > store.length) !== store.isLeftward);
  }

  showControls() {
    const { store, message: { words }, reset, pull, canvas } = this;
    reset.disabled = !store.isChanged;
    pull.hidden = store.most <= 1;
    const slope = store.slope(), values = { count: String(store.count), times: formatNumber(store.times) };
    Object.assign(canvas, { ariaValueNow: Math.log2(slope).toFixed(2), ariaValueText: formatSlope(slope, true) });
    Object.assign(pull, { ariaValueMax: String(store.most), ariaValueNow: String(store.times) });
    pull.ariaValueText = filled(words.pulled, (name) => values[name]);
  }

  pictured() {
    const { hero, madeUp, read, chips, lower } = this;
    return [...(hero.contains(madeUp) ? [] : [madeUp]), hero, read, chips, lower];
  }
}

export default mounting(Playground);
