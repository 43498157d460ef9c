// The base of the pictures that have a cursor: it follows the pointer and the keys, and what stands there is said below.

import { sayIn, STARTS } from "./hands/hands.js";
import { PictureBase } from "./hands/picture_base.js";
import { claim, isCombined, make } from "./shared.js";

const LISTENERS = {
  pointermove: "onPointer",
  pointerdown: "onPointer",
  pointerleave: "onLeave",
  click: "onClick",
  dblclick: "onDoubleClick",
  keydown: "onKey",
};

/**
 * @template {{ key: string, filename: string }} M the picture's own message  @template {{ locked?: boolean }} C its cursor
 * @extends {PictureBase<M>}
 */
export class CursorPicture extends PictureBase {
  /** @type {C | null} */ cursor = null;
  lockable = true;
  dragged = false; // since the last press: the click that ends a drag locks nothing
  plots = make("div", "plots", { tabindex: "0", role: "application", "aria-describedby": "alt" });
  readout = make("div", "readout");

  /** @param {string} name the root's own class @param {PictureBase<any> | null} owner */
  constructor(host, name, owner = null) {
    super(host, make("div", `picture ${name}`), owner);
    const { root, trouble, plots, readout, live, alt, ruler } = this;
    root.append(trouble, plots, readout, live, alt, ruler);
    for (const [kind, method] of Object.entries(LISTENERS)) {
      plots.addEventListener(kind, (event) => {
        if (this.message) this[method]?.(event);
      });
    }
  }

  // What a picture has of its own.
  /** What stands for a name of the readout. @type {(name: string) => string | undefined} */ placeholder() {
    return undefined;
  }
  /** The place under the pointer. @type {(event: MouseEvent) => C | null} */ hit() {
    return null;
  }
  /** Whether the cursor stands on a place. @param {C} place */ isAt(place) {
    return this.cursor !== null && this.numbersOf(place).join() === this.numbersOf(this.cursor).join();
  }
  /** The place that the first key shows; null: there is no cursor. @type {() => C | null} */ first() {
    return null;
  }
  /** The place that a key leads to. @type {(event: KeyboardEvent, from: C) => C | null} */ step() {
    return null;
  }
  /** The two numbers of a place. @type {(place: C) => number[]} */ numbersOf() {
    return [];
  }
  /** Another place is locked, or none (""): a hand too. isStep: by a key, and perhaps not the last one. */
  lock(cell, isStep) {
    this.hands.values.cell = cell;
    if (isStep) this.hands.releaseLater();
    else this.hands.release();
  }

  /**
   * What a press takes hold of follows the pointer, once that has moved.
   * @param {(event: PointerEvent) => ((event: PointerEvent) => void) | null} grab
   */
  drag(grab) {
    this.hands.drag(this.plots, (event) => {
      const follow = this.message ? grab(event) : null;
      this.dragged = false;
      return follow && ((moved) => {
        this.dragged ||= Math.hypot(moved.clientX - event.clientX, moved.clientY - event.clientY) >= STARTS;
        if (this.dragged) follow(moved);
      });
    });
  }

  drawn() {
    return [this.plots, this.readout];
  }

  /** Put the cursor somewhere, or nowhere (null). */
  move(cursor) {
    const cell = (at) => (at?.locked ? this.numbersOf(at).join(",") : "");
    const before = cell(this.cursor), now = cell(cursor);
    this.cursor = cursor;
    this.showCursor();
    if (before !== now) this.lock(now, Boolean(before && now));
  }

  unlock() {
    this.move({ ...this.cursor, locked: false });
  }

  onPointer(event) {
    if (!this.hands.isDragging && !this.cursor?.locked) this.move(this.hit(event));
  }

  onLeave() {
    if (this.cursor && !this.cursor.locked) this.move(null);
  }

  onClick(event) {
    const hit = this.lockable && !this.dragged && this.hit(event);
    this.dragged = false;
    if (!hit) return;
    if (this.cursor?.locked && this.isAt(hit)) this.unlock();
    else this.move({ ...hit, locked: true });
  }

  /** One key; false for a key that means nothing here. The first one shows the cursor. */
  useKey(event) {
    const { cursor } = this, { key } = event, from = cursor ?? this.first();
    if (!from) return false;
    if (this.lockable && (key === "Enter" || key === " ")) {
      return this.move({ ...from, locked: !cursor?.locked });
    }
    if (key === "Escape") {
      if (!cursor) return false;
      return cursor.locked ? this.unlock() : this.move(null);
    }
    const next = this.step(event, from);
    if (!next) return false;
    return this.move(cursor ? { ...cursor, ...next } : from);
  }

  onKey(event) {
    if (!isCombined(event) && this.useKey(event) !== false) claim(event);
  }

  /** The line under the picture, from a template; a locked cursor has a button that unlocks it. */
  showReadout(template) {
    const { readout, plots, hands: { words } } = this, line = make("span", "words");
    sayIn(line, template, (name) => this.placeholder(name));
    readout.replaceChildren(line);
    if (this.cursor?.locked) {
      const attributes = { type: "button", title: words.unlock, "aria-label": words.unlock };
      const pin = make("button", "pin", attributes, words.locked);
      pin.onclick = () => {
        this.unlock();
        plots.focus();
      };
      readout.prepend(pin);
    }
    this.speak(line.textContent);
  }
}
