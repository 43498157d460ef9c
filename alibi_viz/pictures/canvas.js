// The base of a view that is one picture on one canvas under its hands, with the cursor on another canvas over it.

import { composePicture, buildTools, sizeCanvas } from "./parts.js";
import { Picture } from "./picture.js";
import { aloneIn, make } from "./shared.js";
import { Hands, LOWEST, PHONE } from "./hands/hands.js";

export const TYPE = 12; // pixels: the smallest type of these pictures on a desk
const EDGE = 4; // pixels between the canvas and the ring of the focus
const AROUND = 40; // pixels above and below the picture on a phone

/**
 * @import { Message } from "./picture.js"
 * @template {Message & { hands: import("./hands/message.d.ts").Hands, problem: string }} M @template {{ locked?: boolean }} C
 * @template N what is shown now @template {{ width: number, height: number }} L
 * @extends {Picture<M, C>}
 */
export class Canvas extends Picture {
  /** @type {N} */ now;
  /** @type {L} */ layout;
  tall = LOWEST; // pixels that the canvas may take
  plot = make("div", "plot");
  /** The part that is as tall as the stage leaves. */ board = this.plot;
  base = make("canvas", "base", { "aria-hidden": "true" });
  over = make("canvas", "over", { "aria-hidden": "true" });
  note = make("p", "note");

  constructor(host, name) {
    super(host, name);
    const { root, plots, tools, trouble } = this.parts;
    this.hands = new Hands({
      alone: aloneIn(root) !== null,
      moved: () => this.moved(),
      resized: () => this.layOut(false),
      report: (report) => this.trigger("hands", report),
    });
    this.hands.foot.append(tools);
    root.prepend(this.hands.row, this.hands.foot, this.hands.further, trouble, this.note);
    this.plot.append(this.base, this.over);
    plots.append(this.plot);
    plots.setAttribute("role", "application");
    plots.addEventListener("pointerup", () => this.letGo());
    plots.addEventListener("pointercancel", () => this.cancel());
  }

  // What such a view has of its own.
  /** The message of the bytes. @type {(data: Uint8Array) => M} */ decode() { throw new Error("there is no message"); }
  /** What the hands say, computed here; null where only Python can. @type {() => { now: N, shown: number } | null} */ computed() { return null; }
  /** The places for a height. @type {(height: number) => L} */ place() { return this.layout; }
  /** Paint what is shown. @type {(ctx: CanvasRenderingContext2D) => void} */ drawOn() {}
  /** Paint the cursor. @type {(ctx: CanvasRenderingContext2D) => void} */ drawCursorOn() {}
  /** Say what stands at the cursor. */ say() {}
  /** The sentence that follows the hand. */ sayNote() {}
  /** The pointer lets go of what it has grabbed in the picture. */ letGo() {}
  /** The browser took the touch for a scroll: as if nothing had been touched. */ cancel() {}

  close() {
    this.hands.close();
    super.close();
  }

  update(component) {
    this.trigger = component.setTriggerValue;
    super.update(component);
  }

  read(data) {
    const message = this.decode(data);
    if (!this.message) buildTools(this.parts, message, (name) => this.act(name));
    this.hands.answer(message.hands, () => {
      this.take(message);
      this.schedule();
    });
  }

  /** Python's numbers. @param {M} message */
  take(message) {
    const { alt, plots } = this.parts;
    Object.assign(this, { message, source: "python" });
    alt.textContent = message.alt;
    plots.setAttribute("aria-label", message.words.label);
    this.showProblem(message.problem);
  }

  /** The hands have moved: what they say is drawn at once. */
  moved() {
    const computed = this.computed();
    if (!computed) return;
    Object.assign(this, computed, { source: "preview" });
    if (!this.parts.trouble.hidden) {
      this.showProblem("");
      this.layOut();
    }
    this.schedule();
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

  /** The canvas is as tall as what stands around it leaves of the stage; on a phone the other hands stand below it. */
  arrange() {
    const { parts: { root, room, plots }, board, scale } = this, isNarrow = root.clientWidth < PHONE;
    root.classList.toggle("narrow", isNarrow);
    this.sayNote(); // it may be higher
    const around = isNarrow ? AROUND : root.offsetHeight - board.offsetHeight;
    this.tall = Math.max(LOWEST, room.offsetHeight - around) / scale;
    this.width = (plots.clientWidth - 2 * EDGE) / scale;
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
    this.sayNote();
    this.drawOn(this.pen(this.base));
  }

  showCursor() {
    const ctx = this.pen(this.over);
    if (this.cursor) this.drawCursorOn(ctx);
    this.say();
  }

  /** Draw what a canvas shows on the picture to take away. */
  drawAt(ctx, canvas, draw) {
    const { left, top } = canvas.getBoundingClientRect();
    ctx.save();
    ctx.translate(left, top);
    ctx.scale(this.scale, this.scale);
    draw();
    ctx.restore();
  }

  /** @param {CanvasRenderingContext2D} ctx in the page's coordinates */
  composeOn(ctx) {
    this.drawAt(ctx, this.base, () => {
      this.drawOn(ctx);
      if (this.cursor?.locked) this.drawCursorOn(ctx);
    });
  }

  compose() {
    return composePicture(this.board, this.theme, (ctx) => this.composeOn(ctx));
  }
}
