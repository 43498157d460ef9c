// The playground: one store, and the views of it that move together. The browser computes each frame; when the hand lets
// go PyTorch computes the same, and the page says where the two differ.

import { difference, formatSlope, unpack } from "../core.js";
import { download, probe, readTheme, setFont, sizeCanvas } from "../parts.js";
import { formatNumber, mounting, Requests, roving, tell } from "../shared.js";
import { drawArcs, drawRail, drawWords } from "./arcs.js";
import { buildChips, drawChips } from "./chips.js";
import { drawCurves } from "./family.js";
import { buildPlayground } from "./frame.js";
import { Hand, heroKey, hover, railKey } from "./hands.js";
import { inkOf } from "./ink.js";
import { drawLines, measuredNear, stopsOf, timesAt } from "./lines.js";
import { cellAt, drawMatrices } from "./matrices.js";
import { gripOf, placesOf, sizesFor } from "./places.js";
import { showLines, showReadout, showShare } from "./readout.js";
import { Store } from "./store.js";
import { composeAll } from "./take.js";

/** @import { Message } from "./store.js" */

const TOLERATED = 1e-5; // of a weight: float32 against float64
const TYPED = 300; // ms after the last letter before a text is read
const FADE = 900, FADE_AFTER = 350; // ms
const SMALL = 640; // pixels
const SHARP = 2; // pixels of a saved picture for one of the page

export class Playground {
  store = new Store();
  /** @type {Message} */ message;
  /** @type {ReturnType<typeof buildPlayground>} */ parts;
  /** @type {ReturnType<typeof placesOf>} */ places;
  /** @type {import("../parts.js").Theme} */ theme;
  /** @type {ReturnType<typeof inkOf>} */ ink;
  ratio = 1;
  least = 1; // pixels of a canvas for one of the page
  frame = 0;
  typing = 0; // the timer of a text that is being typed
  settled = true;
  /** @type {Hand | null} */ hand = null;
  over = 0; // the head that is pointed at
  unsaid = false; // whether something is changed that Python has not been told
  untouched = true;
  gap = 0; // the largest difference from PyTorch's weights
  off = new AbortController();

  constructor(host) {
    this.host = host;
    this.requests = new Requests((sequence) => this.report(sequence));
    this.observer = new ResizeObserver(() => this.schedule());
    window.addEventListener("resize", () => this.schedule(), { signal: this.off.signal });
  }

  close() {
    this.off.abort();
    this.observer.disconnect();
    this.requests.close();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.typing);
    this.parts?.root.remove();
  }

  /** New data from Python, or a new theme. */
  update(component) {
    this.tellPython = component.setStateValue;
    try {
      if (component.data !== this.data) this.read(component.data);
      this.data = component.data;
      this.theme = readTheme(this.parts.root);
      this.ink = inkOf(this.theme);
      for (const name of ["query", "bias", "quiet"]) this.parts.root.style.setProperty(`--${name}`, this.ink[name]);
      this.schedule();
    } catch (error) {
      if (!this.parts) throw error;
      this.parts.trouble.textContent = String(error instanceof Error ? error.message : error);
      this.parts.trouble.hidden = false;
      console.error(error);
    }
  }

  /** @param {Uint8Array} data */
  read(data) {
    const [message, arrays] = unpack(data), first = !this.message;
    for (const name of ["vectors", "rows", "matrix"]) message[name] = message[name] === null ? null : arrays[message[name]];
    this.message = message;
    if (first) {
      this.parts = buildPlayground(this.host, message.words);
      this.listen();
    }
    this.requests.echo(message.sequence);
    if (!first && (this.unsaid || message.sequence < this.requests.sequence)) return; // an answer to what has changed since
    const { store, parts } = this;
    store.setWords(message.tokens, Uint16Array.from(message.ids), message.vectors, message.closing);
    store.take(message.chosen);
    if (!this.typing && parts.text.value !== message.text) parts.text.value = message.text;
    parts.alt.textContent = message.alt;
    parts.root.classList.toggle("present", message.presenting);
    this.compare();
    this.wait(Boolean(this.typing));
    if (first && !store.isChanged) this.fadeIn();
  }

  /** Every head's weights of the query here against PyTorch's, and of a short text those of all queries in the chosen head. */
  compare() {
    const { store, message, parts } = this, { rows, matrix } = message, width = rows.shape[1];
    let most = 0;
    const gap = (query, slope, theirs) => {
      most = Math.max(most, difference(store.weights(query, slope * store.strength), theirs).absolute);
    };
    for (let head = 1; head <= store.heads; head += 1) gap(store.query, store.slope(head), rows.subarray((head - 1) * width, head * width));
    if (matrix) {
      for (let i = 0; i < store.count; i += 1) gap(i, store.slope(), matrix.subarray(i * store.count, i * store.count + i + 1));
    }
    this.gap = most;
    parts.root.dataset.difference = String(most);
    parts.root.dataset.sequence = String(message.sequence);
    const off = !(most <= TOLERATED) && message.words.differed.replace("{difference}", formatNumber(most));
    parts.note.textContent = [message.note, off].filter(Boolean).join(" ");
    parts.note.classList.toggle("off", Boolean(off));
  }

  /** The bias comes on by itself, once. While it does, no number is shown. */
  fadeIn() {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const { store, parts } = this, begun = performance.now() + FADE_AFTER;
    parts.root.classList.add("fading");
    const step = () => {
      const share = Math.min(1, Math.max(0, (performance.now() - begun) / FADE));
      store.fade = this.untouched ? share * share * (3 - 2 * share) : 1;
      this.draw();
      if (store.fade < 1) this.frame = requestAnimationFrame(step);
      else {
        this.frame = 0;
        parts.root.classList.remove("fading");
        this.schedule();
      }
    };
    store.fade = 0;
    this.frame = requestAnimationFrame(step);
  }

  // Changes.

  /** Something was changed: draw it. `settled`: Python is to hear of it. */
  changed(settled = true) {
    this.untouched = false;
    this.unsaid = true;
    this.settled = settled;
    this.wait(true);
    if (settled) this.requests.send();
    this.schedule();
  }

  /** One request to Python with all that is chosen. */
  report(sequence) {
    if (!this.unsaid || !this.settled) return false;
    this.unsaid = false;
    this.tellPython("choice", { ...this.store.choice(), text: this.parts.text.value, sequence });
    return true;
  }

  listen() {
    const { parts, store } = this, { canvas, pull, lines } = parts;
    this.observer.observe(parts.root);
    parts.png.onclick = () => this.save();
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    canvas.addEventListener("pointerup", () => this.release());
    canvas.addEventListener("pointercancel", () => this.cancel());
    canvas.addEventListener("pointerleave", (event) => { if (!this.hand && event.pointerType === "mouse") this.leave(); });
    canvas.addEventListener("keydown", (event) => this.key(event, () => heroKey(store, event)));
    pull.addEventListener("keydown", (event) => this.key(event, () => this.pullTo(railKey(store, event.key), 0)));
    this.dragging(pull, (event) => this.pullTo(this.places.rail.times(this.pointOn(canvas, event)[0]), undefined, false));
    lines.addEventListener("keydown", (event) => this.key(event, () => this.lineKey(event.key)));
    this.dragging(lines, (event) => this.pullTo(this.stopAt(this.pointOn(lines, event)[0]), 0, false));
    parts.strength.addEventListener("input", () => { store.strength = Number(parts.strength.value); this.changed(false); });
    parts.strength.addEventListener("change", () => this.changed());
    parts.text.addEventListener("input", () => {
      clearTimeout(this.typing);
      this.wait(true);
      this.typing = setTimeout(() => {
        this.typing = 0;
        this.changed();
      }, TYPED);
    });
    parts.heads.addEventListener("click", (event) => {
      const heads = Number(/** @type {HTMLElement} */ (event.target).dataset.heads);
      if (heads) this.act(() => store.setHeads(heads));
    });
    for (const box of [parts.heads, parts.chips]) roving(box);
    parts.undo.addEventListener("click", () => this.act(() => store.undo()));
    parts.reset.addEventListener("click", () => this.act(() => store.reset()));
    for (const { canvas: matrix } of parts.matrices) this.listenTo(matrix);
  }

  /** Nothing was changed after all. */
  forget() {
    this.unsaid = false;
    this.wait(false);
  }

  /** Whether the picture waits for PyTorch's numbers, for who looks from outside. */
  wait(waits) { this.parts.root.toggleAttribute("data-waiting", waits); }

  act(change) {
    change();
    this.changed();
  }

  key(event, change) {
    if (event.altKey || change() === false) return;
    event.preventDefault();
    event.stopPropagation(); // Streamlit has single-key commands of its own
    this.changed();
  }

  /** A drag on an element of which only x matters. */
  dragging(element, move) {
    let held = false;
    element.addEventListener("pointerdown", (event) => {
      element.setPointerCapture(event.pointerId);
      held = true;
      if (element !== this.parts.pull) move(event);
    });
    element.addEventListener("pointermove", (event) => { if (held) move(event); });
    for (const end of ["pointerup", "pointercancel"]) {
      element.addEventListener(end, () => { if (held) this.changed(); held = false; });
    }
  }

  /** Pull the text to so many lengths; `snap` as in the store. */
  pullTo(times, snap, settled = true) {
    if (times === undefined) return false;
    this.store.setTimes(times, snap);
    if (!settled) this.changed(false);
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

  press(event) {
    if (event.button) return;
    const { canvas } = this.parts, [x, y] = this.pointOn(canvas, event);
    canvas.setPointerCapture(event.pointerId);
    this.hand = new Hand(this.store, this.places, x, y, event.pointerType);
    this.changed(false);
  }

  drag(event) {
    const [x, y] = this.pointOn(this.parts.canvas, event);
    if (this.hand) {
      this.hand.move(x, y);
      return this.changed(false);
    }
    if (event.pointerType !== "mouse" || !this.places) return;
    const { head, cursor } = hover(this.store, this.places, x, y);
    this.over = head;
    this.parts.canvas.style.cursor = cursor;
    this.schedule();
  }

  release() {
    const { hand } = this;
    this.hand = null;
    if (hand?.changes) this.changed();
    else this.forget();
  }

  cancel() {
    this.hand?.cancel();
    this.hand = null;
    this.forget();
    this.schedule();
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

  schedule() {
    if (this.frame || !this.message) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  draw() {
    const { parts, store, message, ink } = this;
    if (!ink || !parts.hero.clientWidth) return;
    const row = store.weights(), plain = store.weights(store.query, 0), rows = Array.from({ length: store.heads }, (_, at) => store.weights(store.query, store.rate(at + 1)));
    this.ratio = Math.max(this.least, window.devicePixelRatio || 1);
    this.showControls();
    this.drawHero(row, plain);
    if (parts.chips.childElementCount !== store.heads) buildChips(parts.chips, store.heads, message.words, (head) => this.act(() => store.setHead(head)));
    drawChips(parts.chips, store, rows, ink, message.words, this.ratio);
    drawMatrices(parts.matrices, store, ink, message.words, this.ratio);
    const near = measuredNear(message.lines, store.times);
    drawLines(parts.lines, message.lines, near, ink, message.words, this.ratio, message.presenting);
    showReadout(parts.read, store, row, message.words);
    showShare(parts, store, row, message.words);
    showLines(parts, message, near);
    const source = this.unsaid || this.requests.waiting !== null ? "preview" : "python";
    tell("painted", { key: message.key, value: store.slope() * store.strength, source, at: performance.now() });
  }

  drawHero(row, plain) {
    const { parts, store, ink, message } = this, { words, presenting } = message;
    const screen = { width: parts.hero.clientWidth, tall: parts.hero.clientHeight, small: parts.root.clientWidth < SMALL, large: presenting };
    const sizes = sizesFor(screen), ctx = sizeCanvas(parts.canvas, screen.width, screen.tall, this.ratio);
    setFont(probe, ink, 600, sizes.type);
    const places = this.places = placesOf(store, sizes, (word) => probe.measureText(word).width);
    drawArcs(ctx, store, places, ink, row, plain);
    drawCurves(ctx, store, places, ink, words, this.over, this.untouched);
    drawWords(ctx, store, places, ink, row, plain);
    drawRail(ctx, store, places, ink, words);
    const grip = gripOf(store, places);
    if (grip) parts.canvas.dataset.grip = `${grip.x / screen.width},${grip.y / screen.tall}`; // for who looks from outside
    Object.assign(parts.pull.style, { left: `${places.rail.x}px`, top: `${places.rail.y}px` });
    parts.legend.classList.toggle("left", store.count > store.length);
  }

  showControls() {
    const { parts, store, message } = this, { strength, strong, pull } = parts;
    for (const button of /** @type {HTMLCollectionOf<HTMLElement>} */ (parts.heads.children)) {
      const chosen = Number(button.dataset.heads) === store.heads;
      button.setAttribute("aria-checked", String(chosen));
      button.tabIndex = chosen ? 0 : -1;
    }
    if (Number(strength.value) !== store.strength) strength.value = String(store.strength);
    strength.style.setProperty("--at", `${(100 * store.strength) / Number(strength.max)}%`);
    strong.textContent = store.strength.toFixed(2).replace(/0$/, "");
    parts.undo.disabled = !store.past.length;
    parts.reset.disabled = !store.isChanged;
    pull.hidden = store.most <= 1;
    parts.canvas.setAttribute("aria-valuenow", Math.log2(store.slope()).toFixed(2));
    parts.canvas.setAttribute("aria-valuetext", formatSlope(store.slope(), true));
    const said = message.words.pulled.replace("{count}", String(store.count)).replace("{times}", formatNumber(store.times));
    for (const [name, value] of [["valuemax", store.most], ["valuenow", store.times], ["valuetext", said]]) {
      pull.setAttribute(`aria-${name}`, String(value));
    }
  }

  /** The whole picture as a PNG file. */
  save() {
    this.least = SHARP;
    this.draw();
    const picture = composeAll(this.parts, this.theme, this.ink);
    this.least = 1;
    this.draw();
    download(picture, "alibi-playground");
  }
}

export default mounting(Playground);
