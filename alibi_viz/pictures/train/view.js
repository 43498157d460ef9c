// Models that this browser trains, a worker each: the loss grows on the left, the test beyond L on the right, and words say what it
// shows. Until a method has a run of the reader's own, the shipped one of the same recipe stands there in grey.

import { PHONE } from "../hands/hands.js";
import { PictureBase } from "../hands/picture_base.js";
import { drawAxes, drawDot, drawEnds, inPlot, line, perplexity, plotOf, sizeCanvas, typeSize, write } from "../plot.js";
import { clamp, make, mounting } from "../shared.js";
import { filled } from "../text.js";
import { Run } from "./run.js";
import { BLOCK, meanOf, verdictOf } from "./verdict.js";

const BUILT_IN = { losses: { low: 1.5, high: 6 }, test: { low: 4, high: 64, log: true }, levels: [4, 8, 16, 32, 64] };
// A reader's text may be much easier, or harder.
const ANY_TEXT = { losses: { low: 0, high: 6 }, test: { low: 1, high: 256, log: true }, levels: [1, 4, 16, 64, 256] };
const MEAN = 10; // steps of a point of the curve
const LOWEST = 230; // pixels of a plot
const TYPE = 12; // pixels, at a desk
const BESIDE = 150, LEFT = 34, ABOVE = 26, BELOW = 26; // pixels around a plot; beside it stand the names
const TRIED = 30; // steps after which it is known how long all of them take
const SLOW = 45; // seconds of training, beyond which the models become narrow by themselves
const NARROW = 32;
const FEWEST = 20_000, MOST = 100_000; // bytes of a reader's text
const BOUNDS = { least: FEWEST.toLocaleString("en"), most: MOST.toLocaleString("en") };
const TESTED = 5; // the fifth part of it is the test, or more, so that the rule has enough blocks
const PROMPT = 30; // bytes of it that a model writes on

/**
 * @import { Message, Method } from "./message.d.ts"
 * @typedef {{ name: string, colours: [string, string], isOwn: boolean, step: number, losses: number[], perplexities: number[] }} Drawn
 *   losses: means of MEAN steps, or of the last ones up to `step`
 */

/** @extends {PictureBase<Message>} */
class Train extends PictureBase {
  /** @type {Map<string, Run>} of the reader, by method */ runs = new Map();
  made = ""; // the choices that they are of
  isPlaying = false;
  isNarrowed = false; // by itself, for a slow device
  /** @type {Uint8Array | null} */ ownText = null;
  refused = 0; // bytes of a text that is too short or too long: then nothing is trained
  top = make("div", "top");
  buttons = make("div", "buttons");
  note = make("p", "note");
  states = make("div", "states");
  canvas = make("canvas", "base", { role: "img" });
  own = make("details", "own");
  area = make("textarea", "", { rows: "5", maxlength: String(MOST) });
  said = make("p");
  papers = make("div", "papers");
  /** @type {ReturnType<Train["placed"]>} */ places;

  constructor(host) {
    super(host, make("div", "picture train", { role: "group" }));
    const { root, hands, top, buttons, note, states, canvas, own, papers, trouble, live, alt, ruler } = this;
    top.append(hands.row, buttons);
    root.append(top, hands.foot, hands.advanced, trouble, note, states, canvas, papers, own, live, alt, ruler);
    this.area.addEventListener("change", () => this.takeText());
  }

  close() {
    this.forgetRuns();
    super.close();
  }

  /** @param {Message} message */
  take(message) {
    const { words } = message;
    this.message = message;
    this.root.setAttribute("aria-label", words.label);
    this.area.setAttribute("aria-label", words.own);
    this.own.replaceChildren(make("summary", "", {}, words.own), this.area, this.said);
    this.said.textContent = this.say("bounds", BOUNDS);
    this.moved();
    this.layOut();
  }

  /** The methods that are chosen, in the order of the row. */
  get chosen() {
    const names = String(this.hands.values.train).split(",");
    return this.message.methods.filter(({ method }) => names.includes(method));
  }

  /** The hands have moved: other choices have other runs. */
  moved() {
    const { train_length: length, train_width: width, train_seed: seed } = this.hands.values;
    const made = JSON.stringify([length, width, seed]);
    if (made !== this.made) this.forgetRuns();
    this.made = made;
    this.schedule();
  }

  forgetRuns() {
    for (const run of this.runs.values()) run.stop();
    this.runs.clear();
    this.isPlaying = false;
  }

  /** A line of the picture. @param {string} name @param {Record<string, unknown>} values */
  say = (name, values = {}) => filled(this.message.words[name], (key) => values[key]);

  // What the buttons do.

  /** The runs of the chosen methods, which begin if there are none yet. @returns {Run[]} */
  begun() {
    const { message, hands: { values }, ownText } = this, length = Number(values.train_length);
    const { times } = message;
    const numbers = { length, width: Number(values.train_width), seed: Number(values.train_seed) };
    const others = { longest: Math.max(...times) * length, max_distance: message.max_distance[length] };
    const tested = Math.max(Math.ceil((ownText?.length ?? 0) / TESTED), Number(message.rule.fewest) * BLOCK + 1);
    const train = Uint8Array.from(ownText?.subarray(0, -tested) ?? message.train);
    const held_out = Uint8Array.from(ownText?.subarray(-tested) ?? message.held_out);
    return this.chosen.map(({ method }) => {
      const config = /** @type {any} */ ({ ...message.config, ...numbers, ...others, method });
      const run = this.runs.get(method) ?? new Run({ config, train, held_out, times }, () => this.advanced());
      this.runs.set(method, run);
      return run;
    });
  }

  play(steps = Infinity) {
    this.isPlaying = steps === Infinity;
    for (const run of this.begun()) run.goOn(steps);
    this.schedule();
  }

  pause() {
    this.isPlaying = false;
    for (const run of this.runs.values()) run.pause();
    this.schedule();
  }

  reset() {
    this.forgetRuns();
    this.schedule();
  }

  /** Other choices, from the start. */
  playWith(values) {
    this.hands.choose(values);
    this.forgetRuns();
    this.play();
  }

  /** The chosen models write on, as far again as the test has read. */
  writeOn() {
    const { message: { prompt, temperature, times }, ownText, hands: { values } } = this;
    const given = ownText?.slice(0, PROMPT) ?? new TextEncoder().encode(prompt), seed = Number(values.train_seed);
    const length = times[times.length - 2] * Number(values.train_length) - given.length;
    for (const run of this.begun()) if (run.file) run.write({ prompt: given, temperature, seed, length });
  }

  /** A run has gone on. */
  advanced() {
    const runs = [...this.runs.values()], { hands: { values }, message } = this;
    const isUsual = Number(values.train_width) === message.config.width && !this.isNarrowed;
    const takes = ({ step, milliseconds, task }) => (milliseconds * task.config.steps) / step / 1000;
    const isSlow = (run) => run.step >= TRIED && run.step < 3 * TRIED && takes(run) > SLOW;
    if (this.isPlaying && isUsual && runs.some(isSlow)) {
      this.isNarrowed = true;
      return this.playWith({ train_width: String(NARROW) });
    }
    if (this.isPlaying && runs.every(({ isDone, budget }) => isDone || budget <= 0)) {
      this.isPlaying = false;
      this.sayWords();
      this.speak(this.states.textContent);
    }
    this.schedule();
  }

  takeText() {
    const text = new TextEncoder().encode(this.area.value), isRight = text.length >= FEWEST && text.length <= MOST;
    this.ownText = isRight ? text : null;
    this.refused = isRight ? 0 : text.length;
    this.said.classList.toggle("refused", this.refused > 0);
    this.reset();
    this.layOut(false); // on other axes
  }

  // Drawing.

  /** What is drawn of a method, and what is said of it. @param {Method} method */
  shown({ method, losses, perplexities, verdict }) {
    const { words, times, verdict_at: far } = this.message, run = this.runs.get(method);
    if (run && !run.problem) return { isOwn: true, ...this.shownOf(run) };
    const numbers = { at: perplexity(perplexities[0]), far: perplexity(perplexities[times.indexOf(far)]) };
    const said = run ? [this.problemOf(run)] : [words.shipped, this.say(verdict, numbers)];
    return { isOwn: false, step: Infinity, losses: [...losses], perplexities, said };
  }

  /** @param {Run} run */
  shownOf({ step, losses, measured, task: { times, config: { steps: all } } }) {
    const { words, verdict_at: far, bigram, bytes_per_word: perWord, rule } = this.message;
    const means = Array.from({ length: Math.ceil(step / MEAN) }, (_, at) => {
      return meanOf(losses.slice(at * MEAN, (at + 1) * MEAN));
    });
    const perplexities = measured.map(({ loss }) => Math.exp(loss)), at = times.indexOf(far), said = [words.yours];
    if (step < all) said.push(this.say("running", { step, steps: all }));
    else if (measured.length < times.length) {
      said.push(this.say("testing", { n: measured.length + 1, all: times.length }));
    }
    if (measured.length > at) {
      const rises = measured[at].by_block.map((loss, block) => (loss - measured[0].by_block[block]) * perWord);
      const isEarly = !this.ownText && perplexities[0] >= bigram;
      const name = isEarly ? "early" : verdictOf(rises, rule);
      said.push(this.say(name, { at: perplexity(perplexities[0]), far: perplexity(perplexities[at]) }));
    }
    return { step, losses: means, perplexities, said };
  }

  /** What a browser lacks, or what has failed. @param {Run} run */
  problemOf({ problem }) {
    const { words: { lacks } } = this.message;
    return /SIMD|WebAssembly|wasm/i.test(problem) ? lacks : this.say("failed", { error: problem });
  }

  get curves() {
    return this.chosen.map((method) => ({ ...method, ...this.shown(method) }));
  }

  get axes() {
    return this.ownText ? ANY_TEXT : BUILT_IN;
  }

  arrange() {
    const { root, canvas, papers, ruler } = this, isNarrow = root.clientWidth < PHONE;
    root.classList.toggle("narrow", isNarrow);
    this.sayWords(); // the plots have the height that they leave
    const others = root.offsetHeight - canvas.offsetHeight - papers.offsetHeight;
    this.places = this.placed(isNarrow, Math.max(LOWEST, isNarrow ? 0 : ruler.offsetHeight - others));
  }

  /** Both plots, side by side or one below the other. */
  placed(isNarrow, high) {
    const { root: { clientWidth: width }, theme, message: { config, times }, axes } = this;
    const size = typeSize(theme, TYPE), wide = isNarrow ? width : width / 2, longest = times[times.length - 1];
    const edges = (left, top, beside) => {
      return { left: left + LEFT, right: left + wide - beside, top: top + ABOVE, bottom: top + high - BELOW - size };
    };
    const test = edges(isNarrow ? 0 : wide, isNarrow ? high : 0, (BESIDE * size) / TYPE);
    return {
      losses: plotOf(edges(0, 0, LEFT), { low: 0, high: Number(config.steps) }, axes.losses),
      test: plotOf(test, { low: 1, high: longest, log: true }, axes.test),
      ...{ size, width, height: isNarrow ? 2 * high : high },
    };
  }

  draw() {
    const { places: { losses, test, size, width, height }, theme, message: { words, times, config }, axes } = this;
    const ctx = sizeCanvas(this.canvas, width, height, this.ratio), length = this.hands.values.train_length;
    const levels = [0, 1, 2, 3, 4, 5, 6].filter((loss) => loss >= axes.losses.low);
    const stops = [0, 1, 2, 3, 4].map((quarter) => (quarter * Number(config.steps)) / 4);
    drawAxes(ctx, theme, losses, { levels, stops, size });
    const stopText = (time) => (time === 1 ? `L = ${length}` : `${time} L`);
    drawAxes(ctx, theme, test, { levels: axes.levels, stops: [...times], size, stopText, levelText: String });
    write(ctx, theme, words.losses, losses.left - LEFT + 4, losses.top - 15, { size });
    write(ctx, theme, words.test, test.left - LEFT + 4, test.top - 15, { size });
    const { curves } = this;
    for (const one of curves) this.drawCurves(ctx, one);
    const names = curves.filter(({ perplexities }) => perplexities.length).map((one) => {
      const last = one.perplexities[one.perplexities.length - 1];
      const y = clamp(test.y(last), test.top, test.bottom), colour = this.colourOf(one);
      return { text: `${one.name} ${perplexity(last)}`, y, colour, weight: one.isOwn ? 700 : 400 };
    });
    drawEnds(ctx, theme, names, test.right + 4, { size, top: test.top, bottom: test.bottom });
    this.sayWords();
    this.showTexts();
  }

  /** @param {Drawn} one */
  colourOf = ({ colours, isOwn }) => (isOwn ? colours[Number(this.theme.dark)] : this.theme.soft);

  /** @param {CanvasRenderingContext2D} ctx @param {Drawn} one */
  drawCurves(ctx, one) {
    const { theme, places: { losses, test }, message: { times } } = this, colour = this.colourOf(one);
    const points = one.losses.map((loss, at) => [losses.x(Math.min((at + 1) * MEAN, one.step)), losses.y(loss)]);
    const ends = one.perplexities.map((value, at) => [test.x(times[at]), test.y(value)]);
    if (points.length) inPlot(ctx, losses, () => line(ctx, points, colour, one.isOwn ? 2.4 : 1.6));
    inPlot(ctx, test, () => line(ctx, ends, colour, one.isOwn ? 2.4 : 1.6));
    for (const [x, y] of ends) drawDot(ctx, x, clamp(y, test.top, test.bottom), one.isOwn ? 4 : 3, colour, theme);
  }

  /** The words around the plots. */
  sayWords() {
    const { curves, message: { words, config }, states, isNarrowed, hands: { values } } = this;
    const isNarrow = isNarrowed && Number(values.train_width) === NARROW, isOwn = curves.some((one) => one.isOwn);
    const isGrey = curves.some((one) => !one.isOwn), bytes = this.refused.toLocaleString("en");
    const grey = this.refused ? this.say("refused", { bytes, ...BOUNDS }) : isGrey && this.say("grey", config);
    const parts = [isNarrow && this.say("slow", { width: NARROW }), grey, isOwn && words.seeds];
    this.note.textContent = parts.filter(Boolean).join(" ");
    states.replaceChildren(...curves.map((one) => {
      const name = make("b", "", {}, one.name);
      name.style.setProperty("--c", this.colourOf(one));
      return make("p", one.isOwn ? "" : "shipped", {}, name, ` ${one.said.join(" · ")}`);
    }));
    this.canvas.setAttribute("aria-label", states.textContent);
    this.showButtons();
  }

  showButtons() {
    const { message: { words, few }, chosen, runs, isPlaying, buttons, hands: { values } } = this;
    const own = chosen.map(({ method }) => runs.get(method)), isDone = own.every((run) => run?.isDone);
    const seed = Number(values.train_seed) + 1, isBegun = own.some(Boolean), goesOn = !isDone && !this.refused;
    const all = [
      [isPlaying ? words.pause : words.play, () => (isPlaying ? this.pause() : this.play()), goesOn],
      [this.say("step", { steps: few }), () => this.play(few), goesOn && !isPlaying],
      [words.reset, () => this.reset(), isBegun],
      [this.say("again", { seed }), () => this.playWith({ train_seed: seed }), isBegun],
      [words.write, () => this.writeOn(), isDone && own.some((run) => run?.file)],
    ];
    all.forEach(([name, act, isOn], at) => {
      const button = buttons.children[at] ?? buttons.appendChild(make("button", at ? "" : "play", { type: "button" }));
      if (button.textContent !== name) button.textContent = name;
      Object.assign(button, { onclick: act, disabled: !isOn, hidden: at === all.length - 1 && !isOn });
    });
  }

  /** What the models have written: what lies beyond L is marked. */
  showTexts() {
    const length = Number(this.hands.values.train_length);
    const texts = this.curves.filter(({ method }) => this.runs.get(method)?.written.length);
    this.papers.replaceChildren(...texts.map((one) => {
      const { written = new Uint8Array() } = this.runs.get(one.method) ?? {}, paper = make("section", "paper");
      const textOf = (from, to) => new TextDecoder().decode(written.subarray(from, to));
      const within = textOf(0, length), beyond = textOf(length, written.length);
      const edge = beyond ? make("span", "edge", {}, this.say("edge", { length })) : "";
      paper.style.setProperty("--c", this.colourOf(one));
      paper.append(make("b", "", {}, one.name), make("p", "text", {}, within, edge, beyond));
      return paper;
    }));
  }

  pictured() {
    return [this.canvas];
  }
}

export default mounting(Train);
