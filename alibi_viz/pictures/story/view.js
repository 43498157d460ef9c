// The story: one sentence, one canvas, a mystery and nine steps. The hands say what is shown; a step only says where the numbers glide to.

import { sizeCanvas } from "../plot.js";
import { addressOf, claim, clamp, isCombined, isStill, isWanted, lookUp, make, mounting, pointIn } from "../shared.js";
import { alike, PHONE, sayIn } from "../hands/hands.js";
import { TYPE } from "../canvas_picture.js";
import { PictureBase } from "../hands/picture_base.js";
import { fileOf } from "../lm_worker.js";
import { joined } from "../text.js";
import { captionPlace, drawCells, drawTrained } from "./cells.js";
import { drawChart, drawCurtain, PENS } from "./chart.js";
import { nearestIn, orderOf, orderText, ownOrder, reordered, STEPS } from "./arithmetic.js";
import { GESTURES, holdOf } from "./gestures.js";
import { restore, toldOf } from "./pencil.js";
import { RIVALS } from "./rivals.js";
import { askedOf, drawRow, rowPlaces, wordAt } from "./row.js";
import { Stage } from "./stage.js";
import { takeaway } from "./takeaway.js";
import { beginningOf, buildTexts, showTexts, Texts } from "./texts.js";

/** @import { Message } from "./message.d.ts" @import { Values } from "../hands/hands.js" */

const SWIPE = { far: 48, straight: 1.6 }; // pixels; how much wider than high
const TURN_KEYS = { ArrowRight: 1, PageDown: 1, " ": 1, ArrowLeft: -1, PageUp: -1 };
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const TYPED = 8000; // ms in which the texts of the mystery are written
const TOLD_AFTER = 600; // ms without a key before a drawn line is told
const POINTED_AFTER = 400; // ms without a move before the place that a mouse points at counts

/** @extends {PictureBase<Message>} */
class Story extends PictureBase {
  stage = new Stage(this.hands);
  question = make("h2", "question", { tabindex: "-1" });
  text = make("p", "text");
  big = make("div", "big");
  caption = make("p", "caption");
  number = make("div", "number", {}, this.big, this.caption);
  head = make("header", "say", {}, make("div", "", {}, this.question, this.text), this.number);
  canvas = make("canvas", "canvas", { tabindex: "0", role: "slider", "aria-valuenow": "0" });
  papers = make("div", "papers", { hidden: "" });
  end = make("div", "end", { hidden: "" });
  rival = make("p", "rival", { hidden: "", "aria-live": "polite" });
  board = make("div", "board", {}, this.canvas, this.papers, this.rival, this.end);
  bar = make("div", "bar");
  foot = make("footer", "turn");
  /** @type {ReturnType<typeof buildTexts>} */ columns = [];
  shownStep = -1;
  said = ""; // the text of the step, as it stands
  /** @type {Record<string, HTMLButtonElement>} below the stage, beside the hands */ buttons = {};

  constructor(host) {
    super(host, make("div", "story", { role: "group" }));
    const { root, head, board, canvas, bar, foot, hands } = this;
    this.stage.texts = new Texts({
      file: (address) => fileOf(this.component, address),
      changed: () => this.schedule(),
    });
    root.append(this.trouble, head, board, bar, foot, this.live, this.alt, this.ruler);
    this.observer.observe(board);
    hands.drag(canvas, (event, off) => this.grab(event, off));
    canvas.addEventListener("pointermove", (event) => this.hover(event));
    canvas.addEventListener("keydown", (event) => this.onGestureKey(event));
    window.addEventListener("keydown", (event) => this.onTurnKey(event), { signal: hands.off.signal });
    this.listenForSwipes();
  }

  close() {
    this.stage.texts.stop();
    super.close();
  }

  drawn() {
    return [this.head, this.board, this.bar, this.foot];
  }

  pictured() {
    return [this.head, this.board];
  }

  // Messages.

  take(message) {
    const { stage } = this, isFirst = !this.message;
    this.readWords();
    stage.message = this.message = message;
    this.root.classList.toggle("bare", !message.texts.length);
    if (isFirst) this.build();
    this.hands.show(this.hands.values); // its words are known now
    this.arrive(isFirst);
    this.layOut();
  }

  moved() {
    const { stage, hands: { values } } = this, { order, query, count, tokens, dragged } = stage;
    this.readWords();
    if (stage.tokens !== tokens && values.story_order === orderText(dragged)) values.story_order = ""; // it was of other words
    // To the last word the mask changes nothing: one in the middle asks instead.
    const isMasked = stage.step === 1 && values.causal && !stage.isCausal;
    if (isMasked && order[count - 1] === query) values.story_query = order[(count - 1) >> 1];
    this.arrive(false);
    this.schedule();
  }

  /** A picture beside a question has no sentence. */
  readWords() {
    if (this.hands.controls.has("story_text")) this.stage.setWords(this.hands.read("story_text"));
  }

  /** The sentence as text follows the words that are dragged; in the mystery it is what the models go on from. */
  written(key, values) {
    const { stage: { tokens }, hands, message } = this, text = super.written(key, values);
    if (key === "story_text" && !values.step) return text === message?.example ? beginningOf(message) : text;
    if (key !== "story_text" || text !== hands.ofText) return text;
    return reordered(text, tokens, orderOf(values.story_order, tokens.length));
  }

  /** The hands say another step, or something else of this one. */
  arrive(isFirst) {
    const { stage, shownStep, message: { steps } } = this;
    stage.hear();
    restore(stage);
    stage.texts.ask(stage);
    if (stage.texts.isForeign && stage.isWriting) this.hands.say(this.message.words.foreign);
    stage.isStill = isStill();
    const { step } = stage, { question, text, after, gesture } = steps[step];
    if (step !== shownStep) {
      this.shownStep = step;
      Object.assign(stage, { untouched: true, grip: null });
      this.question.textContent = question;
      this.canvas.ariaLabel = gesture;
      this.root.classList.toggle("unnamed", !step);
      if (step ? step === 7 && !isFirst && shownStep < 7 : isFirst) stage.turn("play", 0, 0);
      if (!isFirst && this.isTurned) this.question.focus({ preventScroll: true });
      this.end.hidden = step !== 9;
      if (step === 9) this.writeEnd();
      stage.endHeight = this.end.offsetHeight;
    }
    this.showTurns();
    this.end.classList.toggle("open", stage.isAnswered);
    const said = (stage.isAnswered && after) || text;
    if (said !== this.said) this.text.replaceChildren(...this.marked(said));
    Object.assign(this, { said, isTurned: false });
    stage.turn("play", 1, step ? 3600 : TYPED);
    stage.aim(step < shownStep, isFirst);
  }

  /** What stands once: the buttons that turn, and the texts. */
  build() {
    const { message: { words, steps }, foot, hands, bar } = this;
    const button = (name, text, act) => {
      const made = make("button", name, { type: "button" }, text);
      made.onclick = act;
      return made;
    };
    const turn = (name, text, by) => button(name, text, () => this.turnBy(by));
    const dots = make("nav", "dots", { "aria-label": words.steps });
    steps.forEach(({ question }, at) => {
      const dot = button("dot", "", () => this.turn(at));
      dots.append(Object.assign(dot, { ariaLabel: joined([String(at), question], words.colon), title: question }));
    });
    foot.append(turn("back", words.back, -1), dots, this.tools, turn("next primary", words.next, 1));
    const pens = PENS.map((pen) => [pen, button("pen", "", () => this.takePen(pen))]);
    this.buttons = {
      swap: button("swap", "", () => this.swapWords()),
      ...Object.fromEntries(pens),
      show: button("show", words.show, () => hands.choose({ story_shown: true })),
      again: button("again", words.again, () => this.drawAgain()),
      dice: button("dice", words.dice, () => this.throwDice()),
    };
    const { swap, ...others } = this.buttons;
    bar.append(hands.row, swap, hands.presets, ...Object.values(others));
    this.columns = buildTexts(this.stage);
    this.papers.replaceChildren(...this.columns.map(({ column }) => column));
  }

  /** The last words, and the lessons that lead on: Writing goes on from the reader's own sentence. */
  writeEnd() {
    const { message: { end, links, example }, hands: { ofText } } = this;
    const own = ofText === example ? "" : `?${new URLSearchParams({ write_text: `${ofText.trim()} ` })}`;
    const sentences = end.map((sentence) => make("li", "", {}, ...this.marked(sentence)));
    const ways = links.map(([title, lesson]) => this.link(title, lesson === "write" ? lesson + own : lesson));
    const linked = ways.filter((way) => way instanceof Element);
    this.end.replaceChildren(make("ol", "", {}, ...sentences), make("p", "go", {}, ...linked));
  }

  /** A link; where it leads nowhere the words alone, or with their meaning (terms.js). */
  link(words, lesson, title = "") {
    const href = addressOf(this.root, lesson);
    if (href) return make("a", "", { href, target: "_self", ...(title && { title }) }, words);
    return title ? make("a", "meaning", { title, tabindex: "0", role: "button" }, words) : words;
  }

  /** A sentence of ours with bold words and links, as elements. */
  marked(text) {
    return text.split(/(\*\*.+?\*\*|_\w+?_|\[[^\]]+\]\([^)]*\))/).filter(Boolean).map((piece) => {
      const [, words, lesson, title = ""] = /^\[([^\]]+)\]\(([^\s)]+)(?: "(.*)")?/.exec(piece) ?? [];
      if (words) return this.link(words, lesson, title.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code)));
      if (piece.startsWith("**")) return make("b", "", {}, ...this.marked(piece.slice(2, -2)));
      return /^_\w+_$/.test(piece) ? make("em", "", {}, piece.slice(1, -1)) : piece;
    });
  }

  // Turning.

  turn(to) {
    const { stage, hands, message: { slopes, texts } } = this, step = clamp(to, 0, STEPS);
    if (step === stage.step || !texts.length) return;
    /** @type {Values} */ const values = { step, scene: 0 };
    if (step === 3) values.story_head = 1 + slopes.indexOf(nearestIn(slopes, Math.max(stage.slope, 1e-3)));
    if (stage.step === 3) values.story_slope = slopes[stage.head - 1]; // one slope for all that follow
    this.isTurned = true;
    hands.choose(values);
  }

  /** A step on or back. A step that has asked answers before the next one comes. */
  turnBy(by) {
    const { stage: { step, answer }, hands } = this;
    if (by > 0 && answer) hands.choose(answer);
    else this.turn(step + by);
  }

  showTurns() {
    const { step, answer } = this.stage, [back, dots, , next] = /** @type {HTMLElement[]} */ ([...this.foot.children]);
    Object.assign(back, { disabled: step === 0 });
    Object.assign(next, { disabled: step === STEPS && !answer });
    [...dots.children].forEach((dot, at) => {
      dot.classList.toggle("past", at < step);
      dot.ariaCurrent = at === step ? "step" : null;
    });
  }

  onTurnKey(event) {
    const by = lookUp(TURN_KEYS, event.key);
    if (!by || !this.message?.texts.length || event.shiftKey || isWanted(event)) return;
    event.preventDefault();
    this.turnBy(by);
  }

  /** A swipe above or below the stage turns one step; on the stage the finger is the gesture's. */
  listenForSwipes() {
    /** @type {PointerEvent | null} */ let from = null;
    this.root.addEventListener("pointerdown", (event) => {
      const isTaken = event.composedPath().some((node) => node instanceof Element && node.matches("canvas, input"));
      from = event.pointerType === "mouse" || !event.isPrimary || isTaken ? null : event;
    });
    this.root.addEventListener("pointerup", ({ clientX, clientY }) => {
      if (!from) return;
      const across = clientX - from.clientX, down = clientY - from.clientY;
      from = null;
      if (Math.abs(across) < Math.max(SWIPE.far, SWIPE.straight * Math.abs(down))) return;
      this.turnBy(-Math.sign(across));
    });
  }

  // Places and frames.

  arrange() {
    const { stage, theme, root, board } = this, style = getComputedStyle(root);
    const unit = parseFloat(style.fontSize) / 16, learned = this.message.learned[Number(theme.dark)];
    const raised = style.getPropertyValue("--st-secondary-background-color").trim() || theme.grid;
    const ink = { ...theme, raised, learned, least: theme.least || TYPE };
    Object.assign(stage, { ink, unit, small: root.clientWidth < PHONE });
    root.classList.toggle("small", stage.small);
    this.showBar();
    Object.assign(stage, { width: board.clientWidth, height: board.clientHeight, endHeight: this.end.offsetHeight });
    root.style.setProperty("--unknown", stage.colourOf("rope"));
  }

  onResize() {
    this.layOut(false);
  }

  draw() {
    const { stage, canvas, ratio, papers, end } = this, { v } = stage;
    if (!stage.height) return;
    stage.tick(performance.now());
    stage.ctx = sizeCanvas(canvas, stage.width, stage.height, ratio);
    const isText = v.texts === 1;
    Object.assign(canvas.style, { visibility: isText ? "hidden" : "", opacity: String(1 - v.texts) });
    if (!isText) this.drawCanvas();
    this.showBar();
    papers.hidden = v.texts === 0;
    papers.style.opacity = String(v.texts);
    if (v.texts > 0) showTexts(stage, this.columns);
    end.style.opacity = String(clamp(2 * v.end - 1, 0, 1));
    this.showRival();
    this.showNumber();
    this.source = stage.isExact ? "python" : "preview";
    this.root.dataset.source = this.source;
  }

  /** In step 5 the caption of the method that is shown. */
  showRival() {
    const { rival, stage, message: { rivals } } = this, said = rivals[RIVALS[stage.rival]] ?? "";
    rival.hidden = stage.step !== 5 || stage.v.longer < 0.9;
    if (rival.hidden) return;
    for (const [side, at] of Object.entries(captionPlace(stage))) rival.style[side] = `${at}px`;
    if (rival.dataset.said === said) return;
    rival.dataset.said = said;
    rival.replaceChildren(...this.marked(said));
  }

  drawCanvas() {
    const { stage } = this, { v } = stage;
    if (v.chart < 1) {
      const places = rowPlaces(stage), asked = askedOf(stage, places);
      drawRow(stage, places, asked);
      if (v.cells > 0) drawCells(stage, places, asked.map((one) => ({ ...one, x: stage.across(one.x) })));
    }
    if (v.longer > 0) drawTrained(stage);
    drawChart(stage);
    drawCurtain(stage);
  }

  painted() {
    if (this.stage.isMoving) this.schedule();
  }

  // The number, and the tools of a step.

  showNumber() {
    const { big, caption, message: { words } } = this, said = takeaway(this.stage);
    const valueOf = (name) => said.facts[name]?.toString();
    big.classList.toggle("two", [words.two, words.unnamed].includes(said.big));
    sayIn(big, said.big, valueOf);
    sayIn(caption, words[said.caption], valueOf);
    const spoken = joined([big.textContent ?? "", caption.textContent ?? ""], words.stop);
    this.canvas.ariaValueText = spoken;
    this.speak(spoken);
  }

  /** The buttons below the stage, as their step has them. */
  showBar() {
    const { stage, hands, buttons, message: { words, drawing } } = this, { step, drawn, pen } = stage;
    const isOwn = !orderText(stage.order), isAsking = step === 6 && !stage.isShown;
    const [one, other] = stage.swap.map((at) => stage.tokens[at]);
    const show = (button, isHere, text = button.textContent) => {
      button.hidden = !isHere;
      if (button.textContent !== text) button.textContent = text;
    };
    show(buttons.swap, step === 1, isOwn ? `${one} ⇄ ${other}` : `↺ ${words.home}`);
    hands.presets.hidden = step !== 1;
    for (const method of PENS) {
      show(buttons[method], isAsking, (drawn[method] ? "↺ " : "") + stage.lineOf(method).name);
      buttons[method].ariaPressed = String(method === pen);
      buttons[method].style.setProperty("--of", stage.colourOf(method));
    }
    show(buttons.show, isAsking && !drawing?.is_open);
    buttons.show.classList.toggle("primary", Boolean(drawn.alibi && drawn.rope));
    show(buttons.again, step === 6 && stage.isShown && !drawing);
    show(buttons.dice, (step === 7 || step === 8) && !this.alone);
  }

  /** Draw a method's line, anew. */
  takePen(pen) {
    const { stage } = this;
    stage.pen = pen;
    stage.drawn[pen] = null;
    this.schedule();
  }

  drawAgain() {
    this.stage.pen = "alibi";
    this.hands.choose({ story_shown: false, story_guess: "" });
  }

  swapWords() {
    const { stage, stage: { swap: [one, other] }, hands } = this, order = ownOrder(stage.count);
    stage.untouched = false;
    if (!orderText(stage.order)) [order[one], order[other]] = [other, one];
    hands.choose({ story_order: orderText(order) });
  }

  throwDice() {
    this.hands.choose({ write_seed: (Number(this.hands.values.write_seed) % this.message.seeds) + 1 });
  }

  // Gestures.

  /** The place of a pointer on the stage; on the row of words, along it. @returns {[number, number]} */
  pointOn(event) {
    const [x, y] = pointIn(this.canvas, event);
    return [this.stage.step <= 3 ? this.stage.across(x) : x, y];
  }

  /** What a press takes hold of follows the pointer. */
  grab(event, off) {
    clearTimeout(this.telling); // a line in the hand is told when it is let go
    const { stage, canvas } = this, follow = holdOf(stage, ...this.pointOn(event), off);
    stage.untouched = false;
    if (!follow) return null;
    off.addEventListener("abort", () => {
      canvas.blur(); // the arrow keys turn again
      this.tellDrawn();
    });
    const moved = (later) => {
      follow(...this.pointOn(later));
      this.schedule();
    };
    moved(event);
    return moved;
  }

  /** A mouse without a press: in some steps it is enough to point. */
  hover(event) {
    const { stage, hands, canvas } = this, [x, y] = this.pointOn(event), gesture = GESTURES[stage.step];
    if (hands.isDragging || event.pointerType !== "mouse") return;
    canvas.style.cursor = stage.step === 1 && wordAt(stage, x, y) < 0 ? "default" : gesture?.cursor ?? "";
    const values = (gesture?.isPointed && gesture.at?.(stage, x, y)) || {};
    if (alike(values, hands.values)) return;
    stage.untouched = false;
    hands.set(values);
    hands.releaseLater(POINTED_AFTER, false);
  }

  /** An arrow: the gesture of the step, by keys. */
  onGestureKey(event) {
    const { stage, hands, message: { drawing } } = this, arrow = lookUp(ARROWS, event.key), isDrawn = stage.step === 6;
    if (isCombined(event) || !(arrow || (isDrawn && event.key === "Enter"))) return;
    claim(event);
    stage.untouched = false;
    if (!arrow) {
      if (!drawing?.is_open) hands.choose({ story_shown: true });
      return;
    }
    hands.set(GESTURES[stage.step]?.byKey(stage, arrow[0], arrow[1]) ?? {});
    if (isDrawn) {
      clearTimeout(this.telling);
      this.telling = setTimeout(() => this.tellDrawn(), TOLD_AFTER);
    }
    hands.releaseLater();
    this.schedule();
  }

  /** In a class: both lines go to the room. */
  tellDrawn() {
    const told = toldOf(this.stage);
    if (told.length && this.message.drawing?.is_open) this.trigger("drawn", told);
    this.schedule();
  }
}

export default mounting(Story);
