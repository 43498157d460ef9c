// A staircase over the words: each word is a step down for all that stand before it, and their arcs fade with the depth.
// Height is what is taken from the score, and hangs from the top as a shade; arcs are as wide as the weights that are left.

import { CanvasPicture } from "../canvas_picture.js";
import { fileOf, Readings } from "../lm_worker.js";
import { filled, labelsOf, runsLeft, shorten } from "../text.js";
import { PHONE, sayIn, STARTS } from "../hands/hands.js";
import {
  area,
  crisp,
  drawGrip,
  inPlot,
  Labels,
  line,
  mirror,
  percent,
  probe,
  scaleOf,
  setFont,
  sizeCanvas,
  write,
} from "../plot.js";
import { clamp, formatNumber, lookUp, make, mounting, setAttributes } from "../shared.js";
import { drawArcs, drawTag, drawWords, layOutRow, sizesFor } from "../words_row.js";
import { forgotten, headOf, headsIn, meansOf, movedSteps, readIn, rowOf, stairsOf, tallest } from "./stairs.js";

const TAKEN = [0, 2, 4, 6]; // nats that are taken from a score
const KEYED = 0.05; // nats of a key press
const TALL = 380; // pixels: of the picture on a phone, at most
const ARCS = 0.72; // of its height: to which the playground's arcs and words are laid out; the stairs go farther down
const UNDER = 5; // pixels below the floor
const FOREIGN = /(?!\p{Script=Latin})\p{L}/u; // letters that the model has hardly read
const LEGEND = 20; // pixels: of the line that says what the arcs are
const FULL = 34; // pixels: of an arc with all of the weight
const BETWEEN = 6; // pixels between words of one line, where every second word stands in the line below
const APART_FROM = 14; // pixels between the stairs and the names of their heights
const LONG = 12; // letters of a word within the picture
const SPELT = 14; // bytes of a word that are spelt out

/**
 * @import { Message } from "./message.d.ts"
 * @typedef {{ word: number, locked?: boolean }} Cursor
 * @typedef {ReturnType<typeof stairsOf>} Stairs
 * @typedef {{ chip: HTMLElement, mark: HTMLInputElement, canvas: HTMLCanvasElement }} Chip
 * @extends {CanvasPicture<Message, Cursor, Stairs, any>}
 */
class Heirs extends CanvasPicture {
  chips = make("div", "chips", { role: "radiogroup" });
  handle = make("div", "handle"); // for a finger: what it does not begin on scrolls the page
  second = make("p", "note"); // the other sentence that follows the hand
  /** @type {Chip[]} of every head */ heads = [];
  readings = new Readings();
  asked = ""; // the text that is being read

  constructor(host) {
    super(host, "heirs");
    this.plot.append(this.handle);
    this.note.after(this.second);
    this.plots.after(this.chips);
    this.hands.drag(this.plots, (event) => this.grab(event));
  }

  close() {
    this.readings.stop();
    super.close();
  }

  drawn() {
    return [this.plots, this.chips, this.readout];
  }

  /** PyTorch's numbers. @param {Message} message */
  take(message) {
    this.hands.read("text");
    this.readings.stop();
    this.show(message, { row: Float64Array.from(message.weights) });
  }

  /** @param {Message} message @param {{ row?: Float64Array }} weights PyTorch's, if they are there */
  show(message, weights = {}) {
    if (this.message?.tokens.join(" ") !== message.tokens.join(" ")) this.cursor = null;
    this.asked = "";
    this.nameChips(message);
    this.now = { ...stairsOf(message, this.hands.values), ...weights };
    super.take(message, weights.row ? "python" : "preview");
  }

  computed() {
    const { message, hands } = this, tokens = hands.read("text"), { text } = hands.values;
    if (hands.isRefused || message.hands.values.text === text) return stairsOf(message, hands.values);
    hands.values.fox_steps = "";
    if (this.asked !== text) this.readText(String(text), tokens);
    return null;
  }

  /** The model reads another text. */
  readText(text, tokens) {
    const { message, readings, hands: { words } } = this, { read, ...given } = readIn(text, tokens);
    const weights = () => fileOf(this.component, message.model);
    const layers = Array.from({ length: message.steps.shape[0] / message.heads }, (_, layer) => layer);
    const take = (found) => {
      const values = { ...message.hands.values, text }, numbers = headsIn(found, given.ends);
      const hands = { ...message.hands, values }, letters = labelsOf(read);
      this.show({ ...message, hands, ...given, ...numbers, letters, alt: "" });
    };
    this.asked = text;
    readings.ask(text, layers.map((layer) => ({ prompt: read, weights, layer, of: [] })), take, (reason) => {
      this.showProblem(words.broken.replace("{reason}", reason));
    });
  }

  get isAlibi() {
    return this.hands.values.stairs === "alibi";
  }

  /** The word whose step has the grip: the one that is pointed at, else the one of the tallest in sight, or one in the middle. */
  get word() {
    const { now: { steps, depths }, message: { query, most } } = this;
    const inSight = steps.map((step, word) => (depths[word] < most ? step : 0));
    return Math.min(this.cursor?.word ?? (this.isAlibi ? Math.ceil(query / 2) : tallest(inSight)), query);
  }

  /** @type {import("../words_row.js").WordRow} */
  get wordRow() {
    const { message: { tokens, query }, cursor } = this, length = tokens.length, key = () => cursor?.word ?? query;
    const words = tokens.map((token) => shorten(token, LONG)), isLeftward = runsLeft(tokens.join(" "));
    const all = { count: length, length, times: 1, most: 1, cursor: null }; // it cannot be pulled
    return { ...all, words, word: (i) => words[i], query, key, isLeftward };
  }

  /** A place across the picture, along its words; and the other way round. */
  across(x) {
    return this.wordRow.isLeftward ? this.layout.width - x : x;
  }

  /** @returns {[number, number]} */
  at(event) {
    const [x, y] = super.at(event);
    return [this.across(x), y];
  }

  /** A word within a text on the canvas, which keeps its order beside it. */
  isolated(word) {
    return this.wordRow.isLeftward ? `\u2068${this.wordRow.words[word]}\u2069` : this.wordRow.words[word];
  }

  // The hand on a step.

  /** A press on the stairs holds the step of the word there; of ALiBi all steps follow, so that the foot of this one stays under it. */
  grab(event) {
    const hit = this.message && this.hit(event), [, from] = this.at(event);
    this.dragged = false;
    if (!hit || from < this.layout.top - 4) return null;
    const { layout: { depth }, now: { steps, depths }, message: { most, query }, isAlibi } = this, { word } = hit;
    const start = isAlibi ? steps[word] : Math.min(steps[word], Math.max(2, most - depths[word]));
    const together = isAlibi ? query - word + 1 : 1;
    return (moved) => {
      const [, to] = this.at(moved);
      this.dragged ||= Math.abs(to - from) >= STARTS;
      if (this.dragged) this.setStep(word, start + (depth.from(to) - depth.from(from)) / together);
    };
  }

  /** @param {number | null} wanted null: the model's own */
  setStep(word, wanted) {
    const { message, hands } = this, moved = movedSteps(hands.values);
    const step = Number(clamp(wanted ?? 0, 0, message.steepest).toFixed(3));
    if (wanted === null) moved.delete(word);
    else moved.set(word, step);
    const entries = [...moved].sort(([a], [b]) => a - b).map(([at, value]) => `${at + 1}:${value}`);
    this.cursor = { ...this.cursor, word };
    hands.set(this.isAlibi ? { alibi_step: step } : { fox_steps: entries.join(",") });
  }

  /** Up and down move the step, Backspace gives it back; all other keys move the cursor. */
  useKey(event) {
    const { word, now: { steps }, hands } = this, turn = lookUp({ ArrowDown: KEYED, ArrowUp: -KEYED }, event.key);
    if (!turn && (event.key !== "Backspace" || this.isAlibi)) return super.useKey(event);
    this.setStep(word, turn ? steps[word] + turn * (event.shiftKey ? 10 : 1) : null);
    hands.releaseLater();
    return undefined;
  }

  // The cursor.

  hit(event) {
    const { layout, handle, message: { query } } = this;
    const word = event.target === handle ? this.word : layout.at(this.at(event)[0]);
    return query < 1 || word < 1 || word > query ? null : { word };
  }

  isAt({ word }) {
    return this.cursor?.word === word;
  }

  first() {
    return { word: this.word };
  }

  step({ key }, { word }) {
    const on = this.wordRow.isLeftward ? -1 : 1;
    const to = { ArrowLeft: word - on, ArrowRight: word + on, Home: 1, End: this.message.query }[key];
    return to === undefined ? null : { word: clamp(to, 1, this.message.query) };
  }

  say() {
    const { word, isAlibi, message: { words, query }, hands: { values } } = this;
    const template = isAlibi ? words.constant : movedSteps(values).has(word) ? words.moved : words.spelt;
    this.showReadout(query < 1 ? words.one_word : template);
  }

  placeholder(name) {
    const { word, message, now: { steps, row }, hands: { values } } = this,
      { tokens, query, letters, ends } = message;
    const at = headOf(message, values), from = word ? ends[word - 1] : 0, gates = rowOf(message.gates, at);
    const spelt = letters.slice(from, ends[word]).map((letter, i) => `${letter} ${nats(gates[from + i])}`);
    return {
      word: tokens[word],
      query: tokens[query],
      step: nats(steps[word]),
      trained: nats(rowOf(message.steps, at)[word]),
      spelt: spelt.length > SPELT ? `${spelt.slice(0, SPELT).join(" + ")} + …` : spelt.join(" + "),
      beyond: percent(row.slice(0, word).reduce((sum, share) => sum + share, 0)),
    }[name];
  }

  // Drawing.

  /** The words and the arcs, and the stairs in place of its curves. */
  place(height) {
    const { root, width, theme, wordRow, message: { most, words } } = this, small = root.clientWidth < PHONE;
    const tall = small ? Math.min(height, TALL) : height, bottom = tall - UNDER;
    const sizes = sizesFor({ width, tall: ARCS * (tall - LEGEND), small, large: false });
    const levels = TAKEN.map((taken) => {
      const left = formatNumber(Math.exp(-taken), 2);
      return { taken, texts: [filled(words.score, () => String(taken)), filled(words.weight, () => left)] };
    });
    setFont(probe, theme, 400, sizes.note);
    const widthOf = (text) => probe.measureText(text).width;
    sizes.beside = Math.max(...levels.flatMap(({ texts }) => texts.map(widthOf))) + APART_FROM;
    setFont(probe, theme, 600, sizes.type);
    const places = layOutRow(wordRow, sizes, widthOf), { arcs, pitch, flat, type } = places;
    const widths = wordRow.words.map(widthOf);
    // Where the words have no room in a line, they may have it in two.
    const inTwo = !flat && widths.every((wide, i) => (wide + (widths[i + 2] ?? 0)) / 2 + BETWEEN <= 2 * pitch);
    const row = inTwo ? 2 * type + 18 : places.row;
    const lines = inTwo
      ? { upright: false, ticks: false, flat: true, drop: type + 5, middle: arcs + type }
      : { drop: 0 };
    const top = LEGEND + arcs + row + 4, depth = scaleOf({ low: 0, high: most }, top + 10, bottom);
    return { ...places, ...lines, row, top, bottom, depth, height: tall, levels, full: FULL, behind: 1, isPlain: true };
  }

  colourOf(stairs) {
    return this.message.colours[stairs][this.theme.dark ? 1 : 0];
  }

  /** Which word has the largest step, and which is forgotten most. */
  sayNote() {
    const { note, second, message: { words, query }, wordRow: { words: tokens }, now, isAlibi } = this;
    const { steps, row, plain } = now, word = tallest(steps), lost = forgotten(now);
    const isKept = query < 1 || plain[lost] <= row[lost];
    const values = {
      word: tokens[word],
      at: String(word + 1),
      step: nats(steps[word]),
      kept: formatNumber(Math.exp(-steps[word]), 2),
      lost: tokens[lost],
      place: String(lost + 1),
      query: tokens[query],
      plain: percent(plain[lost]),
      left: percent(row[lost]),
    };
    sayIn(note, query < 1 ? words.one_word : isAlibi ? words.door_alibi : words.door_fox, (name) => values[name]);
    const said = !isAlibi && tokens.some((token) => FOREIGN.test(token)) ? words.forgotten_foreign : words.forgotten;
    sayIn(second, query < 1 ? "" : isKept ? words.forgotten_none : said, (name) => values[name]);
  }

  draw() {
    super.draw();
    this.drawChips();
    const { handle, scale } = this, { x, y } = this.gripOf();
    const left = this.across(x) * scale;
    Object.assign(handle.style, { left: `${left}px`, top: `${y * scale}px` });
    this.base.dataset.grip = `${left},${y * scale}`; // for who looks from outside
  }

  /** The middle of a step that is in sight. */
  gripOf() {
    const { layout: { depth, x, pitch, bottom }, now: { steps, depths }, word } = this;
    const [from, to] = [depths[word], depths[word] + steps[word]].map((at) => Math.min(depth.to(at), bottom));
    return { x: x(word) - pitch / 2, y: Math.min((from + to) / 2, bottom - 10) };
  }

  drawOn(ctx) {
    const { layout: places, now, wordRow, theme, message: { query }, hands: { values } } = this;
    const { depth, left, note: size, x, pitch, width, levels } = places;
    const ink = { ...theme, accent: this.colourOf(values.stairs) };
    const right = x(query) + pitch / 2, look = { size, align: "right" };
    if (query > 0) this.drawLegend(ctx, ink);
    ctx.save();
    if (wordRow.isLeftward) mirror(ctx, width);
    for (const { taken, texts } of levels) {
      const y = depth.to(taken);
      line(ctx, [[left, crisp(y)], [right, crisp(y)]], theme.grid);
      texts.forEach((text, at) => write(ctx, theme, text, width, y + at * (size + 2), look));
    }
    if (query > 0) this.drawStairs(ctx, ink);
    ctx.translate(0, LEGEND);
    drawArcs(ctx, wordRow, places, ink, now.row, now.plain);
    if (query > 0) this.drawForgotten(ctx, ink);
    drawWords(ctx, wordRow, places, ink, now.row, now.plain);
    ctx.restore();
  }

  /** What the arcs are. */
  drawLegend(ctx, ink) {
    const { layout: { note: size, small, left }, message: { words, query } } = this;
    let x = small ? left : 0; // under the sentences
    const put = (text) => {
      write(ctx, ink, text, x, size / 2 + 2, { size });
      x += ctx.measureText(text).width + 10;
    };
    put(filled(words.arcs, () => this.isolated(query)));
    for (const [colour, text] of [[ink.accent, words.with_steps], [ink.quiet, words.without_steps]]) {
      line(ctx, [[x, size / 2 + 2], [x + 20, size / 2 + 2]], colour, 5);
      x += 26;
      put(text);
    }
  }

  /** On its arc what the word that is forgotten most has lost; beside the query what it keeps. */
  drawForgotten(ctx, ink) {
    const { layout: places, now, wordRow, message: { words, tokens, query } } = this, { row, plain } = now;
    const lost = forgotten(now), { note: size, middle, drop, width } = places, y = middle + (query % 2) * drop;
    const values = { lost: this.isolated(lost), plain: percent(plain[lost]), left: percent(row[lost]) };
    const text = filled(words.tag, (name) => values[name]);
    if (plain[lost] > row[lost]) drawTag(ctx, wordRow, places, { ...ink, accent: ink.text }, lost, row, text);
    if (tokens.length > query + 1) return;
    write(ctx, ink, percent(row[query]), width, y - 8, { size, weight: 700, colour: ink.accent, align: "right" });
    write(ctx, ink, words.itself, width, y + size - 6, { size, align: "right" });
  }

  /** Of what is chosen the stairs, with a thick line for each step; of the other the line, dashed; and the grip. */
  drawStairs(ctx, ink) {
    const { layout: places, now: { depths }, message, hands: { values }, isAlibi, word } = this;
    const { query, words } = message, { top, bottom, left, x, pitch, small, depth } = places;
    const other = isAlibi ? "fox" : "alibi", grip = this.gripOf();
    const stairs = stairsLine(places, depths), { depths: others } = stairsOf(message, { ...values, stairs: other });
    const riser = (at) => stairs.slice(2 * at - 1, 2 * at + 1), right = x(query) + pitch / 2, ceiling = depth.to(0);
    ctx.globalAlpha = 0.09;
    ctx.fillStyle = ink.text;
    ctx.fillRect(x(word) - pitch / 2, top, pitch, bottom - top);
    ctx.globalAlpha = 1;
    inPlot(ctx, { left, right, top, bottom }, () => { // what is deeper is out of sight
      ctx.globalAlpha = ink.dark ? 0.22 : 0.12;
      area(ctx, [...stairs, [right, ceiling], [left, ceiling]], ink.accent);
      ctx.globalAlpha = 1;
      line(ctx, stairsLine(places, others), this.colourOf(other), 1.5, [5, 4]);
      line(ctx, stairs, ink.accent, 2);
      for (let at = 1; at <= query; at += 1) line(ctx, riser(at), at === word ? ink.bias : ink.accent, 5);
    });
    this.drawNumbers(ctx, ink, grip);
    const { note: size } = places, name = { size, weight: 700 }, under = depth.to(others[0]) + size;
    const y = under < bottom - size / 2 && !small ? under : Math.min(under, bottom + size) - 2 * size;
    const facts = { ...values, alibi_step: nats(values.alibi_step), taken: nats(depths[0]) };
    const say = (template) => filled(template, (key) => String(facts[key]));
    write(ctx, ink, say(words[other]), left, y, { ...name, colour: this.colourOf(other) });
    const foot = depth.to(depths[0]), isLow = foot - ceiling < 2 * size; // else there is room in the shade
    const at = isLow ? foot + 3 * size : ceiling + size;
    write(ctx, ink, say(words[`taken_${values.stairs}`]), left, at, { ...name, colour: ink.accent });
    const look = { colour: ink.bias, isUpright: true, radius: small ? 11 : 9, isHint: !this.dragged && !this.cursor };
    drawGrip(ctx, ink, grip.x, grip.y, look);
  }

  /** The step of every word in sight, under where it stands; where there is no room, of the chosen one and the largest first. */
  drawNumbers(ctx, ink, grip) {
    const { layout: { depth, x, pitch, bottom, note: size }, now: { steps, depths }, message } = this;
    const { words, most } = message;
    const high = size - 2, top = tallest(steps);
    const labels = new Labels([-size, 0, size].map((off) => ({ x: grip.x, y: grip.y + off, wide: 2 * size, high })));
    const rank = (word) => (word === this.word ? 2 : word === top ? 1 : 0);
    const shown = [...steps.keys()].slice(1).filter((word) => depths[word] < most || word === this.word);
    for (const word of shown.sort((a, b) => rank(b) - rank(a))) {
      const isChosen = word === this.word, look = isChosen ? { colour: ink.bias, weight: 700 } : { colour: ink.text };
      const y = Math.min(depth.to(depths[word]) + size, bottom - size);
      const left = x(word) - pitch / 2 + (isChosen ? 14 : 3); // beside the grip
      const number = nats(steps[word]), text = word === top && !this.isAlibi ? `${number} ${words.largest}` : number;
      setFont(ctx, ink, 700, size);
      const wide = ctx.measureText(text).width;
      if (labels.take(left + wide / 2, y, wide, high)) write(ctx, ink, text, left, y, { size, ...look });
    }
  }

  // The heads.

  /** A chip a head, a line a layer; its name says its mean step in this text too. @param {Message} message */
  nameChips(message) {
    const { heads, chips } = this, { words, steps: { shape } } = message;
    for (let at = heads.length; at < shape[0]; at += 1) this.addChip(placeOf(message, at));
    for (const [at, layer] of Array.from(chips.children).entries()) {
      layer.children[0].textContent = filled(words.heads, () => String(at + 1));
    }
    meansOf(message).forEach((mean, at) => {
      const name = filled(words.chip, (key) => ({ ...placeOf(message, at), mean: nats(mean) })[key]);
      setAttributes(heads[at].mark, { "aria-label": name, title: name });
    });
  }

  addChip({ layer, head }) {
    const { chips, heads, hands } = this, mark = make("input", "", { type: "radio", name: "chip" });
    mark.addEventListener("change", () => hands.choose({ layer, head, stairs: "fox", fox_steps: "" }));
    const canvas = make("canvas", "", { "aria-hidden": "true" }), number = make("span", "", {}, String(head));
    const chip = make("label", "chip", {}, mark, canvas, number);
    if (head === 1) chips.append(make("div", "layer", {}, make("span", "caption")));
    chips.children[layer - 1].append(chip);
    heads.push({ chip, mark, canvas });
  }

  /** In each chip the steps of its words, all on one scale. */
  drawChips() {
    const { heads, message, theme, ratio, hands: { values }, isAlibi } = this, chosen = headOf(message, values);
    const [{ clientWidth: width, clientHeight: height }] = heads.map(({ chip }) => chip);
    if (!width) return;
    const scale = scaleOf({ low: 0, high: Math.max(...message.steps) }, height - 17, 3);
    heads.forEach(({ mark, canvas }, at) => {
      mark.checked = at === chosen && !isAlibi;
      const steps = (mark.checked ? this.now.steps : rowOf(message.steps, at)).subarray(1),
        pitch = (width - 8) / steps.length;
      const ctx = sizeCanvas(canvas, width, height, ratio);
      if (this.wordRow.isLeftward) mirror(ctx, width);
      ctx.fillStyle = mark.checked ? this.colourOf("fox") : theme.quiet;
      steps.forEach((step, word) => {
        const y = Math.max(3, Math.min(scale.to(step), height - 18));
        ctx.fillRect(4 + word * pitch, y, Math.max(1, pitch - 1), height - 17 - y);
      });
    });
  }

  pictured() {
    return [this.note, this.second, this.plots, this.chips];
  }
}

/** A step for reading: 0.25, 0.004, 12.4. */
const nats = (step) => step === 0 ? "0" : step.toFixed(step < 0.1 ? 3 : step < 10 ? 2 : 1);

/** The layer and the head of a row of the message. @param {Message} message */
const placeOf = ({ heads }, at) => ({ layer: Math.floor(at / heads) + 1, head: (at % heads) + 1 });

/** The stairs from the left to the query: as deep as each word stands. @returns {[number, number][]} */
function stairsLine({ left, pitch, depth }, depths) {
  return Array.from({ length: depths.length }, (_, word) => {
    const y = depth.to(depths[word]);
    return /** @type {[number, number][]} */ ([[left + word * pitch, y], [left + (word + 1) * pitch, y]]);
  }).flat();
}

export default mounting(Heirs);
