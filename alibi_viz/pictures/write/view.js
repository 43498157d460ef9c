// Models write on: a column each, and a rail over all that shows every moment of their texts. No model runs here.

import { countCharacters, countWords, fillTemplate, lettersOf, stretchesOf } from "../core.js";
import { claim, isCombined, isStill, lookUp, make, mounting, wholePercent } from "../shared.js";
import { isWithin, LOWEST, PHONE } from "../hands/hands.js";
import { PictureBase } from "../hands/picture_base.js";

const SPEED = 60; // bytes a second: a reader can follow
const ASKED_FIRST = 150, ASKED_EVERY = 400, ASKED_AGAIN_AFTER = 3000; // ms between two looks at texts that are being written
const FEWEST = 4; // words of a stretch that make a share
const BYTES = 3; // of a Han character or a kana
const STEP = 16; // bytes that an arrow key moves the rail by

/**
 * @import { Column, Message } from "./message.d.ts"
 * @typedef {{ start: number, end: number, kind: string }} Piece bytes of a text that look alike
 * @typedef {ReturnType<typeof buildPaper>} Paper
 * @typedef {{ column: Column & { light: string, dark: string }, bytes: Uint8Array, letters: string[], characters: Uint8Array, words: Float32Array, pieces: Piece[], paper: Paper, drawn: number }} Text
 */

/** @extends {PictureBase<Message>} */
class Write extends PictureBase {
  /** @type {Text[]} */ texts = [];
  at = 0; // the byte that is shown
  playing = false;
  order = ""; // what the texts follow from
  before = 0; // time of the last frame
  asked = 0;
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
    const { root, top, buttons, play, again, trouble, rail, output, line, slider, signs, papers, live, alt, room } =
      this;
    buttons.append(play, again);
    if (this.alone) top.append(buttons); // no model writes there: what asks for another text is left out
    else top.append(this.hands.row, buttons);
    line.append(slider);
    rail.append(output, line);
    if (this.alone) this.hands.foot.replaceChildren(this.tools);
    root.append(top, this.hands.foot, this.hands.advanced, trouble, rail, signs, papers, live, alt, room);
    play.onclick = () => this.toggle();
    again.onclick = () => {
      this.hands.set({ write_seed: Number(this.hands.values.write_seed) + 1, write_at: 0 });
      this.hands.release();
    };
    slider.addEventListener("pointerdown", () => {
      this.hands.isDragging = true;
    });
    slider.addEventListener("input", () => this.stopAt(Number(slider.value)));
    slider.addEventListener("change", () => this.hands.releaseLater(undefined, false));
    root.addEventListener("keydown", (event) => this.onKey(event));
  }

  close() {
    clearTimeout(this.asking);
    super.close();
  }

  report(report) {
    super.report(report);
    this.askAgain(ASKED_AGAIN_AFTER); // the answer to this comes first
  }

  /** What the models have written by now. @param {Message} message */
  take(message) {
    const { values } = this.hands, { words, problem } = message;
    this.message = message;
    this.showProblem(problem, [this.rail, this.signs, this.papers]);
    this.again.textContent = words.again;
    this.again.hidden = this.alone;
    this.alt.textContent = message.alt;
    this.root.setAttribute("aria-label", words.label);
    this.slider.setAttribute("aria-label", words.rail);
    if (problem) return;
    this.texts = message.columns.map((column, at) =>
      this.textOf(/** @type {Text["column"]} */ (column), this.texts[at])
    );
    this.signs.replaceChildren(...signsOf(words, wholePercent(message.real)));
    this.papers.style.setProperty("--real", String(message.real));
    this.papers.replaceChildren(...this.texts.map(({ paper }) => paper.root));
    this.buildTicks();
    const order = JSON.stringify(["write_text", "write_after", "write_seed", "temperature"].map((key) => values[key]));
    const isNew = order !== this.order, still = isStill();
    this.order = order;
    if (values.write_at) this.stop(Number(values.write_at));
    else if (isNew) {
      this.at = still ? message.end : message.prompt;
      this.playing = !still;
    }
    this.layOut();
    this.askAgain();
  }

  /** A column with its text. Elements stay where the method does. @param {Text | undefined} old @returns {Text} */
  textOf(column, old) {
    const { text: bytes, words, characters } = column, { prompt, train_length: length, is_han } = this.message;
    const isSame = old && old.column.method === column.method && old.paper.isHan === is_han;
    const paper = isSame ? old.paper : buildPaper(this.message.words, is_han), letters = lettersOf(bytes, characters);
    paper.text.replaceChildren();
    paper.name.textContent = column.name;
    const pieces = piecesOf(characters, words, prompt, length);
    return { column, bytes, letters, characters, words, pieces, paper, drawn: 0 };
  }

  /** While something is being written, Python is asked for it. */
  askAgain(after = this.frontier() > this.message.prompt ? ASKED_EVERY : ASKED_FIRST) {
    clearTimeout(this.asking);
    if (this.alone || this.texts.every(({ column }) => column.done)) return;
    const ask = () => {
      if (!document.hidden) this.trigger("poll", this.asked += 1);
      this.asking = setTimeout(ask, ASKED_AGAIN_AFTER);
    };
    this.asking = setTimeout(ask, after);
  }

  /** The last byte that can be shown: models that still write stay in step. */
  frontier() {
    const lengths = (texts) => texts.map(({ bytes }) => bytes.length),
      waiting = this.texts.filter(({ column }) => !column.done);
    return waiting.length ? Math.min(...lengths(waiting)) : Math.max(...lengths(this.texts));
  }

  /** The end of the rail: a text that is being written will get there. */
  end() {
    return this.texts.every(({ column }) => column.done) ? this.frontier() : this.message.end;
  }

  // Hands.

  moved() {
    const at = Number(this.hands.values.write_at);
    if (at) this.stop(at);
    this.schedule();
  }

  /** Show one moment, and stay there. */
  stop(at) {
    this.playing = false;
    this.at = at;
  }

  stopAt(at) {
    this.hands.set({ write_at: Math.max(1, Math.min(at, this.end())) });
  }

  toggle() {
    if (!this.message || this.message.problem) return;
    if (this.playing) this.stopAt(Math.floor(this.at));
    else {
      if (this.at >= this.end()) this.at = this.message.prompt;
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
    this.play.textContent = this.playing ? this.message.words.pause : this.message.words.play;
    if (this.playing) super.schedule();
  }

  draw() {
    this.advance();
    const { texts, slider, message } = this, at = Math.floor(this.at), end = this.end();
    Object.assign(slider, { min: String(message.prompt), max: String(end), value: String(at) });
    slider.style.setProperty("--at", `${(100 * (at - message.prompt)) / Math.max(1, end - message.prompt)}%`);
    const label = fillIn(message.words.bytes, { n: at, characters: Math.round(at / BYTES) });
    slider.setAttribute("aria-valuetext", label);
    this.output.textContent = label;
    for (const text of texts) this.drawText(text, Math.min(at, text.bytes.length));
  }

  /** A text up to byte n: what is new is appended; a step back begins anew. @param {Text} text */
  drawText(text, n) {
    const { paper, pieces, bytes, letters, characters, column } = text, { words, train_length: length } = this.message;
    if (n === text.drawn && paper.text.childElementCount) return;
    const isBack = n < text.drawn || !paper.text.childElementCount;
    if (isBack) paper.text.replaceChildren(paper.end);
    const from = isBack ? 0 : text.drawn;
    for (const { start, end, kind } of pieces) {
      if (end <= from || start >= n) continue;
      if (kind === "edge") {
        paper.end.before(make("span", "edge", {}, words.edge.replace("{n}", String(length))));
        continue;
      }
      const content = letters.slice(start, Math.min(end, n - cutAt(characters, n))).join("");
      const last = paper.end.previousElementSibling;
      if (start < from && last) last.textContent = content; // it has grown
      else paper.end.before(make("span", kind, {}, content));
    }
    text.drawn = n;
    const ended = n >= bytes.length && column.done;
    paper.caret.hidden = ended;
    paper.problem.textContent = ended ? column.problem : "";
    paper.waits.textContent = !column.done && column.place && n >= bytes.length
      ? words.place.replace("{n}", String(column.place))
      : "";
    if (paper.sticks) paper.text.scrollTop = paper.text.scrollHeight;
    const known = knownOf(text, n, length), whole = wholeOf(text, n, length, this.message.prompt);
    const [lastKnown, lastWhole] = [known, whole].map((each) => each.filter((one) => one !== null).at(-1));
    const isSaid = (paper.isHan ? lastWhole : lastKnown) !== undefined;
    paper.score.textContent = isSaid
      ? fillIn(words.share, { share: counted(lastKnown, words.of), characters: percentOf(lastWhole) })
      : "";
    showShares(paper.stretches, known, (count) => counted(count, "{known}/{all}"));
    if (paper.isHan) showShares(paper.whole, whole, percentOf);
    const { count } = countCharacters(characters, 0, n);
    paper.ruler.textContent = fillIn(words.counted, { bytes: n, characters: count });
    if (this.playing && !isBack) this.sayLine(text, from, n);
  }

  /** Under the rail: training lengths, and how many Han characters or kana they are. */
  buildTicks() {
    const { line, slider, message } = this, { train_length: length, prompt, words, is_han } = message, end = this.end();
    const ticks = [1, 2, 4, 8].map((times) => {
      const inLengths = times === 1 ? words.tick_one.replace("{n}", String(length)) : `${times} L`;
      const inCharacters = words.tick_han.replace("{n}", String(Math.round((times * length) / BYTES)));
      return { n: times * length, text: is_han ? `${inLengths}\n${inCharacters}` : inLengths };
    });
    const inside = ticks.filter(({ n }) => n > prompt && n <= end);
    line.replaceChildren(
      slider,
      ...inside.map(({ n, text }) => {
        const tick = make("span", "tick", {}, text);
        tick.style.left = `${(100 * (n - prompt)) / (end - prompt)}%`;
        return tick;
      }),
    );
  }

  /** Columns side by side, as high as the room that is left. */
  arrange() {
    const { root, papers, message, texts, room } = this;
    if (!message || !root.clientWidth) return;
    const { dark } = this.theme;
    const isNarrow = root.clientWidth < PHONE;
    root.classList.toggle("narrow", isNarrow);
    root.classList.toggle("han", message.is_han);
    const across = texts.length <= 5 ? texts.length : Math.ceil(texts.length / 2),
      rows = isNarrow ? 1 : Math.ceil(texts.length / across);
    papers.style.setProperty("--columns", String(across));
    for (const { paper, column } of texts) paper.root.style.setProperty("--c", dark ? column.dark : column.light);
    const above = papers.getBoundingClientRect().top - root.getBoundingClientRect().top,
      { head, foot } = texts[0].paper;
    const high =
      (Math.max(LOWEST, room.offsetHeight - (isNarrow && !isWithin(root) ? 40 : above)) - 10 * (rows - 1)) / rows -
      head.offsetHeight - foot.offsetHeight - 4;
    papers.style.setProperty("--paper", `${Math.max(110, Math.round(high))}px`);
    for (const text of texts) {
      text.paper.text.replaceChildren();
      text.drawn = 0;
    }
  }

  // For screen readers.

  /** A line that is finished is said once. */
  sayLine({ column, bytes, letters }, from, to) {
    for (let at = from; at < to; at += 1) {
      if (bytes[at] !== 10) continue;
      const start = bytes.lastIndexOf(10, at - 1) + 1, line = letters.slice(start, at).join("").trim();
      if (line) this.live.textContent = `${column.name}: ${line}`;
    }
  }

  sayShares() {
    const { texts, message } = this;
    this.live.textContent = texts.map((text) => {
      const counts = knownOf(text, text.bytes.length, message.train_length);
      const said = counts.map((count, at) =>
        count ? `${message.words[`stretch_${at}`]} ${counted(count, message.words.of)}` : ""
      );
      return `${text.column.name}: ${said.filter(Boolean).join(", ")}`;
    }).join(". ");
  }

  pictured() {
    return [this.papers];
  }
}

/** What red, the bars and the dashed line say, each with its sign. */
function signsOf(words, share) {
  const signs = {
    red: () => make("span", "unknown", {}, words.red),
    broken: () => "\uFFFD",
    pale: () => make("i", "pale"),
    bar: () => make("i"),
    line: () => make("i", "real"),
    share: () => share,
  };
  return fillTemplate(words.signs, (name) => name).map(([text, name]) => signs[name]?.() ?? text);
}

/** The elements of a column. */
function buildPaper(words, isHan) {
  const name = make("span", "name"), score = make("span", "score"), head = make("div", "head", {}, name, score);
  const caret = make("span", "caret"), problem = make("span", "problem"), waits = make("span", "waits");
  const end = make("span", "end", {}, caret, problem, waits);
  const text = make("div", "text", { tabindex: "0", role: "group", "aria-label": words.text });
  const bar = (...below) => make("div", "", {}, make("b"), make("i"), ...below);
  const stretches = [0, 1, 2, 3].map((at) => bar(make("span", "", {}, words[`stretch_${at}`]))); // of known words
  const whole = stretches.map(() => bar()); // of bytes in whole characters
  const ruler = make("small", "ruler"), hidden = { "aria-hidden": "true" };
  const foot = make("div", "counts", {}, ruler, make("div", "bars", hidden, ...stretches));
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
    waits,
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
export function piecesOf(characters, words, prompt, trainLength) {
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
export function wholeOf({ characters }, n, length, prompt) {
  return byStretch(length, (start, end) => {
    const { whole, all } = countCharacters(characters, Math.max(start, prompt), Math.min(end, n));
    return all ? { known: whole, all } : null;
  });
}

/** Of bytes, which are many. @param {Count | undefined} count */
const percentOf = (count) => (count ? wholePercent(count.known / count.all) : "–");

/** Of words, which may be few. @param {Count | undefined} count @param {string} template */
const counted = (count, template) => (count ? fillIn(template, count) : "–");

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

/** A line of words with its numbers. @param {Record<string, number | string>} values */
function fillIn(line, values) {
  return fillTemplate(line, (name) => values[name]?.toLocaleString("en")).map(([text]) => text).join("");
}

export default mounting(Write);
