// The base of a view that is one picture on one canvas under its hands.

import { CursorPicture } from "./cursor_picture.js";
import { sizeCanvas } from "./plot.js";
import { make, pointIn } from "./shared.js";
import { LOWEST, PHONE } from "./hands/hands.js";

export const TYPE = 12; // pixels: the smallest type of these pictures on a desk
const EDGE = 4; // pixels between the canvas and the ring of the focus
const AROUND = 40; // pixels above and below the picture on a phone

/**
 * @template {{ key: string, filename: string, alt: string, words: Record<string, string>, problem: string }} M @template {{ locked?: boolean }} C
 * @template N what is drawn now @template {{ width: number, height: number }} L
 * @extends {CursorPicture<M, C>}
 */
export class CanvasPicture extends CursorPicture {
  /** @type {N} */ now;
  /** @type {L} */ layout;
  tall = LOWEST; // pixels that the canvas may take
  plot = make("div", "plot");
  /** @type {HTMLElement} the part that is as tall as the stage leaves */ board = this.plot;
  base = make("canvas", "base", { "aria-hidden": "true" });
  note = make("p", "note");

  constructor(host, name) {
    super(host, name);
    const { root, plots, trouble } = this;
    root.prepend(this.hands.row, this.hands.foot, this.hands.advanced, trouble, this.note);
    this.plot.append(this.base);
    plots.append(this.plot);
  }

  // What such a view has of its own.
  /** What the hands say, computed here; null where only Python can. @type {() => N | null} */ computed() {
    return null;
  }
  /** The places for a height. @type {(height: number) => L} */ place() {
    return this.layout;
  }
  /** Paint what is shown, and the cursor. @type {(ctx: CanvasRenderingContext2D) => void} */ drawOn() {}
  /** Say what stands at the cursor. */ say() {}
  /** The sentence that follows the hand. */ sayNote() {}

  /** Python's numbers. @param {M} message */
  take(message, source = "python") {
    Object.assign(this, { message, source });
    this.alt.textContent = message.alt;
    this.plots.setAttribute("aria-label", message.words.label);
    this.showProblem(message.problem);
    this.layOut();
  }

  /** The hands have moved: what they say is drawn at once. */
  moved() {
    const computed = this.computed();
    if (!computed) return;
    Object.assign(this, { now: computed, source: "preview" });
    if (!this.trouble.hidden) {
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
  at(event) {
    const [left, top] = pointIn(this.base, event);
    return [left / this.scale, top / this.scale];
  }

  /** The canvas is as tall as what stands around it leaves of the stage; on a phone the other hands stand below it. */
  arrange() {
    const { root, ruler, plots, board, scale } = this, isNarrow = root.clientWidth < PHONE;
    root.classList.toggle("narrow", isNarrow);
    this.sayNote(); // it may be higher
    const around = isNarrow ? AROUND : root.offsetHeight - board.offsetHeight;
    this.tall = Math.max(LOWEST, ruler.offsetHeight - around) / scale;
    this.width = (plots.clientWidth - 2 * EDGE) / scale;
    this.layout = this.place(this.tall);
  }

  move(cursor) {
    super.move(cursor);
    this.paint(false);
  }

  /** On a cleared canvas, in the picture's own pixels. */
  draw() {
    const { base, layout: { width, height }, ratio, scale } = this;
    this.sayNote();
    this.drawOn(sizeCanvas(base, width, height, ratio, scale));
    this.say();
  }

  pictured() {
    return [this.board];
  }
}
