// The clocks: state, preview, pointer and keys, and the module's entry.

import { difference, largestGap } from "../core.js";
import { composePicture, probe, sizeCanvas } from "../parts.js";
import { Picture } from "../picture.js";
import { clamp, mounting } from "../shared.js";
import { computeLayout, decode, drawCursor, drawPicture, handsAt, middleOf } from "./draw.js";

/** @extends {Picture<import("./draw.js").Message, { pair: number, locked?: boolean }>} */
export class Clocks extends Picture {
  /** @type {ReturnType<typeof computeLayout>} */ layout;
  /** @type {Float64Array} */ hands;

  constructor(host) {
    super(host, "clocks");
    this.lockable = false;
    this.addCanvas();
  }

  read(data) {
    this.accept(decode(data));
    this.settle(this.message);
  }

  showPython() {
    Object.assign(this, { source: "python", shown: this.sentValue(this.message), hands: this.message.dials.hands });
  }

  compute(_, value) {
    Object.assign(this, { source: "preview", shown: value, gap: null, hands: handsAt(this.message, value) });
  }

  /** The browser's hands at Python's position against Python's. */
  compare(message, follow) {
    return largestGap([difference(handsAt(message, follow.value), message.dials.hands)]);
  }

  arrange() {
    if (this.measure()) this.layout = computeLayout(probe, this.message, this.width, this.roomFor(this.message), this.theme);
  }

  draw() {
    const ctx = sizeCanvas(this.base, this.layout.width, this.layout.height, this.ratio);
    drawPicture(ctx, this.layout, this.message, this.hands, this.theme);
  }

  showCursor() {
    const { layout, message, cursor, theme } = this;
    const ctx = sizeCanvas(this.over, layout.width, layout.height, this.ratio);
    if (!cursor) return;
    const pair = Math.min(cursor.pair, this.hands.length - 1);
    drawCursor(ctx, layout, message.dials, pair, theme);
    this.speak(message.dials.names[pair]);
  }

  compose() {
    return composePicture(this.parts.plots, this.theme, (ctx) => {
      const at = this.plot.getBoundingClientRect();
      ctx.translate(at.left, at.top);
      drawPicture(ctx, this.layout, this.message, this.hands, this.theme);
    });
  }

  hit(event) {
    const box = this.base.getBoundingClientRect(), { layout } = this;
    const near = (pair) => {
      const [x, y] = middleOf(layout, pair);
      return Math.hypot(event.clientX - box.left - x, event.clientY - box.top - y) < layout.size / 2;
    };
    const pair = this.hands.findIndex((_, at) => near(at));
    return pair < 0 ? null : { pair };
  }

  first() {
    return { pair: 0 };
  }

  /** The dial that a key leads to; null for a key that means nothing here. */
  step({ key }, { pair }) {
    const { across } = this.layout, last = this.hands.length - 1;
    const to = { ArrowLeft: pair - 1, ArrowRight: pair + 1, ArrowUp: pair - across, ArrowDown: pair + across, Home: 0, End: last }[key];
    return to === undefined ? null : { pair: clamp(to, 0, last) };
  }
}

export default mounting(Clocks);
