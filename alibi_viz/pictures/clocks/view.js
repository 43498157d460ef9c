// RoPE's clocks: their hands follow the row above, and a hand that is turned in its dial turns all others.

import { Canvas } from "../canvas.js";
import { unpack } from "../core.js";
import { buildTools, probe } from "../parts.js";
import { aloneIn, clamp, formatNumber, make, mounting } from "../shared.js";
import { Hands, PHONE, sayIn } from "../hands/hands.js";
import { countsOf, dialsOf } from "./core.js";
import { computeLayout, drawCursor, drawPicture, middleOf, nameOf } from "./draw.js";

const AROUND = 40; // pixels above and below the dials on a phone

/**
 * @import { Dials } from "./core.js"
 * @import { Message } from "./message.d.ts"
 * @import { Values } from "../hands/hands.js"
 * @typedef {Omit<Message, "turns" | "plain" | "trained"> & Dials & import("../picture.js").Message & { colours: Record<"light" | "dark", string[]> }} Shown
 * @extends {Canvas<Shown, { pair: number, locked?: boolean }, Dials, ReturnType<typeof computeLayout>>}
 */
export class Clocks extends Canvas {
  lockable = false;
  note = make("p", "note");
  /** @type {{ pair: number, share: number, position: number, before: Values } | null} the hand under the pointer */ turning = null;

  constructor(host) {
    super(host, "clocks");
    const { root, plots, tools, bar, readout, trouble } = this.parts;
    this.hands = new Hands({
      alone: aloneIn(root) !== null,
      moved: () => this.moved(),
      resized: () => { this.arrange(); this.paint(false); },
      report: (report) => this.trigger("hands", report),
    });
    bar.remove();
    readout.remove();
    this.hands.foot.append(tools);
    root.prepend(this.hands.row, this.hands.foot, this.hands.further, trouble, this.note);
    plots.addEventListener("pointerup", () => this.letGo());
    plots.addEventListener("pointercancel", () => this.cancel());
  }

  close() {
    this.hands.close();
    super.close();
  }

  read(data) {
    const [message, arrays] = unpack(data);
    for (const name of ["turns", "plain", "trained"]) message[name] = arrays[message[name]];
    if (!this.message) buildTools(this.parts, message, (name) => this.act(name));
    this.hands.answer(message.hands, () => {
      const later = Boolean(this.message);
      this.take(message);
      if (later) this.schedule();
    });
  }

  /** Python's numbers. @param {Shown} message */
  take(message) {
    const { alt, plots } = this.parts;
    alt.textContent = message.alt;
    plots.setAttribute("aria-label", message.words.label);
    this.message = message;
    Object.assign(this, { now: message, source: "python", shown: Number(this.hands.values.position) });
  }

  update(component) {
    super.update(component);
    const { trouble, plots } = this.parts, { problem } = this.message;
    this.note.hidden = Boolean(problem);
    if (!problem) return;
    Object.assign(trouble, { textContent: problem, hidden: false });
    plots.hidden = true;
  }

  /** The hands have moved: what they say is drawn at once. */
  moved() {
    const { values } = this.hands;
    Object.assign(this, { now: dialsOf(values), source: "preview", shown: Number(values.position) });
    this.parts.trouble.hidden = true;
    this.parts.plots.hidden = this.note.hidden = false;
    this.schedule();
  }

  // The hand of a dial.

  onPointer(event) {
    const { turning, hands } = this, hit = this.hit(event);
    if (turning) return this.turn(event, turning);
    if (event.type === "pointerdown" && hit && event.isPrimary && event.button === 0) {
      this.turning = { pair: hit.pair, share: this.shareAt(event, hit.pair), position: Number(hands.values.position), before: { ...hands.values } };
      hands.held = true;
      this.parts.plots.setPointerCapture(event.pointerId);
    }
    return super.onPointer(event);
  }

  /** The share of a turn, from 12 o'clock, at which a pointer stands around the middle of a dial. */
  shareAt(event, pair) {
    const [left, top] = this.at(event), [x, y] = middleOf(this.layout, pair);
    return Math.atan2(left - x, y - top) / (2 * Math.PI);
  }

  turn(event, turning) {
    const share = this.shareAt(event, turning.pair), by = share - turning.share;
    const { hand } = /** @type {{ hand: import("../hands/message.d.ts").Slider }} */ (this.hands.controls.get("position"));
    turning.position = clamp(turning.position + (by - Math.round(by)) / this.now.turns[turning.pair], hand.low, hand.high);
    turning.share = share;
    this.hands.set({ position: Math.round(turning.position) });
  }

  letGo() {
    const { turning, hands } = this;
    this.turning = null;
    if (turning && turning.before.position !== hands.values.position) hands.release();
  }

  /** The browser took the touch for a scroll: as if nothing had been touched. */
  cancel() {
    if (this.turning) this.hands.set(this.turning.before);
    this.turning = null;
    this.hands.held = false;
  }

  // Drawing, and the cursor.

  arrange() {
    this.parts.root.classList.toggle("narrow", this.parts.root.clientWidth < PHONE);
    super.arrange();
  }

  around() {
    return this.parts.root.classList.contains("narrow") ? AROUND : super.around();
  }

  place(height) {
    const isScaled = this.now.turns.some((turns, pair) => turns !== this.now.plain[pair]);
    return computeLayout(probe, this.message.words, this.now.turns.length, isScaled, this.width, height, this.theme);
  }

  draw() {
    const { now, shown, message: { words } } = this, counts = countsOf(now, shown ?? 0);
    const numbers = { ...counts, position: shown ?? 0 };
    sayIn(this.note, counts.beyond ? words.note_past : words.note, (name) => (name in numbers ? formatNumber(numbers[name], 9) : undefined));
    this.layout = this.place(this.tall); // other hands have another number of dials
    super.draw();
  }

  drawOn(ctx) {
    drawPicture(ctx, this.layout, this.message, this.now, this.shown ?? 0, this.theme);
    this.base.dataset.middle = middleOf(this.layout, 0).join(",");
  }

  /** Another size of the head has another number of clocks. */
  pair() {
    return this.cursor ? Math.min(this.cursor.pair, this.now.turns.length - 1) : null;
  }

  drawCursorOn(ctx) {
    drawCursor(ctx, this.layout, nameOf(this.message.words, this.now, this.pair()), this.pair(), this.theme);
  }

  say() {
    const pair = this.pair();
    if (pair !== null) this.speak(nameOf(this.message.words, this.now, pair));
  }

  hit(event) {
    const [left, top] = this.at(event), { layout } = this;
    const near = (pair) => {
      const [x, y] = middleOf(layout, pair);
      return Math.hypot(left - x, top - y) < layout.size / 2;
    };
    const pair = this.now.turns.findIndex((_, at) => near(at));
    return pair < 0 ? null : { pair };
  }

  first() {
    return { pair: 0 };
  }

  /** The dial that a key leads to; null for a key that means nothing here. */
  step({ key }, { pair }) {
    const { across } = this.layout, last = this.now.turns.length - 1;
    const to = { ArrowLeft: pair - 1, ArrowRight: pair + 1, ArrowUp: pair - across, ArrowDown: pair + across, Home: 0, End: last }[key];
    return to === undefined ? null : { pair: clamp(to, 0, last) };
  }
}

export default mounting(Clocks);
