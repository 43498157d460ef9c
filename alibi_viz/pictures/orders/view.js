// A sentence whose words a hand moves, and under it two attentions: without positions, and with ALiBi. Every weight glides
// with its two words; one that has changed is outlined, and says by how much.

import { composePicture, drawHatching, probe, readTheme, setFont, sizeCanvas, typeSize } from "../parts.js";
import { clamp, formatNumber, make, mounting } from "../shared.js";
import { LOWEST, PHONE, sayIn } from "../hands/hands.js";
import { Handed } from "../hands/handed.js";
import { colours } from "../matrices/colour.js";
import { byWord, largestChange, orderOf, placesOf, weightsOf } from "./core.js";

const GLIDES = 280; // ms in which words come to their new places
const GAP = 30, NAME = 12; // pixels
const ROOMY = 42; // pixels of a cell that has room for its number
const SLENDER = 1.5; // a cell is at most so many times as wide as it is high
const APART = 0.005; // a reader sees a larger change
const STEPS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

/**
 * @import { Message as Sent } from "./message.d.ts"
 * @typedef {Omit<Sent, "content" | "before" | "weights"> & { content: Float32Array, colours: Record<"light" | "dark", string> }} Message
 * @typedef {{ places: number[], weights: Float64Array[], causal: number }} Shown each word's place, and both attentions by word
 * @typedef {ReturnType<Orders["place"]>} Layout
 */

/** @extends {Handed<Message>} */
class Orders extends Handed {
  /** @type {number[]} the word of each place */ order = [];
  /** @type {Float64Array[]} both attentions in the sentence's own order */ before = [];
  /** @type {Shown} where words and weights come to stand */ goal = { places: [], weights: [], causal: 0 };
  /** @type {Shown} what is drawn */ now = this.goal;
  /** @type {{ word: number, from: number[] } | null} the word under the hand, and the order before */ held = null;
  /** @type {import("../parts.js").Theme} */ theme;
  /** @type {{ width: number, height: number } | null} pixels of the canvas */ size = null;
  chips = make("div", "chips", { role: "group", dir: "auto" });
  note = make("p", "note", { "aria-live": "polite" });
  plot = make("div", "plots", { role: "img", "aria-describedby": "alt" });
  canvas = make("canvas", "", { "aria-hidden": "true" });

  constructor(host) {
    super(host, make("div", "picture orders", { role: "group" }));
    const { root, chips, note, trouble, plot, canvas, alt, room } = this;
    plot.append(canvas);
    root.append(this.hands.row, this.hands.foot, this.hands.further, trouble, chips, note, plot, alt, room);
    chips.addEventListener("pointerdown", (event) => this.grab(event));
    chips.addEventListener("pointermove", (event) => this.held && this.put(this.held.word, this.placeAt(event)));
    chips.addEventListener("pointerup", () => this.letGo());
    chips.addEventListener("pointercancel", () => this.cancel());
    chips.addEventListener("keydown", (event) => this.onKey(event));
  }

  /** PyTorch's numbers. */
  take(message, arrays) {
    const { words, sentence, problem } = message, first = !this.message, count = sentence.length;
    const isSame = !first && this.message.sentence.join(" ") === sentence.join(" ");
    const halves = (number) => [0, 1].map((at) => arrays[number].subarray(at * count ** 2, (at + 1) * count ** 2));
    this.message = { ...message, content: arrays[message.content] };
    this.showProblem(problem, [this.chips, this.note, this.plot]);
    if (problem) return;
    this.alt.textContent = message.alt;
    this.plot.setAttribute("aria-label", words.label);
    this.chips.setAttribute("aria-label", words.chips);
    this.png.title = words.png;
    this.order = message.order;
    this.before = halves(message.before).map((weights) => byWord(weights, orderOf("", count)));
    this.showChips();
    this.arrange();
    this.glideTo(halves(message.weights).map((weights) => byWord(weights, message.order)), isSame);
  }

  /** The hands have moved: attention over the words as they stand now, computed here. */
  moved() {
    const { message, hands: { values } } = this;
    if (!message || message.problem) return;
    const order = orderOf(values.story_order, message.sentence.length);
    if (order.join() !== this.order.join()) {
      this.order = order;
      this.showChips();
    }
    const causal = Boolean(values.causal), slopes = [0, message.slope];
    this.before = slopes.map((slope) => weightsOf(message.content, orderOf("", order.length), slope, causal));
    this.glideTo(slopes.map((slope) => weightsOf(message.content, order, slope, causal)), true);
  }

  // The words, which a hand or the arrow keys move.

  showChips() {
    const { sentence, words } = this.message, chips = /** @type {HTMLElement[]} */ ([...this.chips.children]);
    if (chips.length === sentence.length && chips.every((chip) => sentence[Number(chip.dataset.word)] === chip.textContent)) {
      const focused = /** @type {ShadowRoot} */ (this.chips.getRootNode()).activeElement;
      this.order.forEach((word, place) => {
        const chip = chips.find((other) => other.dataset.word === String(word));
        if (chip && this.chips.children[place] !== chip) this.chips.insertBefore(chip, this.chips.children[place]);
      });
      if (focused instanceof HTMLElement && this.chips.contains(focused)) focused.focus();
      return;
    }
    this.chips.replaceChildren(...this.order.map((word) =>
      make("button", "chip", { type: "button", title: words.hint, "data-word": String(word) }, sentence[word])));
  }

  grab(event) {
    const chip = event.target.closest(".chip");
    if (!chip || event.button) return;
    this.held = { word: Number(chip.dataset.word), from: this.order };
    this.hands.held = true;
    this.chips.setPointerCapture(event.pointerId);
    chip.classList.add("held");
  }

  /** The place whose word is nearest to the pointer. */
  placeAt({ clientX, clientY }) {
    const away = [...this.chips.children].map((chip) => {
      const { left, right, top, bottom } = chip.getBoundingClientRect();
      return Math.hypot(clientX - clamp(clientX, left, right), 4 * (clientY - clamp(clientY, top, bottom)));
    });
    return away.indexOf(Math.min(...away));
  }

  put(word, place) {
    if (this.order[place] === word) return;
    const order = this.order.filter((other) => other !== word);
    order.splice(place, 0, word);
    this.hands.set({ story_order: order.join(",") });
  }

  letGo() {
    const { held } = this;
    this.drop();
    if (held && held.from.join() !== this.order.join()) this.hands.release();
  }

  /** The browser took the touch for a scroll: as if nothing had been touched. */
  cancel() {
    if (this.held) this.hands.set({ story_order: this.held.from.join(",") });
    this.drop();
  }

  drop() {
    this.chips.querySelector(".held")?.classList.remove("held");
    this.held = null;
    this.hands.held = false;
  }

  onKey(event) {
    const chip = event.target.closest(".chip"), isLeftward = getComputedStyle(this.chips).direction === "rtl";
    const step = STEPS[event.key] * (isLeftward && event.key.startsWith("Arrow") ? -1 : 1);
    if (!step || !chip) return;
    event.preventDefault();
    event.stopPropagation();
    const word = Number(chip.dataset.word);
    this.put(word, clamp(this.order.indexOf(word) + step, 0, this.order.length - 1));
    chip.focus();
    this.hands.releaseLater();
  }

  // Drawing.

  /** Let words and weights come to their new places; at once where the reader's system asks for less motion. */
  glideTo(weights, glides) {
    const from = this.now, began = performance.now(), isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.goal = { places: placesOf(this.order), weights, causal: Number(Boolean(this.hands.values.causal)) };
    this.say();
    cancelAnimationFrame(this.frame);
    const step = (time) => {
      const share = glides && !isStill && from.places.length ? clamp((time - began) / GLIDES, 0, 1) : 1;
      this.now = share < 1 ? between(from, this.goal, share * share * (3 - 2 * share)) : this.goal;
      this.draw();
      if (share < 1) this.frame = requestAnimationFrame(step);
    };
    step(began);
  }

  /** The sentence that follows the hand. */
  say() {
    const { words } = this.message, [plain, alibi] = this.before.map((before, at) => largestChange(before, this.goal.weights[at]));
    const isOwn = this.order.every((word, place) => word === place), numbers = { plain, alibi };
    sayIn(this.note, isOwn ? words.note_same : words.note, (name) => (name in numbers ? formatNumber(numbers[name] < 1e-6 ? 0 : numbers[name], 2) : undefined));
  }

  arrange() {
    const { root, room, plot, message } = this;
    if (!message || !root.clientWidth) return;
    root.classList.toggle("narrow", root.clientWidth < PHONE);
    this.theme = readTheme(root);
    const above = root.offsetHeight - plot.offsetHeight;
    this.size = { width: root.clientWidth, height: Math.max(LOWEST * 0.7, room.offsetHeight - above) };
    this.draw();
  }

  /** Both matrices side by side or one below the other: where the cells are larger. */
  place() {
    const { theme, message: { sentence }, size } = this, { width, height } = size ?? { width: 0, height: 0 }, count = sentence.length;
    const layouts = [[2, 1], [1, 2]].map(([across, down]) => {
      const wide = (width - GAP * (across - 1)) / across, high = (height - 14 * (down - 1)) / down;
      const type = clamp(wide / 24, typeSize(theme, 13), Math.max(20, typeSize(theme)));
      setFont(probe, theme, 500, type);
      const longest = Math.max(...sentence.map((word) => probe.measureText(word).width)), left = Math.max(longest, 4 * typeSize(theme, NAME)) + 12;
      const title = 2.1 * typeSize(theme, 15), cellUnder = (top) => Math.max(12, Math.min((wide - left) / count, (SLENDER * (high - top)) / count));
      const level = cellUnder(title + type + 8), isUpright = longest > level - 4, top = title + (isUpright ? longest : type) + 8;
      const cell = Math.floor(isUpright ? cellUnder(top) : level), tall = Math.floor(Math.min(cell, (high - top) / count));
      return { across, wide, high, type, left, top, isUpright, cell, tall };
    });
    return layouts[0].cell * layouts[0].tall >= layouts[1].cell * layouts[1].tall ? layouts[0] : layouts[1];
  }

  draw() {
    const { canvas, size, message } = this;
    if (!size || !message || message.problem || !this.now.places.length) return;
    const ctx = sizeCanvas(canvas, size.width, size.height, window.devicePixelRatio || 1);
    this.drawOn(ctx);
    canvas.dataset.places = this.goal.places.join(",");
  }

  drawOn(ctx) {
    const layout = this.place(), { across, wide, high } = layout, { words } = this.message;
    ["plain", "alibi"].forEach((name, at) => {
      const [x, y] = across > 1 ? [at * (wide + GAP), 0] : [0, at * (high + 14)];
      this.drawMatrix(ctx, at, words[name], x, y, layout);
    });
  }

  /** One attention: its title, the words as queries and keys, and a cell a pair. @param {Layout} layout */
  drawMatrix(ctx, at, title, x, y, layout) {
    const { theme, now, before, message } = this, { left, top, cell, tall } = layout, [x0, y0] = [x + left, y + top];
    setFont(ctx, theme, 600, typeSize(theme, 15));
    Object.assign(ctx, { fillStyle: at ? message.colours[theme.dark ? "dark" : "light"] : theme.text, textAlign: "left", textBaseline: "top" });
    ctx.fillText(title, x, y);
    this.drawWords(ctx, x0, y0, layout);
    now.places.forEach((row, query) => now.places.forEach((col, key) => {
      const weight = now.weights[at][query * now.places.length + key];
      const hidden = col > row + 0.5 ? now.causal : 0, change = hidden ? 0 : weight - before[at][query * now.places.length + key];
      this.drawCell(ctx, [x0 + col * cell + 1, y0 + row * tall + 1, cell - 2, tall - 2], weight, change, hidden, layout);
    }));
  }

  /** @param {[number, number, number, number]} box @param {Layout} layout */
  drawCell(ctx, box, weight, change, hidden, layout) {
    const { theme } = this, { cell, tall, type } = layout, [x, y, width, height] = box, table = colours("weight", theme.dark);
    if (hidden) drawHatching(ctx, ...box, theme, window.devicePixelRatio || 1);
    if (hidden === 1) return;
    const fill = table[Math.round(Math.sqrt(clamp(weight, 0, 1)) * 255)], [red, green, blue] = [fill & 255, (fill >> 8) & 255, (fill >> 16) & 255];
    ctx.globalAlpha = 1 - hidden;
    ctx.fillStyle = `rgb(${red},${green},${blue})`;
    ctx.fillRect(...box);
    const isChanged = Math.abs(change) > APART, room = Math.min(cell, 1.5 * tall);
    if (room >= ROOMY) {
      const size = Math.min(type, room / 2.9), both = isChanged && tall > 2.4 * size;
      setFont(ctx, theme, 500, size);
      Object.assign(ctx, { fillStyle: 0.3 * red + 0.59 * green + 0.11 * blue > 130 ? "#15181c" : "#ffffff", textAlign: "center", textBaseline: "middle" });
      ctx.fillText(weight.toFixed(2), x + width / 2, y + height / 2 - (both ? 0.6 * size : 0));
      if (both) {
        setFont(ctx, theme, 700, Math.min(size, typeSize(theme, 0.9 * size)));
        ctx.fillText(`${change > 0 ? "+" : "−"}${Math.abs(change).toFixed(2)}`, x + width / 2, y + height / 2 + 0.7 * size);
      }
    }
    if (isChanged) {
      Object.assign(ctx, { strokeStyle: theme.text, lineWidth: 2.5 });
      ctx.strokeRect(...box);
    }
    ctx.globalAlpha = 1;
  }

  /** @param {Layout} layout */
  drawWords(ctx, x0, y0, layout) {
    const { theme, now, message: { sentence, words } } = this, { cell, tall, type, isUpright } = layout;
    setFont(ctx, theme, 400, typeSize(theme, NAME));
    Object.assign(ctx, { fillStyle: theme.soft, textAlign: "right", textBaseline: "bottom" });
    ctx.fillText(words.query, x0 - 8, y0 - 3);
    ctx.fillText(words.key, x0 - 8, y0 - 3 - 1.15 * typeSize(theme, NAME));
    setFont(ctx, theme, 500, type);
    Object.assign(ctx, { fillStyle: theme.text, textBaseline: "middle" });
    sentence.forEach((word, at) => {
      const place = now.places[at];
      ctx.textAlign = "right";
      ctx.fillText(word, x0 - 8, y0 + (place + 0.5) * tall);
      ctx.save();
      ctx.translate(x0 + (place + 0.5) * cell, y0 - 6);
      if (isUpright) ctx.rotate(-Math.PI / 2);
      Object.assign(ctx, { textAlign: isUpright ? "left" : "center", textBaseline: isUpright ? "middle" : "bottom" });
      ctx.fillText(word, 0, 0);
      ctx.restore();
    });
  }

  compose() {
    return composePicture(this.plot, this.theme, (ctx) => {
      const { left, top } = this.canvas.getBoundingClientRect();
      ctx.translate(left, top);
      this.drawOn(ctx);
    });
  }
}

/** @param {Shown} from @param {Shown} to @returns {Shown} */
function between(from, to, share) {
  const mix = (a, b) => a + (b - a) * share;
  return {
    places: to.places.map((place, word) => mix(from.places[word] ?? place, place)),
    weights: to.weights.map((weights, at) => weights.map((weight, cell) => mix(from.weights[at]?.[cell] ?? weight, weight))),
    causal: mix(from.causal, to.causal),
  };
}

export default mounting(Orders);
