// The story: one sentence, one canvas, nine steps. The hands say what is shown; a step only says where the numbers glide to.

import { sizeCanvas } from "../plot.js";
import { addressOf, clamp, make, mounting } from "../shared.js";
import { PHONE, sayIn } from "../hands/hands.js";
import { PictureBase } from "../hands/picture_base.js";
import { cellAt, drawCells, drawTrained, timesUnder } from "./cells.js";
import { drawChart, drawCurtain, PENS, seenUnder } from "./chart.js";
import { nearestIn, orderText, ownOrder, STEPS } from "./core.js";
import { bend, pencil, restore, toldOf } from "./pencil.js";
import { askedOf, distanceAt, drawRow, headAt, moveWords, rowPlaces, slopeThrough, wordAt } from "./row.js";
import { pulled, Stage } from "./stage.js";
import { takeaway } from "./takeaway.js";
import { buildTexts, showTexts } from "./texts.js";

/** @import { Message } from "./message.d.ts" */

const WANTS_KEYS =
  "input, textarea, select, [contenteditable], [role=application], [role=listbox], [role=slider], [role=dialog]";
const SWIPE = { far: 48, straight: 1.6 }; // pixels; how much wider than high
const TURN_KEYS = { ArrowRight: 1, PageDown: 1, " ": 1, ArrowLeft: -1, PageUp: -1 };
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const TOLD_AFTER = 600; // ms without a key before a drawn line is told
/** The hands that stand below a step. */
const TOOLS = { 1: ["story_text", "causal"], 7: ["write_at"], 8: ["write_near"] };
const CURSORS = { 1: "grab", 2: "ns-resize", 3: "pointer", 5: "ew-resize", 9: "ew-resize" };

/** @extends {PictureBase<Message>} */
class Story extends PictureBase {
  stage = new Stage(this.hands);
  head = make("header", "say");
  question = make("h2", "question", { tabindex: "-1" });
  text = make("p", "text");
  number = make("div", "number");
  board = make("div", "board");
  canvas = make("canvas", "canvas", { tabindex: "0", role: "slider", "aria-valuenow": "0" });
  papers = make("div", "papers", { hidden: "" });
  end = make("div", "end", { hidden: "" });
  bar = make("div", "bar");
  foot = make("footer", "turn");
  /** @type {ReturnType<typeof buildTexts>} */ columns = [];
  shownStep = 0;
  said = ""; // the text of the step, as it stands
  /** @type {ReturnType<typeof rowPlaces>} */ places;
  built = ""; // for what the tools were built

  constructor(host) {
    super(host, make("div", "story", { role: "group" }));
    const { root, head, question, text, number, board, canvas, papers, end, bar, foot, hands } = this,
      words = make("div");
    words.append(question, text);
    head.append(words, number);
    board.append(canvas, papers, end);
    hands.row.hidden = true; // each stands below its step
    root.append(hands.row, this.trouble, head, board, bar, foot, this.live, this.alt, this.room);
    this.observer.observe(board);
    hands.drag(canvas, (event, off) => this.grab(event, off));
    canvas.addEventListener("pointermove", (event) => this.hover(event));
    canvas.addEventListener("keydown", (event) => this.onGestureKey(event));
    window.addEventListener("keydown", (event) => this.onTurnKey(event), { signal: hands.off.signal });
    this.listenForSwipes();
  }

  drawn() {
    return [this.head, this.board, this.bar, this.foot];
  }

  pictured() {
    return [this.head, this.board];
  }

  // Messages.

  take(message) {
    const { stage } = this, isFirst = !this.message, isSame = this.message?.sentence.join() === message.sentence.join();
    stage.message = this.message = message;
    this.root.classList.toggle("bare", !message.texts.length);
    restore(stage);
    if (!isSame) stage.words = message.sentence.map((text) => ({ text, x: null, alpha: 1 }));
    if (isFirst) this.build();
    this.alt.textContent = message.alt;
    this.built = "";
    this.arrive(isFirst);
    this.layOut();
  }

  moved() {
    if (!this.message) return;
    this.arrive(false);
    this.schedule();
  }

  /** The hands say another step, or something else of this one. */
  arrive(isFirst) {
    const { stage, shownStep, message: { steps } } = this,
      { step } = stage,
      { question, text, after, gesture } = steps[step - 1],
      said = (stage.isShown && after) || text;
    stage.isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const isNew = step !== shownStep;
    if (isNew) {
      this.shownStep = step;
      Object.assign(stage, { untouched: true, grip: null });
      this.question.textContent = question;
      this.canvas.setAttribute("aria-label", gesture);
      this.showTurns();
      if (step === 7 && !isFirst && shownStep < 7 && stage.untouched) Object.assign(stage.v, { play: 0 });
      if (!isFirst && this.isTurned) this.question.focus({ preventScroll: true });
    }
    if (said !== this.said) {
      this.said = said;
      this.text.replaceChildren(...this.marked(said));
    }
    this.isTurned = false;
    stage.turn("play", 1, 3600);
    stage.aim(step < shownStep, isFirst);
  }

  /** What stands once: the buttons that turn, the texts, and the last words. */
  build() {
    const { message: { words, end, links, steps }, foot } = this;
    const button = (name, text, by) => {
      const made = make("button", name, { type: "button" }, text);
      made.onclick = () => this.turn(this.stage.step + by);
      return made;
    };
    const dots = make("nav", "dots", { "aria-label": words.steps });
    steps.forEach(({ question }, at) => {
      const dot = make("button", "dot", { type: "button", "aria-label": `${at + 1}: ${question}`, title: question });
      dot.onclick = () => this.turn(at + 1);
      dots.append(dot);
    });
    foot.append(button("back", words.back, -1), dots, this.tools, button("next primary", words.next, 1));
    this.columns = buildTexts(this.stage);
    this.papers.replaceChildren(...this.columns.map(({ column }) => column));
    const list = make("ol"), go = make("p", "go");
    for (const sentence of end) {
      const item = make("li");
      item.append(...this.marked(sentence));
      list.append(item);
    }
    go.append(
      ...links.map(([title, lesson]) => this.link(title, lesson)).filter((link) => link instanceof Element),
    );
    this.end.replaceChildren(list, go);
  }

  /** A link; the words alone where it leads nowhere. */
  link(title, lesson) {
    const href = addressOf(this.root, lesson);
    return href ? make("a", "", { href, target: "_self" }, title) : title;
  }

  /** A sentence of ours with bold words and links, as elements. */
  marked(text) {
    return text.split(/(\*\*.+?\*\*|_\w+?_|\[[^\]]+\]\([^)]*\))/).filter(Boolean).map((piece) => {
      const link = /^\[([^\]]+)\]\(([^\s)]+)/.exec(piece);
      if (link) return this.link(link[1], link[2]);
      if (piece.startsWith("**")) return make("b", "", {}, piece.slice(2, -2));
      return /^_\w+_$/.test(piece) ? make("em", "", {}, piece.slice(1, -1)) : piece;
    });
  }

  // Turning.

  turn(to) {
    const { stage, hands, message: { slopes, texts } } = this, step = clamp(to, 1, STEPS);
    if (step === stage.step || !texts.length) return;
    const head = stage.step === 2 && step === 3
      ? { story_head: 1 + slopes.indexOf(nearestIn([...slopes], Math.max(stage.slope, 1e-3))) }
      : {};
    this.isTurned = true;
    hands.choose(/** @type {import("../hands/hands.js").Values} */ ({ ...head, step, scene: 0 }));
  }

  showTurns() {
    const { step } = this.stage, [back, dots, , next] = /** @type {HTMLElement[]} */ ([...this.foot.children]);
    Object.assign(back, { disabled: step === 1 });
    Object.assign(next, { disabled: step === STEPS });
    [...dots.children].forEach((dot, at) => {
      dot.classList.toggle("past", at + 1 < step);
      if (at + 1 === step) dot.setAttribute("aria-current", "step");
      else dot.removeAttribute("aria-current");
    });
  }

  onTurnKey(event) {
    const by = TURN_KEYS[event.key], path = event.composedPath().filter((node) => node instanceof Element);
    if (
      !by || !this.message?.texts.length || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey ||
      event.defaultPrevented
    ) return;
    if (path.some((element) => element.matches(WANTS_KEYS))) return;
    if (event.key === " " && path.some((element) => element.matches("button, a, summary"))) return;
    event.preventDefault();
    this.turn(this.stage.step + by);
  }

  /** A swipe above or below the stage turns one step; on the stage the finger is the gesture's. */
  listenForSwipes() {
    /** @type {{ x: number, y: number } | null} */ let from = null;
    this.root.addEventListener("pointerdown", (event) => {
      const taken = event.pointerType === "mouse" ||
        event.composedPath().some((node) => node instanceof Element && node.matches("canvas, input"));
      from = taken || !event.isPrimary ? null : { x: event.clientX, y: event.clientY };
    });
    this.root.addEventListener("pointerup", (event) => {
      const across = from ? event.clientX - from.x : 0, down = from ? event.clientY - from.y : 0;
      from = null;
      if (Math.abs(across) > Math.max(SWIPE.far, SWIPE.straight * Math.abs(down))) {
        this.turn(this.stage.step - Math.sign(across));
      }
    });
    this.root.addEventListener("pointercancel", () => {
      from = null;
    });
  }

  // Places and frames.

  arrange() {
    const { stage, theme, root, board } = this, style = getComputedStyle(root);
    const unit = parseFloat(style.fontSize) / 16, learned = this.message.learned[Number(theme.dark)];
    const raised = style.getPropertyValue("--st-secondary-background-color").trim() || theme.grid;
    Object.assign(stage, { ink: { ...theme, raised, learned }, unit, small: root.clientWidth < PHONE });
    root.classList.toggle("small", stage.small);
    this.showBar();
    Object.assign(stage, { width: board.clientWidth, height: board.clientHeight, endHeight: this.end.offsetHeight });
    for (const [name, colour] of Object.entries({ query: stage.ink.query, unknown: stage.colourOf("rope") })) {
      root.style.setProperty(`--${name}`, colour);
    }
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
    canvas.style.visibility = isText ? "hidden" : "";
    if (!isText) this.drawCanvas();
    this.showBar();
    Object.assign(papers, { hidden: v.texts === 0 });
    papers.style.opacity = String(v.texts);
    if (v.texts > 0) showTexts(stage, this.columns);
    if (end.hidden !== (stage.step !== 9)) {
      end.hidden = stage.step !== 9;
      stage.endHeight = end.offsetHeight;
      stage.isMoving = true;
    }
    end.style.opacity = String(clamp(2 * v.end - 1, 0, 1));
    this.showNumber();
    this.source = stage.isExact ? "python" : "preview";
    this.root.dataset.source = this.source;
  }

  drawCanvas() {
    const { stage } = this, { v } = stage;
    if (v.chart < 1) {
      const places = rowPlaces(stage), asked = askedOf(stage);
      this.places = places;
      moveWords(stage, places, asked);
      drawRow(stage, places, asked);
      if (v.cells > 0) drawCells(stage, places, asked);
    }
    if (v.longer > 0) drawTrained(stage);
    drawChart(stage);
    drawCurtain(stage);
  }

  painted() {
    if (this.stage.isMoving) this.schedule();
  }

  handValue() {
    return { ...this.hands.values };
  }

  // The number, and the tools of a step.

  showNumber() {
    const { stage, number } = this,
      { big, caption, facts } = takeaway(stage),
      lookup = (name) => facts[name]?.toString();
    if (!number.childElementCount) number.append(make("div", "big"), make("p", "caption"));
    const [first, second] = /** @type {HTMLElement[]} */ ([...number.children]);
    first.classList.toggle("two", big === this.message.words.two);
    sayIn(first, big, lookup);
    sayIn(second, caption, lookup);
    const spoken = `${first.textContent}. ${second.textContent}`;
    this.canvas.setAttribute("aria-valuetext", spoken);
    this.speak(spoken);
  }

  /** The tools below the stage: hands of Python's, and buttons of this step. */
  showBar() {
    const { stage, bar, hands, message: { words, swap, sentence, drawing } } = this,
      { step, drawn, pen, isShown } = stage;
    const isOwn = stage.order.every((word, place) => word === place);
    const built = [step, isShown, pen, Boolean(drawn.alibi), Boolean(drawn.rope), isOwn, hands.form, stage.small]
      .join();
    if (built === this.built) return;
    this.built = built;
    const button = (name, text, act, pressed = "") => {
      const made = make("button", name, { type: "button", ...(pressed && { "aria-pressed": pressed }) }, text);
      made.onclick = () => {
        stage.untouched = false;
        act();
      };
      return made;
    };
    const boxes = (TOOLS[step] ?? []).map((key) => hands.controls.get(key)?.box).filter(Boolean), made = [];
    const [one, other] = swap.map((at) => sentence[at]);
    if (step === 1) {
      made.push(button("swap", isOwn ? `${one} ⇄ ${other}` : `↺ ${words.home}`, () => this.swapWords()), hands.presets);
    }
    if (step === 6 && !isShown) {
      for (const method of PENS) {
        const name = stage.lineOf(method).name,
          clear = () => Object.assign(stage, { pen: method, drawn: { ...drawn, [method]: null } });
        const chosen = button(
          "pen",
          drawn[method] ? `↺ ${name}` : name,
          () => this.redraw(clear),
          String(pen === method),
        );
        chosen.style.setProperty("--of", stage.colourOf(method));
        made.push(chosen);
      }
      made.push(make("span", "spring"));
      const show = () => hands.choose({ story_shown: true });
      if (!drawing?.is_open) made.push(button(drawn.alibi && drawn.rope ? "primary" : "", words.show, show));
    }
    if (step === 6 && isShown && !drawing) {
      const anew = () => {
        Object.assign(stage, { drawn: { alibi: null, rope: null }, pen: "alibi" });
        hands.choose({ story_shown: false });
      };
      made.push(button("again", words.again, anew));
    }
    if ((step === 7 || step === 8) && !this.alone) made.push(button("dice", words.dice, () => this.throwDice()));
    for (const { box } of hands.controls.values()) if (!boxes.includes(box)) hands.row.append(box);
    bar.replaceChildren(...boxes, ...made);
  }

  redraw(change) {
    change();
    this.schedule();
  }

  swapWords() {
    const { stage, hands, message: { swap } } = this, order = ownOrder(stage.count), [one, other] = swap;
    if (stage.order.every((word, place) => word === place)) [order[one], order[other]] = [order[other], order[one]];
    hands.choose({ story_order: orderText(order) });
  }

  throwDice() {
    this.hands.choose({ write_seed: (Number(this.hands.values.write_seed) % this.message.seeds) + 1 });
  }

  // Gestures.

  pointOn({ clientX, clientY }) {
    const box = this.canvas.getBoundingClientRect();
    return [clientX - box.left, clientY - box.top];
  }

  /** What a press takes hold of follows the pointer. */
  grab(event, off) {
    const { stage, places, canvas } = this, [x, y] = this.pointOn(event), { step } = stage;
    stage.untouched = false;
    off.addEventListener("abort", () => canvas.blur()); // the arrow keys turn again
    const follow = this.gesture(x, y, off);
    if (!follow || !places && step < 6) return null;
    const moved = (later) => {
      const [px, py] = this.pointOn(later);
      follow(px, py);
      this.schedule();
    };
    follow(x, y);
    this.schedule();
    return moved;
  }

  /** @returns {((x: number, y: number) => void) | null} */
  gesture(x, y, off) {
    const { stage, hands, places } = this, { step } = stage;
    if (step === 1) return this.carry(x, y, off);
    if (step === 2) {
      stage.grip = distanceAt(stage, places, x);
      return (_, now) => hands.set({ story_slope: pulled(slopeThrough(stage, places, now)) });
    }
    if (step === 3) return (_, now) => hands.set({ story_head: headAt(stage, places, now) });
    if (step === 4) return (px, py) => this.point(px, py);
    if (step === 5) return (px) => hands.set({ story_times: timesUnder(stage, px) });
    if (step === 6 && !stage.isShown) return pencil(stage, off, () => this.tellDrawn());
    if (step === 9) return (px) => hands.set({ story_seen: seenUnder(stage, px) });
    return null;
  }

  /** A word in the hand; a press without a drag lets the word ask. */
  carry(x, y, off) {
    const { stage, hands, places } = this, word = wordAt(stage, places, x, y);
    if (word < 0) return null;
    const away = Number(stage.words[word].x) - x;
    let isDragged = false;
    off.addEventListener("abort", () => {
      stage.held = null;
      if (!isDragged) hands.set({ story_query: word });
      this.schedule();
    });
    return (px) => {
      isDragged ||= Math.abs(px - x) > 4;
      if (!isDragged) return;
      stage.held = { word, x: px + away };
      this.put(word, places.at(px + away));
    };
  }

  put(word, place) {
    if (this.stage.order[place] === word) return;
    const order = this.stage.order.filter((other) => other !== word);
    order.splice(place, 0, word);
    this.hands.set({ story_order: orderText(order) });
  }

  point(x, y) {
    const cell = cellAt(this.stage, x, y);
    if (cell) this.hands.set({ cell: cell.join(",") });
  }

  /** A mouse without a press: in steps 3 and 4 it is enough to point. */
  hover(event) {
    const { stage, hands, places, canvas } = this, [x, y] = this.pointOn(event), { step } = stage;
    if (!this.message || hands.isDragging || event.pointerType !== "mouse") return;
    canvas.style.cursor = step === 1 && places && wordAt(stage, places, x, y) < 0
      ? "default"
      : CURSORS[step] ?? "crosshair";
    if (step === 3 && places && headAt(stage, places, y) !== stage.head) {
      hands.set({ story_head: headAt(stage, places, y) });
    } else if (step === 4 && cellAt(stage, x, y)?.join(",") !== hands.values.cell) this.point(x, y);
    else return;
    stage.untouched = false;
    hands.releaseLater(400, false);
  }

  onGestureKey(event) {
    const arrow = ARROWS[event.key];
    if (event.altKey || event.ctrlKey || event.metaKey || (!arrow && event.key !== "Enter")) return;
    if (!arrow && !(this.stage.step === 6)) return;
    event.preventDefault();
    event.stopPropagation();
    this.stage.untouched = false;
    if (arrow) this.byKeys(arrow[0], arrow[1]);
    else if (!this.message.drawing?.is_open) this.hands.choose({ story_shown: true });
    this.hands.releaseLater();
    this.schedule();
  }

  /** An arrow: the gesture of the step, by keys. */
  byKeys(across, down) {
    const { stage, hands } = this,
      { step, count, order, query, cell: [asking, key] } = stage,
      forth = across || -down;
    if (step === 1 && across) this.put(query, clamp(order.indexOf(query) + across, 0, count - 1));
    if (step === 1 && down) hands.set({ story_query: order[clamp(order.indexOf(query) + down, 0, count - 1)] });
    if (step === 2) hands.set({ story_slope: pulled(stage.slope + 0.01 * (down || -across)) });
    if (step === 3) hands.set({ story_head: clamp(stage.head + (down || across), 1, this.message.slopes.length) });
    if (step === 4) {
      const row = clamp(asking + down, 0, count - 1);
      hands.set({ cell: `${row},${clamp(key + across, 0, row)}` });
    }
    if (step === 5) {
      hands.set({
        story_times: Number(clamp(Number(hands.values.story_times) * 2 ** (0.125 * forth), 1, 4).toFixed(2)),
      });
    }
    if (step === 6 && !stage.isShown) {
      bend(stage, across, down);
      clearTimeout(this.telling);
      this.telling = setTimeout(() => this.tellDrawn(), TOLD_AFTER);
    }
    if (step === 9) {
      hands.set({ story_seen: clamp(Math.round(stage.seen * 2 ** (-0.5 * (across || down))), 1, 2 ** 9) });
    }
  }

  /** In a class: both lines go to the room. */
  tellDrawn() {
    const told = toldOf(this.stage);
    if (told.length && this.message.drawing?.is_open) this.trigger("drawn", told);
    this.schedule();
  }
}

export default mounting(Story);
