// A sentence whose words a hand moves, and under it two attentions: without positions, and with ALiBi. Every weight glides
// with its two words, by the style sheet; one that has changed is outlined, and says by how much.

import { typeSize } from "../parts.js";
import { clamp, formatNumber, make, mounting } from "../shared.js";
import { LOWEST, PHONE, sayIn } from "../hands/hands.js";
import { PictureBase } from "../hands/picture_base.js";
import { colours } from "../matrices/colour.js";
import { byWord, largestChange, orderOf, placesOf, weightsOf } from "./core.js";

const ROOMY = 42; // pixels of a cell that has room for its number
const SLENDER = 1.5; // a cell is at most so many times as wide as it is high
const APART = 0.005; // a reader sees a larger change
const STEPS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

/** @import { Message } from "./message.d.ts" */

/** @extends {PictureBase<Message>} */
class Orders extends PictureBase {
  /** @type {number[]} the word of each place */ order = [];
  /** @type {Float64Array[]} both attentions in the sentence's own order */ before = [];
  /** @type {Float64Array[]} both in the reader's order */ weights = [];
  /** @type {ReturnType<typeof buildAttention>[]} */ attentions = [];
  chips = make("div", "chips", { role: "group", dir: "auto" });
  note = make("p", "note", { "aria-live": "polite" });
  plot = make("div", "plots", { role: "img", "aria-describedby": "alt" });

  constructor(host) {
    super(host, make("div", "picture orders", { role: "group" }));
    const { root, chips, note, trouble, plot, alt, live, room } = this;
    root.append(this.hands.row, this.hands.foot, this.hands.advanced, trouble, chips, note, plot, live, alt, room);
    this.hands.drag(chips, (event, off) => this.grab(event, off));
    chips.addEventListener("keydown", (event) => this.onKey(event));
  }

  drawn() {
    return [this.chips, this.note, this.plot];
  }

  pictured() {
    return [this.plot];
  }

  /** PyTorch's numbers. */
  take(message) {
    const { words, sentence, problem } = message, count = sentence.length;
    const isSame = this.message?.sentence.join(" ") === sentence.join(" ");
    const halves = (weights) => [0, 1].map((at) => weights.subarray(at * count ** 2, (at + 1) * count ** 2));
    this.message = message;
    this.showProblem(problem);
    if (problem) return;
    this.alt.textContent = message.alt;
    this.plot.setAttribute("aria-label", words.label);
    this.chips.setAttribute("aria-label", words.chips);
    this.order = message.order;
    this.before = halves(message.before).map((weights) => byWord(weights, orderOf("", count)));
    this.weights = halves(message.weights).map((weights) => byWord(weights, message.order));
    this.showChips();
    if (!isSame) this.attentions = ["plain", "alibi"].map((name) => buildAttention(name, words, sentence));
    this.plot.replaceChildren(...this.attentions.map(({ figure }) => figure));
    this.say();
    this.layOut();
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
    this.weights = slopes.map((slope) => weightsOf(message.content, order, slope, causal));
    this.say();
    this.schedule();
  }

  // The words, which a hand or the arrow keys move.

  showChips() {
    const { sentence, words } = this.message, chips = /** @type {HTMLElement[]} */ ([...this.chips.children]);
    if (
      chips.length === sentence.length &&
      chips.every((chip) => sentence[Number(chip.dataset.word)] === chip.textContent)
    ) {
      const focused = /** @type {ShadowRoot} */ (this.chips.getRootNode()).activeElement;
      this.order.forEach((word, place) => {
        const chip = chips.find((other) => other.dataset.word === String(word));
        if (chip && this.chips.children[place] !== chip) this.chips.insertBefore(chip, this.chips.children[place]);
      });
      if (focused instanceof HTMLElement && this.chips.contains(focused)) focused.focus();
      return;
    }
    this.chips.replaceChildren(
      ...this.order.map((word) =>
        make("button", "chip", { type: "button", title: words.hint, "data-word": String(word) }, sentence[word])
      ),
    );
  }

  grab(event, off) {
    const chip = event.target.closest(".chip");
    if (!chip) return null;
    chip.classList.add("held");
    off.addEventListener("abort", () => chip.classList.remove("held"));
    return (moved) => this.put(Number(chip.dataset.word), this.placeAt(moved));
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

  /** The sentence that follows the hand. */
  say() {
    const { words } = this.message,
      [plain, alibi] = this.before.map((before, at) => largestChange(before, this.weights[at]));
    const isOwn = this.order.every((word, place) => word === place), numbers = { plain, alibi };
    sayIn(
      this.note,
      isOwn ? words.note_same : words.note,
      (name) => (name in numbers ? formatNumber(numbers[name] < 1e-6 ? 0 : numbers[name], 2) : undefined),
    );
  }

  /** Cells are as large as the room allows; names of the keys stand upright where they are wider. */
  arrange() {
    const { root, room, plot, theme, attentions: [attention] } = this;
    if (!attention) return; // the sentence cannot be read
    const { grid, queries, keys } = attention, count = keys.length;
    const longest = (names) => `${Math.max(...names.map((name) => name.offsetWidth))}px`;
    root.classList.toggle("narrow", root.clientWidth < PHONE);
    plot.classList.remove("upright");
    const high = Math.max(LOWEST * 0.7, room.offsetHeight - (root.offsetHeight - plot.offsetHeight));
    plot.classList.toggle("stacked", high > plot.clientWidth);
    plot.style.height = `${high}px`;
    plot.style.setProperty("--alibi", this.message.colours[Number(theme.dark)]);
    plot.style.setProperty(
      "--type",
      `${clamp(root.clientWidth / 48, typeSize(theme, 13), Math.max(20, typeSize(theme)))}px`,
    );
    plot.style.setProperty("--left", longest(queries));
    const wide = Math.floor(grid.clientWidth / count);
    plot.style.setProperty("--above", longest(keys));
    plot.classList.toggle("upright", keys.some((key) => key.offsetWidth > wide));
    const tall = Math.min(Math.floor(grid.clientHeight / count), wide);
    plot.style.setProperty("--cell", `${Math.min(wide, Math.floor(SLENDER * tall))}px`);
    plot.style.setProperty("--tall", `${tall}px`);
    plot.classList.toggle("small", Math.min(wide, 1.5 * tall) < ROOMY);
  }

  draw() {
    const { theme, attentions, before, weights, hands: { values } } = this,
      places = placesOf(this.order),
      count = places.length;
    const table = colours("weight", theme.dark);
    attentions.forEach(({ queries, keys, cells }, at) => {
      places.forEach((place, word) => {
        queries[word].style.setProperty("--row", String(place));
        keys[word].style.setProperty("--col", String(place));
      });
      cells.forEach((cell, number) => {
        const query = Math.floor(number / count),
          key = number % count,
          isMasked = values.causal && places[key] > places[query];
        const weight = weights[at][number],
          change = isMasked ? 0 : weight - before[at][number],
          isChanged = Math.abs(change) > APART;
        const fill = table[Math.round(Math.sqrt(clamp(weight, 0, 1)) * 255)],
          rgb = [fill & 255, (fill >> 8) & 255, (fill >> 16) & 255];
        cell.style.setProperty("--row", String(places[query]));
        cell.style.setProperty("--col", String(places[key]));
        cell.style.background = isMasked ? "" : `rgb(${rgb.join(",")})`;
        cell.style.color = isPale(rgb) ? "#000000" : "#ffffff";
        cell.classList.toggle("masked", isMasked);
        cell.classList.toggle("changed", isChanged);
        cell.replaceChildren(isMasked ? "" : weight.toFixed(2));
        if (isChanged) cell.append(make("b", "", {}, `${change > 0 ? "+" : "−"}${Math.abs(change).toFixed(2)}`));
      });
    });
  }
}

/** Whether black is read better on a colour than white: by its luminance. */
function isPale(rgb) {
  const [red, green, blue] = rgb.map((part) => (part / 255) ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18;
}

/** The elements of one attention: its title, the words as queries and as keys, and a cell a pair. */
function buildAttention(name, words, sentence) {
  const figure = make("figure", `attention ${name}`), grid = make("div", "grid"), sides = make("div", "sides");
  const queries = sentence.map((word) => make("span", "query", {}, word)),
    keys = sentence.map((word) => make("span", "key", {}, word));
  const cells = sentence.flatMap(() => sentence.map(() => make("span", "cell")));
  sides.append(words.key, make("br"), words.query);
  grid.append(sides, ...queries, ...keys, ...cells);
  figure.append(make("figcaption", "", {}, words[name]), grid);
  return { figure, grid, queries, keys, cells };
}

export default mounting(Orders);
