// The clocks: state, preview, pointer and keys, and the module's entry.

import { Canvas } from "../canvas.js";
import { difference } from "../core.js";
import { probe } from "../parts.js";
import { clamp, mounting } from "../shared.js";
import { computeLayout, decode, drawCursor, drawPicture, handsAt, middleOf } from "./draw.js";

/**
 * @import { Message } from "./draw.js"
 * @extends {Canvas<Message, { pair: number, locked?: boolean }, Float64Array, ReturnType<typeof computeLayout>>}
 */
export class Clocks extends Canvas {
  lockable = false;
  decode = decode;

  constructor(host) {
    super(host, "clocks");
  }

  kept(message, hands) {
    return { ...message, dials: { ...message.dials, hands } };
  }

  sent(message) {
    return message.dials.hands;
  }

  computed(message, _, position) {
    return handsAt(message, position);
  }

  gapOf(ours, theirs) {
    return difference(ours, theirs);
  }

  place(height) {
    return computeLayout(probe, this.message, this.width, height, this.theme);
  }

  drawOn(ctx) {
    drawPicture(ctx, this.layout, this.message, this.now, this.theme);
  }

  /** Another size of the head has another number of clocks. */
  pair() {
    return this.cursor ? Math.min(this.cursor.pair, this.now.length - 1) : null;
  }

  drawCursorOn(ctx) {
    drawCursor(ctx, this.layout, this.message.dials, this.pair(), this.theme);
  }

  say() {
    const pair = this.pair();
    if (pair !== null) this.speak(this.message.dials.names[pair]);
  }

  hit(event) {
    const [left, top] = this.at(event), { layout } = this;
    const near = (pair) => {
      const [x, y] = middleOf(layout, pair);
      return Math.hypot(left - x, top - y) < layout.size / 2;
    };
    const pair = this.now.findIndex((_, at) => near(at));
    return pair < 0 ? null : { pair };
  }

  first() {
    return { pair: 0 };
  }

  /** The dial that a key leads to; null for a key that means nothing here. */
  step({ key }, { pair }) {
    const { across } = this.layout, last = this.now.length - 1;
    const to = { ArrowLeft: pair - 1, ArrowRight: pair + 1, ArrowUp: pair - across, ArrowDown: pair + across, Home: 0, End: last }[key];
    return to === undefined ? null : { pair: clamp(to, 0, last) };
  }
}

export default mounting(Clocks);
