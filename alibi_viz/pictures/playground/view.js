// The playground: one store, and the views of it that move together. The browser computes each frame; when the hand lets
// go PyTorch computes the same, and its numbers are drawn.

import { formatSlope } from "../attention.js";
import { mirror, probe, setFont, sizeCanvas } from "../plot.js";
import { claim, clamp, formatNumber, isCombined, isStill, make, mounting, pointIn } from "../shared.js";
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

/** The elements under the row of hands; those of the chips follow the heads. @param {import("../hands/hands.js").Hands} hands @param {Record<string, string>} words */
function build(root, hands, words) {
  const button = (name, sign, title, more = {}) =>
    make("button", `icon ${name}`, { type: "button", title, "aria-label": title, ...more }, sign);
  const canvas = make("canvas", "arcs", {
    tabindex: "0",
    role: "slider",
    "aria-label": words.slope,
    "aria-valuemin": "-10",
    "aria-valuemax": "1",
  });
  const pull = make("button", "pull", {
    type: "button",
    role: "slider",
    "aria-label": words.pull_label,
    "aria-valuemin": "1",
  });
  const reset = button("reset", "↺", words.reset, { disabled: "" }); // its place is PNG's until something was changed
  const png = button("png", "⤓", hands.words.png_title);
  const big = make("span", "big"), near = make("span", "key"), plain = make("span", "key ghost");
  const legend = make("div", "legend", {}, big, make("i", "swatch"), near, make("i", "swatch ghost"), plain);
  const hero = make("div", "hero", {}, canvas, legend, pull), madeUp = make("p", "made_up", {}, words.made_up);
  const read = make("p", "read", { role: "status" }), note = make("p", "note", { role: "status" });
  const chips = make("fieldset", "chips", { "aria-label": words.head });
  const eq = make("div", "eq"), pairs = make("div", "pairs", {}, make("h2", "", {}, words.pairs), eq);
  const lines = make("canvas", "lines", { "aria-hidden": "true" }); // moved like the text, whose hand has keys
  const said = make("p", "said"), plot = make("div", "plot", {}, lines), hint = make("p", "hint", {}, words.two_beats);
  const axis = make("p", "hint", { "aria-hidden": "true" }, words.perplexity);
  const beat = make("div", "beat", {}, make("h2", "", {}, words.longer), said, axis, plot, hint);
  const lower = make("div", "lower", {}, pairs, beat);
  const controls = make("div", "controls", {}, hands.row, reset, png);
  root.append(make("div", "stage", {}, controls, hero, read, note, chips, lower));
  const matrices = buildMatrices(eq, words);
  return {
    hero,
    lower,
    reset,
    png,
    canvas,
    legend,
    big,
    near,
    plain,
    madeUp,
    pull,
    read,
    chips,
    eq,
    said,
    plot,
    lines,
    note,
    matrices,
  };
}

/** @extends {PictureBase<Message>} */
class Playground extends PictureBase {
  /** @type {Store} */ store = new Store(this.hands);
  /** @type {ReturnType<typeof build>} */ parts;
  /** @type {ReturnType<Playground["measured"]>} */ sizes;
  /** @type {ReturnType<typeof layOutRow>} */ places;
  over = 0; // the head that is pointed at
  near = 0; // the measured length at which the lines are drawn
  untouched = true;
  heads = 0; // the number of them before the hands moved
  fadesFrom = -Infinity; // time at which the bias comes on

  constructor(host) {
    super(host, make("div", "playground"));
    this.root.append(this.trouble, this.alt);
  }

  /** PyTorch's numbers, and what the hands say of which they are. */
  take(message) {
    const { store, root } = this, isFirst = !this.message;
    if (isFirst) {
      this.parts = build(root, this.hands, message.words);
      this.listen();
    }
    store.setWords(this.hands.read("text"));
    this.message = message;
    this.heads = store.heads;
    this.alt.textContent = message.alt;
    this.parts.note.textContent = message.note;
    root.classList.toggle("present", message.presenting);
    if (isFirst && !store.isChanged && !isStill()) this.fadesFrom = performance.now() + FADE_AFTER;
    this.layOut();
  }

  /** The parts may have other sizes, or other colours. */
  arrange() {
    const { hands, store, parts: { chips, hero, legend, madeUp }, message: { words } } = this;
    if (this.root.clientWidth < PHONE) hero.before(madeUp); // beside the arcs there is no room
    else legend.append(madeUp);
    if (chips.childElementCount !== store.heads) {
      buildChips(chips, store.heads, words, (head) => hands.choose({ head }));
    }
    for (const name of ["query", "bias", "quiet"]) this.root.style.setProperty(`--${name}`, this.theme[name]);
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

  /** A key as it counts along the words: where these run from right to left, so do the arrows. */
  along(key) {
    return (this.store.isLeftward && { ArrowLeft: "ArrowRight", ArrowRight: "ArrowLeft" }[key]) || key;
  }

  key(event, change) {
    if (isCombined(event) || change() === false) return;
    claim(event);
    this.hands.releaseLater();
  }

  listen() {
    const { parts, store, hands } = this, { canvas, pull, lines } = parts;
    for (const part of [parts.hero, parts.eq, parts.plot]) this.observer.observe(part);
    parts.png.onclick = () => this.act("png");
    parts.reset.onclick = () => {
      store.reset();
      hands.release();
    };
    hands.drag(canvas, (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.point(event));
    canvas.addEventListener("pointerleave", (event) => {
      if (!hands.isDragging && event.pointerType === "mouse") this.leave();
    });
    canvas.addEventListener(
      "keydown",
      (event) => this.key(event, () => heroKey(store, this.along(event.key), event.shiftKey)),
    );
    hands.drag(pull, () => (event) => store.setTimes(this.places.rail.times(this.pointOn(event)[0])));
    pull.addEventListener("keydown", (event) => this.key(event, () => railKey(store, this.along(event.key))));
    hands.drag(lines, (event) => {
      const pullTo = (moved) => store.setTimes(this.stopAt(pointIn(lines, moved)[0]), 0);
      pullTo(event);
      return pullTo;
    });
    for (const { canvas: matrix } of parts.matrices) this.listenTo(matrix);
  }

  /** The measured length under a pixel of the plot, as far as the text can be pulled. */
  stopAt(px) {
    const { lines, presenting } = this.message;
    return measuredNear(lines, timesAt(lines, this.parts.plot.clientWidth, px, this.theme, presenting));
  }

  /** A place across the hero, along its words; and the other way round. */
  across(x) {
    return this.store.isLeftward ? this.parts.canvas.clientWidth - x : x;
  }

  /** The place of a pointer on the hero, along its words. */
  pointOn(event) {
    const [x, y] = pointIn(this.parts.canvas, event);
    return [this.across(x), y];
  }

  press(event) {
    const [left, top] = this.pointOn(event);
    const pull = grab(this.store, this.places, left, top, event.pointerType);
    const follow = (moved) => {
      const [x, y] = this.pointOn(moved);
      pull(x, y);
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
    this.parts.canvas.style.cursor = cursor;
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
    const { hero, chips, matrices, plot } = this.parts,
      sizeOf = ({ clientWidth: width, clientHeight: height }) => ({ width, height });
    const panel = /** @type {HTMLElement} */ (matrices[0].canvas.parentElement);
    return {
      root: this.root.clientWidth,
      hero: sizeOf(hero),
      chip: sizeOf(chips.children[0]),
      plot: sizeOf(plot),
      matrix: panel.clientWidth,
    };
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
    const { parts, store, message: { words, lines, matrix, presenting }, ratio } = this;
    this.fade();
    if (parts.chips.childElementCount !== store.heads) this.arrange();
    const { theme: ink, sizes } = this, { rows, plain } = this.weights(), row = rows[store.head - 1];
    if (!sizes.hero.width) return;
    this.showControls();
    this.drawHero(row, plain, sizes);
    drawChips(parts.chips, store, rows, sizes.chip, ink, words, ratio);
    drawMatrices(
      parts.matrices,
      store,
      this.isPython && store.fade === 1 ? matrix : null,
      sizes.matrix,
      ink,
      words,
      ratio,
    );
    const near = measuredNear(lines, store.times);
    if (near !== this.near) drawLines(parts.lines, sizes.plot, this.message, near, ink, ratio, presenting);
    this.near = near;
    showReadout(parts.read, store, row, words);
    showShare(parts, store, row, plain, words);
    showLines(parts, this.message, near);
    this.source = this.isPython ? "python" : "preview";
    this.root.dataset.source = this.source; // for who looks from outside
  }

  painted() {
    if (this.store.fade < 1) this.schedule();
  }

  drawHero(row, plain, { root, hero: { width, height: tall } }) {
    const { parts, store, theme: ink, message: { words, presenting } } = this;
    const screen = sizesFor({ width, tall, small: root < PHONE, large: presenting }),
      ctx = sizeCanvas(parts.canvas, width, tall, this.ratio);
    if (store.isLeftward) mirror(ctx, width);
    setFont(probe, ink, 600, screen.type);
    const places = this.places = layOutRow(store, screen, (word) => probe.measureText(word).width);
    drawArcs(ctx, store, places, ink, row, plain);
    drawCurves(ctx, store, places, ink, words, this.over, this.untouched);
    drawWords(ctx, store, places, ink, row, plain);
    drawRail(ctx, store, places, ink, words);
    const grip = gripOf(store, places);
    if (grip) parts.canvas.dataset.grip = `${this.across(grip.x) / width},${grip.y / tall}`; // for who looks from outside
    Object.assign(parts.pull.style, { left: `${this.across(places.rail.x)}px`, top: `${places.rail.y}px` });
    parts.legend.classList.toggle("left", (store.count > store.length) !== store.isLeftward);
  }

  showControls() {
    const { store, message: { words }, parts: { reset, pull, canvas } } = this;
    reset.disabled = !store.isChanged;
    pull.hidden = store.most <= 1;
    canvas.setAttribute("aria-valuenow", Math.log2(store.slope()).toFixed(2));
    canvas.setAttribute("aria-valuetext", formatSlope(store.slope(), true));
    const said = words.pulled.replace("{count}", String(store.count)).replace("{times}", formatNumber(store.times));
    for (const [name, value] of [["valuemax", store.most], ["valuenow", store.times], ["valuetext", said]]) {
      pull.setAttribute(`aria-${name}`, String(value));
    }
  }

  pictured() {
    const { hero, madeUp, read, chips, lower } = this.parts;
    return [...(hero.contains(madeUp) ? [] : [madeUp]), hero, read, chips, lower];
  }
}

export default mounting(Playground);
