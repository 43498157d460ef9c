// RoPE's clocks: their hands follow the row above, and a hand that is turned in its dial turns all others.

import { CanvasPicture } from "../canvas_picture.js";
import { clamp, formatNumber, make, mounting } from "../shared.js";
import { sayIn } from "../hands/hands.js";
import { countsOf, dialsOf } from "./dials.js";
import { computeLayout, dialAt, drawCursor, drawPicture, legendOf, middleOf } from "./draw.js";

/**
 * @import { Dials } from "./dials.js"
 * @import { Message } from "./message.d.ts"
 * @extends {CanvasPicture<Message, { pair: number, locked?: boolean }, Dials, ReturnType<typeof computeLayout>>}
 */
class Clocks extends CanvasPicture {
  lockable = false;
  hasTurned = false; // the reader knows that hands can be dragged
  legend = make("div", "legend"); // stands in the readout's place

  constructor(host) {
    super(host, "clocks");
    this.hands.drag(this.plots, (event) => this.grab(event));
  }

  drawn() {
    return [this.plots, this.readout, this.note];
  }

  pictured() {
    return [this.plot, this.readout];
  }

  /** Python's numbers. */
  take(message) {
    this.now = message;
    super.take(message);
  }

  computed() {
    return dialsOf(this.hands.values);
  }

  get position() {
    return Number(this.hands.values.position);
  }

  // The hand of a dial.

  /** The hand of the dial under a press turns with the pointer, and all others with it. */
  grab(event) {
    const pair = this.message && this.hit(event)?.pair;
    if (pair === undefined) return null;
    const { hand: { low, high } } = /** @type {any} */ (this.hands.controls.get("position"));
    let share = this.shareAt(event, pair), { position } = this;
    return (moved) => {
      const now = this.shareAt(moved, pair), by = now - share;
      position = clamp(position + (by - Math.round(by)) / this.now.turns[pair], low, high);
      share = now;
      this.hasTurned = true;
      this.hands.set({ position: Math.round(position) });
    };
  }

  /** The share of a turn, from 12 o'clock, at which a pointer stands around the middle of a dial. */
  shareAt(event, pair) {
    const [left, top] = this.at(event), [x, y] = middleOf(this.layout, pair);
    return Math.atan2(left - x, y - top) / (2 * Math.PI);
  }

  // Drawing, and the cursor.

  arrange() {
    this.legend.replaceChildren(...legendOf(this.message, this.theme, this.ratio));
    this.say();
    super.arrange();
  }

  place(height) {
    return computeLayout(this.now.turns.length, this.width, height);
  }

  sayNote() {
    const { now, position, message: { words } } = this;
    const numbers = { ...countsOf(now, position), position }, said = numbers.beyond ? words.note_past : words.note;
    sayIn(this.note, said, (name) => formatNumber(numbers[name], 9));
  }

  draw() {
    this.layout = this.place(this.tall); // other hands have another number of dials
    super.draw();
  }

  drawOn(ctx) {
    const { now, legend } = this, isPlain = now.turns.every((turns, pair) => turns === now.plain[pair]);
    const hidden = { unscaled: isPlain, drag: this.hasTurned };
    for (const entry of /** @type {any} */ (legend.children)) entry.hidden = hidden[entry.className];
    drawPicture(ctx, this.layout, this.message, now, this.position, this.theme);
    if (this.cursor) drawCursor(ctx, this.layout, this.pair(), this.theme);
    this.base.dataset.middle = middleOf(this.layout, 0).join(",");
  }

  /** Another size of the head has another number of clocks. */
  pair() {
    return this.cursor ? Math.min(this.cursor.pair, this.now.turns.length - 1) : null;
  }

  say() {
    if (this.cursor) this.showReadout(this.message.words.dial);
    else this.readout.replaceChildren(this.legend);
  }

  placeholder(name) {
    const pair = this.pair();
    return pair === null ? undefined : { pair: String(pair), wavelength: formatNumber(1 / this.now.turns[pair]) }[name];
  }

  hit(event) {
    const pair = dialAt(this.layout, this.at(event));
    return pair < 0 || pair >= this.now.turns.length ? null : { pair };
  }

  first() {
    return { pair: 0 };
  }

  /** The dial that a key leads to; null for a key that means nothing here. */
  step({ key }, { pair }) {
    const { across } = this.layout, last = this.now.turns.length - 1, ends = { Home: -last, End: last };
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -across, ArrowDown: across, ...ends }[key];
    return by === undefined ? null : { pair: clamp(pair + by, 0, last) };
  }
}

export default mounting(Clocks);
