// Models write on: a column each, and a rail over all that shows every moment of their texts. What is written follows from the
// hands. What Python has of a text already is not written again; when all texts rest, Python is told, and checks them.

import { countCharacters, countWords, filled, fillTemplate, joined, lettersOf, stretchesOf } from "../text.js";
import { endOf, languageOf, LiveTexts, promptOf } from "../lm_texts.js";
import { fileOf } from "../lm_worker.js";
import { addressOf, claim, clamp, isCombined, isStill, lookUp, make, mounting, wholePercent } from "../shared.js";
import { alike, isWithin, LOWEST, PHONE } from "../hands/hands.js";
import { PictureBase } from "../hands/picture_base.js";

const SPEED = 60; // bytes a second: a reader can follow
const FEWEST = 4; // words of a stretch that make a share
const BYTES = 3; // of a Han character or a kana
const STEP = 16; // bytes that an arrow key moves the rail by

/**
 * @import { Message, Model } from "./message.d.ts"
 * @import { LiveText } from "../lm_texts.js"
 * @typedef {{ start: number, end: number, kind: string }} Piece bytes of a text that look alike
 * @typedef {ReturnType<typeof buildPaper>} Paper
 * @typedef {{ model: Model, written: LiveText, bytes: Uint8Array, words: Float32Array, letters: string[], pieces: Piece[], paper: Paper, drawn: number }} Text
 *   bytes, words: those that letters and pieces are made of
 */

/** @extends {PictureBase<Message>} */
class Write extends PictureBase {
  /** @type {Text[]} */ texts = [];
  at = 0; // the byte that is shown
  playing = false;
  before = 0; // time of the last frame
  told = ""; // which texts Python has been told of
  asked = ""; // what the texts follow from
  /** @type {{ models: Model[], begin: number, end: number }} bytes of their prompt, and of all that is asked for */ wanted;
  writing = new LiveTexts({
    file: (address) => fileOf(this.component, address),
    changed: () => this.schedule(),
    rested: () => this.tell(),
    failed: (error) => this.say("failed", { error }),
  });
  /** @type {import("./message.d.ts").Language} of the texts */ language;
  top = make("div", "top");
  buttons = make("div", "buttons");
  play = make("button", "play", { type: "button" });
  again = make("button", "again", { type: "button" });
  rail = make("div", "rail");
  output = make("output");
  slider = make("input", "", { type: "range", step: "1" });
  line = make("div", "line");
  signs = make("p", "signs");
  papers = make("div", "papers");

  constructor(host) {
    super(host, make("div", "picture write", { role: "group" }));
    const { root, top, buttons, play, again, trouble, rail, output, line, slider, signs, papers, live, alt, ruler } =
      this;
    buttons.append(play, again);
    top.append(this.hands.row, buttons);
    line.append(slider);
    rail.append(output, line);
    root.append(top, this.hands.foot, this.hands.advanced, trouble, rail, signs, papers, live, alt, ruler);
    play.onclick = () => this.toggle();
    again.onclick = () => this.hands.choose({ write_seed: Number(this.hands.values.write_seed) + 1, write_at: 0 });
    slider.addEventListener("pointerdown", () => {
      this.hands.isDragging = true;
    });
    slider.addEventListener("input", () => this.stopAt(Number(slider.value)));
    slider.addEventListener("change", () => this.hands.releaseLater(undefined, false));
    root.addEventListener("keydown", (event) => this.onKey(event));
    for (const part of [top, this.hands.foot, this.hands.advanced]) {
      for (const name of ["pointerover", "focusin"]) part.addEventListener(name, () => this.fetchModels());
    }
  }

  close() {
    this.writing.stop();
    super.close();
  }

  /** A hand comes near: what it needs to ask for other texts is on its way. What fails is said when they are written. */
  fetchModels() {
    for (const { weights } of this.wanted?.models ?? []) fileOf(this.component, weights).catch(() => {});
  }

  /** What Python says of the texts that the hands ask for. @param {Message} message */
  take(message) {
    this.message = message;
    if (this.isFile) message.models = message.models.filter(({ weights }) => message.carried.includes(weights));
    this.ask();
  }

  /** Whether there are no models but those that travel with the picture. */
  get isFile() {
    return this.alone && !addressOf(this.root, "write");
  }

  /** What the hands ask for. */
  choices() {
    const { message, hands: { values } } = this, { models, reader, held_out: heldOut } = message;
    const heldBack = Number(values.write_after ?? 0), own = values.write_text?.toString();
    const ofLetters = languageOf((!heldBack && own) || "", reader), inTurn = [ofLetters, "en", models[0].language];
    const language = inTurn.find((one) => models.some((model) => model.language === one)) ?? "en";
    const methods = values.write_methods?.toString().split(","),
      all = models.filter((one) => one.language === language);
    const chosen = all.filter(({ method }) => !methods || methods.includes(method));
    return {
      language,
      models: chosen.length ? chosen : all,
      length: Number(values.write_length ?? message.length),
      prompt: heldBack ? endOf(heldOut, heldBack) : promptOf(own, message.prompt),
      temperature: Number(values.temperature ?? message.temperature),
      seed: Number(values.write_seed),
      window: values.write_near ? message.train_length : 0,
    };
  }

  /** The texts are there, or are written from now on. */
  ask() {
    const { message, hands: { values }, writing } = this, { language, models, length, ...choices } = this.choices();
    const ready = new Map(message.texts.map(({ weights, text, words }) => [weights, { bytes: text, words }]));
    const isPython = alike(values, message.hands.values);
    const { write_at: at, ...others } = values;
    this.asked = JSON.stringify(others);
    this.wanted = { models, begin: choices.prompt.length, end: choices.prompt.length + length };
    this.language = /** @type {typeof this.language} */ (message.languages[language]);
    const isNew = writing.ask(choices, models, length, isPython ? ready : new Map(), this.language);
    this.texts = models.map((model) => this.columnOf(model));
    this.root.setAttribute("aria-label", this.say("label"));
    this.slider.setAttribute("aria-label", this.say("rail"));
    this.again.textContent = this.say("again");
    this.showSigns();
    this.papers.style.setProperty("--real", String(this.language.real));
    this.placePapers();
    this.buildTicks();
    if (at) this.stop(Number(at));
    else if (isNew) {
      const still = isStill();
      this.at = still ? this.end() : choices.prompt.length;
      this.playing = !still;
    }
    this.layOut();
  }

  /** The columns, in their order. Those that stand there already are left alone: what is moved loses the focus. */
  placePapers() {
    const roots = this.texts.map(({ paper }) => paper.root), { children } = this.papers;
    const areThere = roots.length === children.length && roots.every((root, at) => root === children[at]);
    if (!areThere) this.papers.replaceChildren(...roots);
  }

  /** A line of the picture with its numbers; of Han characters and kana it is another one. */
  say(name, values = {}) {
    const { words } = this.message, line = (this.language.is_han && words[`${name}_han`]) || words[name];
    return filled(line, (key) => values[key]?.toLocaleString("en"));
  }

  /** The column of a model. Elements stay where the model does. @param {Model} model @returns {Text} */
  columnOf(model) {
    const { is_han: isHan } = this.language, old = this.texts.find((text) => text.model.weights === model.weights);
    const paper = old && old.paper.isHan === isHan ? old.paper : buildPaper((name) => this.say(name), isHan);
    paper.name.textContent = model.name;
    const written = /** @type {LiveText} */ (this.writing.texts.get(model.weights));
    return this.renewed({ model, paper, drawn: 0, written });
  }

  /** A column with what is there of its text by now, which is to be drawn from its begin. */
  renewed(text) {
    const { bytes, words, characters } = text.written, { message: { train_length: length }, wanted } = this;
    const pieces = piecesOf(characters, words, wanted.begin, length);
    text.paper.text.replaceChildren();
    return Object.assign(text, { bytes, words, pieces, letters: lettersOf(bytes, characters) });
  }

  /** Python is told of what was written here, once. */
  tell() {
    const { told, message: { choices }, wanted: { models, begin, end } } = this;
    const name = `${choices} ${end} ${models.map(({ weights }) => weights)}`;
    const written = models.map(({ weights }) => /** @type {LiveText} */ (this.writing.texts.get(weights)));
    if (this.alone || name === told || !written.some(({ isOurs }) => isOurs)) return;
    this.told = name;
    this.trigger("written", { choices, texts: written.map(({ bytes }) => base64Of(bytes.subarray(begin))) });
  }

  /** The last byte that can be shown: models that still write stay in step. */
  frontier() {
    const lengths = (texts) => texts.map(({ written }) => written.bytes.length);
    const waiting = this.texts.filter(({ written }) => !this.writing.isDone(written));
    return waiting.length ? Math.min(...lengths(waiting)) : Math.max(...lengths(this.texts));
  }

  /** The end of the rail: a text that is being written will get there. */
  end() {
    return this.texts.every(({ written }) => this.writing.isDone(written)) ? this.frontier() : this.wanted.end;
  }

  // Hands.

  /** Where there is no Python, other choices are answered at once. */
  moved() {
    const { write_at: at, ...values } = this.hands.values;
    if (this.alone && this.asked !== JSON.stringify(values)) this.ask();
    if (at) this.stop(Number(at));
    this.schedule();
  }

  /** Show one moment, and stay there. */
  stop(at) {
    this.playing = false;
    this.at = at;
  }

  stopAt(at) {
    this.hands.set({ write_at: clamp(at, 1, this.end()) });
  }

  toggle() {
    if (!this.message) return;
    if (this.playing) this.stopAt(Math.floor(this.at));
    else {
      if (this.at >= this.end()) this.at = this.wanted.begin;
      this.playing = true;
      this.hands.set({ write_at: 0 });
    }
    this.hands.release(false);
  }

  onKey(event) {
    const target = /** @type {HTMLElement} */ (event.composedPath()[0]), isRail = target === this.slider;
    if (isCombined(event) || event.defaultPrevented || !this.message) return;
    if (!isRail && target.matches("input, select, button, summary")) return;
    const step = isRail ? 0 : lookUp({ ArrowRight: STEP, ArrowLeft: -STEP }, event.key);
    if (event.key === " ") this.toggle();
    else if (step) {
      this.stopAt(Math.floor(this.at) + step);
      this.hands.releaseLater(undefined, false);
    } else return;
    claim(event);
  }

  // Drawing.

  schedule() {
    if (!this.frame) this.before = performance.now(); // while it rested no time has passed
    super.schedule();
  }

  /** So far the models have been followed by now. */
  advance() {
    const now = performance.now(), passed = ((now - this.before) / 1000) * SPEED;
    if (this.playing) this.at = Math.min(this.frontier(), this.at + Math.min(passed, SPEED / 10));
    this.before = now;
  }

  painted() {
    if (this.playing && this.at >= this.end()) {
      this.playing = false;
      this.sayShares();
    }
    this.play.textContent = this.say(this.playing ? "pause" : "play");
    if (this.playing && this.at < this.frontier()) super.schedule(); // else there is more once a model has written
  }

  draw() {
    this.advance();
    const { texts, slider, wanted: { begin } } = this, at = Math.floor(this.at), end = this.end();
    Object.assign(slider, { min: String(begin), max: String(end), value: String(at) });
    slider.style.setProperty("--at", `${(100 * (at - begin)) / Math.max(1, end - begin)}%`);
    const label = this.say("bytes", { n: at, characters: Math.round(at / BYTES) });
    slider.setAttribute("aria-valuetext", label);
    this.output.textContent = label;
    for (const text of texts) {
      if (text.bytes !== text.written.bytes || text.words !== text.written.words) this.renewed(text);
      this.drawText(text, Math.min(at, text.bytes.length));
    }
    const sticking = texts.filter(({ paper }) => paper.sticks).map(({ paper }) => paper.text);
    const ends = sticking.map((text) => text.scrollHeight); // all are read before one is set: the page is laid out once
    sticking.forEach((text, which) => text.scrollTop = ends[which]);
  }

  /** A text up to byte n: what is new is appended; a step back begins anew. @param {Text} text */
  drawText(text, n) {
    const { paper, pieces, bytes, letters, written } = text, { train_length: length } = this.message;
    if (n === text.drawn && paper.text.childElementCount) return;
    const isBack = n < text.drawn || !paper.text.childElementCount;
    if (isBack) paper.text.replaceChildren(paper.end);
    const from = isBack ? 0 : text.drawn;
    for (const { start, end, kind } of pieces) {
      if (end <= from || start >= n) continue;
      if (kind === "edge") {
        paper.end.before(make("span", "edge", {}, make("i"), this.say("edge", { n: length }), make("i")));
        continue;
      }
      const content = letters.slice(start, Math.min(end, n - cutAt(written.characters, n))).join("");
      const last = paper.end.previousElementSibling;
      if (start < from && last) last.textContent = content; // it has grown
      else paper.end.before(make("span", kind, {}, content));
    }
    text.drawn = n;
    const ended = n >= bytes.length && this.writing.isDone(written);
    paper.caret.hidden = ended;
    paper.problem.textContent = ended ? written.problem : "";
    const known = knownOf(text, n, length), whole = wholeOf(written, n, length, this.wanted.begin);
    const [lastKnown, lastWhole] = [known, whole].map((each) => each.filter((one) => one !== null).at(-1));
    const share = lastKnown ? this.say("of", lastKnown) : "–", characters = lastWhole ? percentOf(lastWhole) : "–";
    const isSaid = paper.isHan ? lastWhole : lastKnown;
    paper.score.textContent = isSaid ? this.say("share", { share, characters }) : "";
    showShares(paper.stretches, known, (count) => `${count.known}/${count.all}`);
    if (paper.isHan) showShares(paper.whole, whole, percentOf);
    const { count } = countCharacters(written.characters, 0, n);
    paper.ruler.textContent = this.say("counted", { bytes: n, characters: count });
    if (this.playing && !isBack) this.sayLine(text, from, n);
  }

  /** Under the rail: training lengths, and how many Han characters or kana they are. */
  buildTicks() {
    const { line, message: { train_length: length }, wanted: { begin } } = this, end = this.end();
    const ticks = [1, 2, 4, 8].map((times) => {
      const n = times * length, inLengths = times === 1 ? this.say("tick_one", { n }) : `${times} L`;
      const inCharacters = this.say("tick_han", { n: Math.round(n / BYTES) });
      return { n, text: this.language.is_han ? `${inLengths}\n${inCharacters}` : inLengths };
    });
    const inside = ticks.filter(({ n }) => n > begin && n <= end);
    for (const tick of line.querySelectorAll(".tick")) tick.remove(); // the slider stays, and keeps the focus
    line.append(
      ...inside.map(({ n, text }) => {
        const tick = make("span", "tick", {}, text);
        tick.style.left = `${(100 * (n - begin)) / (end - begin)}%`;
        return tick;
      }),
    );
  }

  /** Columns side by side, as high as the room that is left. */
  arrange() {
    const { root, papers, message, texts, ruler } = this;
    if (!message || !root.clientWidth) return;
    const { dark } = this.theme;
    const isNarrow = root.clientWidth < PHONE;
    root.classList.toggle("narrow", isNarrow);
    root.classList.toggle("han", this.language.is_han);
    root.classList.toggle("many", !isNarrow && texts.length > 5);
    const across = texts.length <= 5 ? texts.length : Math.ceil(texts.length / 2),
      rows = isNarrow ? 1 : Math.ceil(texts.length / across);
    papers.style.setProperty("--columns", String(across));
    for (const { paper, model } of texts) paper.root.style.setProperty("--c", model.colours[Number(dark)]);
    const above = papers.getBoundingClientRect().top - root.getBoundingClientRect().top,
      { head, foot } = texts[0].paper;
    const high =
      (Math.max(LOWEST, ruler.offsetHeight - (isNarrow && !isWithin(root) ? 40 : above)) - 10 * (rows - 1)) / rows -
      head.offsetHeight - foot.offsetHeight - 4;
    papers.style.setProperty("--paper", `${Math.max(110, Math.round(high))}px`);
    for (const { paper } of texts) paper.text.replaceChildren();
  }

  // For screen readers.

  /** A line that is finished is said once. */
  sayLine({ model, bytes, letters }, from, to) {
    for (let at = from; at < to; at += 1) {
      if (bytes[at] !== 10) continue;
      const start = bytes.lastIndexOf(10, at - 1) + 1, line = letters.slice(start, at).join("").trim();
      if (line) this.live.textContent = joined([model.name, line], this.message.words.colon);
    }
  }

  sayShares() {
    const { texts, message } = this, { words } = message;
    const said = texts.map((text) => {
      const counts = knownOf(text, text.bytes.length, message.train_length);
      const shares = counts.flatMap((count, at) =>
        count ? [`${this.say(`stretch_${at}`)} ${this.say("of", count)}`] : []
      );
      return joined([text.model.name, joined(shares, words.apart)], words.colon);
    });
    this.live.textContent = joined(said, words.stop);
  }

  /** What red, the bars and the dashed line say, each with its sign. */
  showSigns() {
    const share = wholePercent(this.language.real);
    const signs = {
      red: () => make("span", "unknown", {}, this.say("red")),
      broken: () => "\uFFFD",
      pale: () => make("i", "pale"),
      bar: () => make("i"),
      line: () => make("i", "real"),
      share: () => share,
    };
    const more = [this.alone && this.language.is_han && "cut", this.isFile && "file"].filter((name) => name !== false);
    const template = ["signs", ...more].map((name) => this.say(name)).join(" ");
    this.signs.replaceChildren(
      ...fillTemplate(template, (name) => name).map(([text, name]) => signs[name]?.() ?? text),
    );
  }

  pictured() {
    return [this.papers];
  }
}

/** The elements of a column. */
function buildPaper(say, isHan) {
  const name = make("span", "name"), score = make("span", "score"), head = make("div", "head", {}, name, score);
  const caret = make("span", "caret"), problem = make("span", "problem");
  const end = make("span", "end", {}, caret, problem);
  const text = make("div", "text", { tabindex: "0", role: "group", "aria-label": say("text") });
  const bar = (...below) => make("div", "", {}, make("b"), make("i"), ...below);
  const stretches = [0, 1, 2, 3].map((at) => bar(make("span", "", {}, say(`stretch_${at}`)))); // of known words
  const whole = stretches.map(() => bar()); // of bytes in whole characters
  const ruler = make("small", "ruler"), hidden = { "aria-hidden": "true" };
  const foot = make("div", "counts", {}, ruler, make("div", "bars", hidden, ...stretches, make("u")));
  if (isHan) ruler.after(make("div", "bars pale", hidden, ...whole));
  else ruler.hidden = true;
  const root = make("section", "paper", {}, head, text, foot);
  const paper = {
    isHan,
    root,
    head,
    name,
    text,
    score,
    foot,
    ruler,
    stretches,
    whole,
    end,
    caret,
    problem,
    sticks: true,
  };
  text.addEventListener("scroll", () => {
    paper.sticks = text.scrollTop + text.clientHeight >= text.scrollHeight - 6;
  });
  return paper;
}

/**
 * What of a text looks alike: given, written, unknown words; and the edge of the training, which is no byte: it stands after
 * the character that crosses it.
 * @param {ArrayLike<number>} characters @param {Float32Array} words @returns {Piece[]}
 */
function piecesOf(characters, words, prompt, trainLength) {
  const { length } = characters;
  return stretchesOf(words, [prompt, trainLength], 0, length).flatMap(({ start, end, isUnknown }) => {
    const piece = { start, end, kind: start < prompt ? "given" : isUnknown ? "unknown" : "own" };
    return start === trainLength ? [{ start, end: start + 1, kind: "edge" }, piece] : [piece];
  });
}

/**
 * Words or bytes of a stretch, and how many of them are known, or stand in whole characters.
 * @typedef {{ known: number, all: number }} Count
 */

/** What is counted in each stretch of a text: to L, from there to 2 L, to 4 L, and beyond. @param {(start: number, end: number) => Count | null} say */
function byStretch(length, say) {
  const edges = [0, length, 2 * length, 4 * length, Infinity];
  return edges.slice(0, -1).map((start, at) => say(start, edges[at + 1]));
}

/** The known words, by stretch, of what is shown; null where there are too few. @param {{ words: Float32Array }} text */
export function knownOf({ words }, n, length) {
  return byStretch(length, (start, end) => {
    const [known, all] = countWords(words, start, Math.min(end, Math.ceil(n) - 1)); // they end before n
    return all < FEWEST ? null : { known, all };
  });
}

/** The bytes in whole characters, by stretch, of what is written up to byte n; null where nothing is. */
function wholeOf({ characters }, n, length, prompt) {
  return byStretch(length, (start, end) => {
    const { whole, all } = countCharacters(characters, Math.max(start, prompt), Math.min(end, n));
    return all ? { known: whole, all } : null;
  });
}

/** Of bytes, which are many. @param {Count} count */
const percentOf = ({ known, all }) => wholePercent(known / all);

/** @param {HTMLElement[]} bars @param {(Count | null)[]} counts @param {(count: Count) => string} say */
function showShares(bars, counts, say) {
  counts.forEach((count, at) => {
    const [number, bar] = bars[at].children;
    number.textContent = count ? say(count) : "";
    /** @type {HTMLElement} */ (bar).style.setProperty("--share", String(count ? count.known / count.all : 0));
  });
}

/** How many bytes before n belong to a character that goes on after it. */
function cutAt(characters, n) {
  let start = n - 1;
  while (start > 0 && characters[start] === 0) start -= 1;
  const size = characters[start];
  return size > 1 && size <= 4 && start + size > n ? n - start : 0;
}

/** @param {Uint8Array} bytes */
const base64Of = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));

export default mounting(Write);
