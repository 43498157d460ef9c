// RoPE's clocks: their hands follow the row above, and a hand that is turned in its dial turns all others.

import { Canvas } from "../canvas.js";
import { unpack } from "../core.js";
import { probe } from "../parts.js";
import { clamp, formatNumber, mounting } from "../shared.js";
import { sayIn } from "../hands/hands.js";
import { countsOf, dialsOf } from "./core.js";
import { computeLayout, drawCursor, drawPicture, middleOf, nameOf } from "./draw.js";

/**
 * @import { Dials } from "./core.js"
 * @import { Message } from "./message.d.ts"
 * @import { Values } from "../hands/hands.js"
 * @typedef {Omit<Message, "turns" | "plain" | "trained"> & Dials & import("../picture.js").Message & { colours: Record<"light" | "dark", string[]> }} Shown
 * @extends {Canvas<Shown, { pair: number, locked?: boolean }, Dials, ReturnType<typeof computeLayout>>}
 */
export class Clocks extends Canvas {
  lockable = false;
  /** @type {{ pair: number, share: number, position: number, before: Values } | null} the hand under the pointer */ turning = null;

  constructor(host) {
    super(host, "clocks");
    this.parts.readout.remove();
  }

  drawn() {
    return [this.parts.plots, this.note];
  }

  decode(data) {
    const [message, arrays] = unpack(data);
    for (const name of ["turns", "plain", "trained"]) message[name] = arrays[message[name]];
    return message;
  }

  /** Python's numbers. @param {Shown} message */
  take(message) {
    Object.assign(this, { now: message, shown: Number(this.hands.values.position) });
    super.take(message);
  }

  computed() {
    const { values } = this.hands;
    return { now: dialsOf(values), shown: Number(values.position) };
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

  cancel() {
    if (this.turning) this.hands.set(this.turning.before);
    this.turning = null;
    this.hands.held = false;
  }

  // Drawing, and the cursor.

  place(height) {
    const isScaled = this.now.turns.some((turns, pair) => turns !== this.now.plain[pair]);
    return computeLayout(probe, this.message.words, this.now.turns.length, isScaled, this.width, height, this.theme);
  }

  sayNote() {
    const { now, shown, message: { words } } = this, counts = countsOf(now, shown ?? 0);
    const numbers = { ...counts, position: shown ?? 0 };
    sayIn(this.note, counts.beyond ? words.note_past : words.note, (name) => (name in numbers ? formatNumber(numbers[name], 9) : undefined));
  }

  draw() {
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
