// The base of a view that is one picture on one canvas, with the cursor on another over it.

import { composePicture, buildTools, sizeCanvas } from "./parts.js";
import { Picture } from "./picture.js";
import { clamp, make } from "./shared.js";

const SIDE = 190; // pixels: the height of a canvas beside the stage's picture

/**
 * @import { Gap, Message } from "./picture.js"
 * @template {Message} M @template {{ locked?: boolean }} C @template N what is shown now @template {{ width: number, height: number }} L
 * @extends {Picture<M, C>}
 */
export class Canvas extends Picture {
  /** @type {N} */ now;
  /** @type {L} */ layout;
  plot = make("div", "plot");
  base = make("canvas", "base", { "aria-hidden": "true" });
  over = make("canvas", "over", { "aria-hidden": "true" });

  constructor(host, name) {
    super(host, name);
    this.plot.append(this.base, this.over);
    this.parts.plots.append(this.plot);
    this.parts.plots.setAttribute("role", "application");
  }

  // What such a view has of its own.
  /** The message of the bytes. @type {(data: Uint8Array) => M} */ decode() { throw new Error("there is no message"); }
  /** What Python sent. @type {(message: M) => N} */ sent() { return this.now; }
  /** What this page computes. @type {(message: M, follow: M["follows"][0], value: number) => N | null} */ computed() { return null; }
  /** The message that Python would send for what is shown. @type {(message: M, now: N) => M} */ kept(message) { return message; }
  /** How far two of them are apart. @type {(ours: N, theirs: N) => Gap | null} */ gapOf() { return null; }
  /** The places for a height. @type {(height: number) => L} */ place() { return this.layout; }
  /** Paint what is shown. @type {(ctx: CanvasRenderingContext2D) => void} */ drawOn() {}
  /** Paint the cursor. @type {(ctx: CanvasRenderingContext2D) => void} */ drawCursorOn() {}
  /** Say what stands at the cursor. */ say() {}

  read(data) {
    const message = this.decode(data), { parts } = this;
    if (!this.message) buildTools(parts, message, (name) => this.act(name));
    this.message = message;
    parts.alt.textContent = message.alt;
    parts.plots.setAttribute("aria-label", message.label ?? message.words.label);
    parts.readout.hidden = !message.readout;
    this.takeLock(message);
    this.settle(message);
  }

  showPython() {
    Object.assign(this, { source: "python", shown: this.sentValue(this.message), now: this.sent(this.message) });
  }

  compute(follow, shown) {
    const now = this.computed(this.message, follow, shown);
    if (now) Object.assign(this, { source: "preview", shown, gap: null, now });
    else this.showPython();
  }

  keep(follows) {
    this.message = { ...this.kept(this.message, this.now), follows };
  }

  compare(message, follow) {
    const ours = this.computed(message, follow, follow.value);
    return ours && this.gapOf(ours, this.sent(message));
  }

  /** On a stage the canvas is as tall as the bar and the readout leave. */
  arrange() {
    if (!this.measure()) return;
    const { parts: { room, root }, plot } = this, left = room.offsetHeight - (root.offsetHeight - plot.offsetHeight);
    const heights = { stage: Math.max(180, left), side: SIDE };
    this.tall = heights[this.message.size] ?? clamp(0.55 * this.width, 260, 380);
    root.dataset.size = this.message.size;
    this.layout = this.place(this.tall);
  }

  draw() {
    this.drawOn(sizeCanvas(this.base, this.layout.width, this.layout.height, this.ratio));
  }

  showCursor() {
    const ctx = sizeCanvas(this.over, this.layout.width, this.layout.height, this.ratio);
    if (this.cursor) this.drawCursorOn(ctx);
    this.say();
  }

  compose() {
    return composePicture(this.parts.plots, this.theme, (ctx) => {
      const at = this.plot.getBoundingClientRect();
      ctx.translate(at.left, at.top);
      this.drawOn(ctx);
      if (this.cursor?.locked) this.drawCursorOn(ctx);
    });
  }
}
