// The playground: one store, and the views of it that move together. The browser computes each frame; when the hand lets
// go PyTorch computes the same, and its numbers are drawn.

import { formatSlope } from "../core.js";
import { download, probe, readTheme, setFont, sizeCanvas } from "../parts.js";
import { formatNumber, make, mounting, roving, tell } from "../shared.js";
import { Handed } from "../hands/handed.js";
import { alike, PHONE } from "../hands/hands.js";
import { gripOf, heroKey, hover, placesOf, Press, railKey, sizesFor } from "./gestures.js";
import { drawArcs, drawCurves, drawRail, drawWords } from "./hero.js";
import { drawLines, measuredNear, stopsOf, timesAt } from "./lines.js";
import { buildMatrices, cellAt, drawMatrices } from "./matrices.js";
import { composeAll, inkOf } from "./pen.js";
import { buildChips, drawChips, showLines, showReadout, showShare } from "./readout.js";
import { Store } from "./store.js";

/** @import { Message } from "./store.js" */

const FADE = 900, FADE_AFTER = 350; // ms
const SHARP = 2; // pixels of a saved picture for one of the page

/** The elements under the row of hands; those of the chips follow the heads. @param {HTMLElement} row @param {Record<string, string>} words */
function build(root, row, words) {
  const controls = make("div", "controls"), hero = make("div", "hero"), lower = make("div", "lower"), pairs = make("div", "pairs"), beat = make("div", "beat");
  const button = (name, sign, more = {}) => make("button", `icon ${name}`, { type: "button", title: words[name], "aria-label": words[name], ...more }, sign);
  const parts = {
    hero,
    stage: make("div", "stage"),
    undo: button("undo", "↶"),
    reset: button("reset", "↺", { disabled: "" }), // its place is PNG's until something was changed
    png: button("png", "⤓"),
    canvas: make("canvas", "arcs", { tabindex: "0", role: "slider", "aria-label": words.slope, "aria-valuemin": "-10", "aria-valuemax": "1" }),
    legend: make("div", "legend"),
    big: make("span", "big"),
    near: make("span", "key"),
    plain: make("span", "key ghost"),
    pull: make("button", "pull", { type: "button", role: "slider", "aria-label": words.pull_label, "aria-valuemin": "1" }),
    read: make("p", "read", { role: "status" }),
    chips: make("div", "chips", { role: "radiogroup", "aria-label": words.head }),
    eq: make("div", "eq"),
    said: make("p", "said"),
    plot: make("div", "plot"),
    lines: make("canvas", "lines", { tabindex: "0", role: "slider", "aria-label": words.longer, "aria-valuemin": "1", "aria-valuemax": "16" }),
    note: make("p", "note", { role: "status" }),
  };
  controls.append(row, parts.undo, parts.reset, parts.png);
  parts.legend.append(parts.big, parts.near, parts.plain);
  hero.append(parts.canvas, parts.legend, parts.pull);
  pairs.append(make("h2", "", {}, words.pairs), parts.eq, make("p", "hint", {}, words.made_up));
  parts.plot.append(parts.lines);
  beat.append(make("h2", "", {}, words.longer), parts.said, parts.plot, make("p", "hint", {}, words.two_beats));
  lower.append(pairs, beat);
  parts.stage.append(controls, hero, parts.read, parts.note, parts.chips, lower);
  root.append(parts.stage);
  return { ...parts, matrices: buildMatrices(parts.eq, words) };
}

/** @extends {Handed<Message>} */
export class Playground extends Handed {
  store = new Store();
  /** @type {ReturnType<typeof build>} */ parts;
  /** @type {ReturnType<Playground["measured"]> | null} */ sizes = null;
  /** @type {ReturnType<typeof placesOf>} */ places;
  /** @type {import("../parts.js").Theme} */ theme;
  /** @type {ReturnType<typeof inkOf>} */ ink;
  ratio = 1;
  least = 1; // pixels of a canvas for one of the page
  /** @type {Press | null} */ press = null;
  /** @type {import("../hands/hands.js").Values} what the hands said when one took hold */ before = {};
  over = 0; // the head that is pointed at
  untouched = true;

  constructor(host) {
    super(host, make("div", "playground"));
  }

  /** PyTorch's numbers, and what the hands say of which they are. */
  take(message, arrays) {
    const { store, hands, root } = this, isFirst = !this.message;
    if (isFirst) {
      this.parts = build(root, hands.row, message.words);
      root.append(this.alt);
      this.listen();
    }
    for (const name of ["vectors", "rows", "plain", "matrix"]) message[name] = message[name] === null ? null : arrays[message[name]];
    this.message = message;
    store.setWords(message.tokens, Uint16Array.from(message.ids), message.vectors, message.closing);
    store.take(hands.values);
    this.alt.textContent = message.alt;
    this.parts.note.textContent = message.note;
    root.classList.toggle("present", message.presenting);
    this.nameSource();
    this.arrange();
    if (isFirst && !store.isChanged) this.fadeIn();
    if (!root.classList.contains("fading")) this.drawNow();
  }

  /** The parts may have other sizes, or other colours. */
  arrange() {
    if (!this.message) return;
    this.theme = readTheme(this.root);
    this.ink = inkOf(this.theme);
    for (const name of ["query", "bias", "quiet"]) this.root.style.setProperty(`--${name}`, this.ink[name]);
    this.sizes = null;
    this.schedule();
  }

  /** Whether the message belongs to what the hands say. */
  get isPython() { return alike(this.message.hands.values, this.hands.values); }

  /** Whose numbers are drawn, for who looks from outside. */
  nameSource() { this.root.dataset.source = this.isPython ? "python" : "preview"; }

  /** The bias comes on by itself, once. While it does, no number is shown. */
  fadeIn() {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const { store, root } = this, begun = performance.now() + FADE_AFTER;
    root.classList.add("fading");
    const step = () => {
      const share = Math.min(1, Math.max(0, (performance.now() - begun) / FADE));
      store.fade = this.untouched ? share * share * (3 - 2 * share) : 1;
      this.draw();
      if (store.fade < 1) this.frame = requestAnimationFrame(step);
      else {
        this.frame = 0;
        root.classList.remove("fading");
        this.schedule();
      }
    };
    store.fade = 0;
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(step);
  }

  // Changes.

  /** The hands say something else. Each number of heads has a chosen head and bent slopes of its own. */
  moved() {
    const { store, hands: { values } } = this;
    this.untouched = false;
    if (Number(values.heads) === store.heads) store.take(values);
    else {
      store.heads = Number(values.heads);
      Object.assign(values, store.values());
    }
    this.nameSource();
    this.schedule();
  }

  /** The store was changed: the hands say so too. Returns whether it makes a difference. */
  changed() {
    const { hands, store } = this, values = store.values();
    this.schedule();
    if (alike(values, hands.values)) return false;
    hands.set(values);
    return true;
  }

  act(change) {
    change();
    if (this.changed()) this.hands.release();
  }

  key(event, change) {
    if (event.altKey || change() === false) return;
    event.preventDefault();
    event.stopPropagation(); // Streamlit has single-key commands of its own
    if (this.changed()) this.hands.releaseLater();
  }

  takeHold() {
    this.hands.held = true;
    this.before = this.hands.values;
  }

  letGo() {
    if (alike(this.before, this.hands.values)) this.hands.letGo();
    else this.hands.release();
  }

  listen() {
    const { parts, store } = this, { canvas, pull, lines } = parts;
    for (const part of [this.root, parts.hero, parts.eq, parts.plot]) this.observer.observe(part);
    parts.png.onclick = () => this.save();
    canvas.addEventListener("pointerdown", (event) => this.pressed(event));
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    canvas.addEventListener("pointerup", () => this.released());
    canvas.addEventListener("pointercancel", () => this.cancel());
    canvas.addEventListener("pointerleave", (event) => { if (!this.press && event.pointerType === "mouse") this.leave(); });
    canvas.addEventListener("keydown", (event) => this.key(event, () => heroKey(store, event)));
    pull.addEventListener("keydown", (event) => this.key(event, () => this.pullTo(railKey(store, event.key), 0)));
    this.dragging(pull, (event) => this.pullTo(this.places.rail.times(this.pointOn(canvas, event)[0])));
    lines.addEventListener("keydown", (event) => this.key(event, () => this.lineKey(event.key)));
    this.dragging(lines, (event) => this.pullTo(this.stopAt(this.pointOn(lines, event)[0]), 0));
    roving(parts.chips);
    parts.undo.addEventListener("click", () => this.act(() => store.undo()));
    parts.reset.addEventListener("click", () => this.act(() => store.reset()));
    for (const { canvas: matrix } of parts.matrices) this.listenTo(matrix);
  }

  /** A drag on an element of which only x matters. */
  dragging(element, move) {
    let held = false;
    const pull = (event) => {
      move(event);
      this.changed();
    };
    element.addEventListener("pointerdown", (event) => {
      element.setPointerCapture(event.pointerId);
      held = true;
      this.takeHold();
      if (element !== this.parts.pull) pull(event);
    });
    element.addEventListener("pointermove", (event) => { if (held) pull(event); });
    for (const end of ["pointerup", "pointercancel"]) {
      element.addEventListener(end, () => {
        if (held) this.letGo();
        held = false;
      });
    }
  }

  /** Pull the text to so many lengths; `snap` as in the store. */
  pullTo(times, snap) {
    if (times === undefined) return false;
    this.store.setTimes(times, snap);
    return true;
  }

  /** The measured length under a pixel of the plot, as far as the text can be pulled. */
  stopAt(px) {
    const { lines, presenting } = this.message;
    return measuredNear(lines, timesAt(lines, this.parts.plot.clientWidth, px, this.theme, presenting));
  }

  lineKey(key) {
    const { lines } = this.message, stops = stopsOf(lines), at = stops.indexOf(measuredNear(lines, this.store.times));
    const to = { ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1, Home: 0, End: stops.length - 1 }[key];
    return to === undefined || !stops[to] ? false : this.pullTo(stops[to], 0);
  }

  pointOn(element, event) {
    const box = element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  pressed(event) {
    if (event.button) return;
    const { canvas } = this.parts, [x, y] = this.pointOn(canvas, event);
    canvas.setPointerCapture(event.pointerId);
    this.takeHold();
    this.press = new Press(this.store, this.places, x, y, event.pointerType);
    this.changed();
  }

  drag(event) {
    const [x, y] = this.pointOn(this.parts.canvas, event);
    if (this.press) {
      this.press.move(x, y);
      return this.changed();
    }
    if (event.pointerType !== "mouse" || !this.places) return undefined;
    const { head, cursor } = hover(this.store, this.places, x, y);
    this.over = head;
    this.parts.canvas.style.cursor = cursor;
    return this.schedule();
  }

  released() {
    if (this.press) this.letGo();
    this.press = null;
  }

  /** The browser took the touch for a scroll: as if nothing had been touched. */
  cancel() {
    this.press?.cancel();
    this.press = null;
    this.changed();
    this.hands.letGo();
  }

  leave() {
    this.over = 0;
    this.store.point(null);
    this.schedule();
  }

  /** A matrix: the cell under the pointer is the cursor of all; a click makes its query the query. */
  listenTo(matrix) {
    const cell = (event) => {
      const [x, y] = this.pointOn(matrix, event), { count } = this.store, query = cellAt(y, matrix.clientHeight, count);
      this.store.point(Math.min(query, cellAt(x, matrix.clientWidth, count)), query);
    };
    matrix.addEventListener("pointermove", (event) => { cell(event); this.schedule(); });
    matrix.addEventListener("pointerleave", () => this.leave());
    matrix.addEventListener("click", (event) => {
      cell(event);
      const key = this.store.cursor;
      this.act(() => { this.store.setQuery(this.store.query); this.store.point(key); });
    });
  }

  // Drawing.

  /** Read once, and not in every frame: the browser would have to lay out the page in the midst of it. */
  measured() {
    const { hero, chips, matrices, plot } = this.parts, sizeOf = ({ clientWidth: width, clientHeight: height }) => ({ width, height });
    const panel = /** @type {HTMLElement} */ (matrices[0].canvas.parentElement);
    return { root: this.root.clientWidth, hero: sizeOf(hero), chip: sizeOf(chips.children[0]), plot: sizeOf(plot), matrix: panel.clientWidth };
  }

  /** The query's weights in every head and without ALiBi: PyTorch's where it has computed them, else the same ones computed here. */
  weights() {
    const { store, message } = this, at = [...Array(store.heads).keys()], width = store.query + 1;
    if (this.isPython && store.fade === 1 && store.peek === null) {
      return { rows: at.map((head) => message.rows.subarray(head * width, (head + 1) * width)), plain: message.plain };
    }
    return { rows: at.map((head) => store.weights(store.query, store.rate(head + 1))), plain: store.weights(store.query, 0) };
  }

  /** In this frame, and not in the next one. */
  drawNow() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.draw();
  }

  draw() {
    const { parts, store, message, ink } = this, { words, lines, presenting } = message, { rows, plain } = this.weights(), row = rows[store.head - 1];
    if (parts.chips.childElementCount !== store.heads) {
      buildChips(parts.chips, store.heads, words, (head) => this.act(() => store.setHead(head)));
      this.sizes = null;
    }
    const redrawn = !this.sizes, sizes = this.sizes ??= this.measured();
    if (!ink || !sizes.hero.width) return;
    this.ratio = Math.max(this.least, window.devicePixelRatio || 1);
    this.showControls();
    this.drawHero(row, plain, sizes);
    drawChips(parts.chips, store, rows, sizes.chip, ink, words, this.ratio);
    drawMatrices(parts.matrices, store, this.isPython && store.fade === 1 ? message.matrix : null, sizes.matrix, ink, words, this.ratio);
    const near = measuredNear(lines, store.times);
    if (redrawn || near !== this.near) drawLines(parts.lines, sizes.plot, lines, near, ink, words, this.ratio, presenting);
    this.near = near;
    showReadout(parts.read, store, row, words);
    showShare(parts, store, row, plain, words);
    showLines(parts, message, near);
    tell("painted", { key: message.key, value: store.slope() * store.strength, source: this.root.dataset.source, at: performance.now() });
  }

  drawHero(row, plain, { root, hero: { width, height: tall } }) {
    const { parts, store, ink, message: { words, presenting } } = this;
    const screen = sizesFor({ width, tall, small: root < PHONE, large: presenting }), ctx = sizeCanvas(parts.canvas, width, tall, this.ratio);
    setFont(probe, ink, 600, screen.type);
    const places = this.places = placesOf(store, screen, (word) => probe.measureText(word).width);
    drawArcs(ctx, store, places, ink, row, plain);
    drawCurves(ctx, store, places, ink, words, this.over, this.untouched);
    drawWords(ctx, store, places, ink, row, plain);
    drawRail(ctx, store, places, ink, words);
    const grip = gripOf(store, places);
    if (grip) parts.canvas.dataset.grip = `${grip.x / width},${grip.y / tall}`; // for who looks from outside
    Object.assign(parts.pull.style, { left: `${places.rail.x}px`, top: `${places.rail.y}px` });
    parts.legend.classList.toggle("left", store.count > store.length);
  }

  showControls() {
    const { store, message: { words }, parts: { undo, reset, pull, canvas } } = this;
    undo.disabled = !store.past.length;
    reset.disabled = !store.isChanged;
    pull.hidden = store.most <= 1;
    canvas.setAttribute("aria-valuenow", Math.log2(store.slope()).toFixed(2));
    canvas.setAttribute("aria-valuetext", formatSlope(store.slope(), true));
    const said = words.pulled.replace("{count}", String(store.count)).replace("{times}", formatNumber(store.times));
    for (const [name, value] of [["valuemax", store.most], ["valuenow", store.times], ["valuetext", said]]) {
      pull.setAttribute(`aria-${name}`, String(value));
    }
  }

  /** The whole picture as a PNG file. */
  save() {
    const drawAt = (least) => {
      Object.assign(this, { least, sizes: null });
      this.draw();
    };
    drawAt(SHARP);
    const picture = composeAll(this.parts, this.theme, this.ink);
    drawAt(1);
    download(picture, "alibi-playground");
  }
}

export default mounting(Playground);
