// The base of a view that is one picture on one canvas, with the cursor on another over it.

import { composePicture, buildTools, sizeCanvas } from "./parts.js";
import { Picture } from "./picture.js";
import { clamp, make } from "./shared.js";

const TYPE = 12; // pixels: the smallest type of these pictures on a desk

/**
 * @import { Message } from "./picture.js"
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
    this.settle();
  }

  showPython() {
    Object.assign(this, { source: "python", shown: this.sentValue(this.message), now: this.sent(this.message) });
  }

  compute(follow, shown) {
    const now = this.computed(this.message, follow, shown);
    if (now) Object.assign(this, { source: "preview", shown, now });
    else this.showPython();
  }

  keep(follows) {
    this.message = { ...this.kept(this.message, this.now), follows };
  }

  /** How many times as large all of it is drawn: where the page asks for larger type (presented). */
  get scale() {
    return Math.max(1, this.theme.least / TYPE);
  }

  /** The place of a pointer on the picture, in its own pixels. @type {(event: MouseEvent) => [number, number]} */
  at({ clientX, clientY }) {
    const { left, top } = this.base.getBoundingClientRect();
    return [(clientX - left) / this.scale, (clientY - top) / this.scale];
  }

  /** Pixels of what stands above and below the canvas. */
  around() {
    return this.parts.root.offsetHeight - this.plot.offsetHeight;
  }

  /** On a stage the canvas is as tall as what stands around it leaves. */
  arrange() {
    if (!this.measure()) return;
    const { parts: { room, root }, scale } = this, left = room.offsetHeight - this.around();
    this.tall = (this.message.size === "stage" ? Math.max(180, left) : clamp(0.55 * this.width, 260, 380)) / scale;
    root.dataset.size = this.message.size;
    this.width /= scale;
    this.layout = this.place(this.tall);
  }

  /** A cleared context of one of the two canvases, in the picture's own pixels. */
  pen(canvas) {
    const { layout: { width, height }, ratio, scale } = this, ctx = sizeCanvas(canvas, width, height, ratio * scale);
    Object.assign(canvas.style, { width: `${width * scale}px`, height: `${height * scale}px` });
    canvas.dataset.zoom = String(scale);
    return ctx;
  }

  draw() {
    this.drawOn(this.pen(this.base));
  }

  showCursor() {
    const ctx = this.pen(this.over);
    if (this.cursor) this.drawCursorOn(ctx);
    this.say();
  }

  compose() {
    return composePicture(this.parts.plots, this.theme, (ctx) => {
      const at = this.plot.getBoundingClientRect();
      ctx.translate(at.left, at.top);
      ctx.scale(this.scale, this.scale);
      this.drawOn(ctx);
      if (this.cursor?.locked) this.drawCursorOn(ctx);
    });
  }
}
