// The base of every view: messages, the value under a hand, the cursor, the readout. One instance an element.
// A follow is a hand that the message names (message.py).

import { fillTemplate, followOf } from "./core.js";
import { buildFrame, copyPicture, download, readTheme } from "./parts.js";
import { aloneIn, make, tell } from "./shared.js";

export const REPORT_AFTER = 150; // ms without a key press before a locked cell moved by keys is reported
const SPOKEN_EVERY = 700; // ms between two announcements to a screen reader
const LISTENERS = {
  pointermove: "onPointer", pointerdown: "onPointer", pointerleave: "onLeave",
  click: "onClick", dblclick: "onDoubleClick", keydown: "onKey",
};
/** @type {(a: number | null, b: number | null) => boolean} */
const same = (a, b) => a !== null && b !== null && Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));

/**
 * What every message has.
 * @import { Follow } from "./message.d.ts"
 * @typedef {{ key: string, alt: string, filename: string, size: string, words: Record<string, string>, follows: Follow[],
 *   label?: string | null, readout?: object | null, locked?: number[] | null, zoomable?: boolean }} Message
 * @typedef {{ channel: string, value: number, released: boolean }} Drag
 */

/** @template {Message} M the view's own message  @template {{ locked?: boolean }} C its cursor */
export class Picture {
  /** @type {M} */ message;
  /** @type {C | null} */ cursor = null;
  lockable = true;
  /** @type {Drag | null} the value under a hand, which Python has not answered yet */ drag = null;
  /** @type {string | null} the channel of the last hand that moved */ heard = null;
  said = ""; // what Python last said is locked
  /** @type {string[]} what it was told and has not yet said back */ told = [];
  /** @type {"python" | "preview"} */ source = "python";
  /** @type {number | null} the value of what is shown */ shown = null;
  /** @type {import("./parts.js").Theme} */ theme;
  /** @type {number} */ width;
  /** @type {number} */ height;
  /** @type {number} */ ratio;
  frame = 0;

  constructor(host, name) {
    this.parts = buildFrame(host, name);
    const { plots, root, room } = this.parts;
    for (const [kind, method] of Object.entries(LISTENERS)) {
      plots.addEventListener(kind, (event) => { if (this.message) this[method]?.(event); });
    }
    this.alone = aloneIn(root) !== null;
    this.observer = new ResizeObserver(() => this.onResize());
    for (const part of [root, room]) this.observer.observe(part);
  }

  // What a view has of its own.
  /** Take a message. @type {(data: Uint8Array) => void} */ read() {}
  /** Find the places for the present size. */ arrange() {}
  /** Paint what is shown now. */ draw() {}
  /** Show Python's numbers. */ showPython() {}
  /** Show the browser's, for a dragged value. @type {(follow: M["follows"][0], value: number) => void} */ compute() {}
  /** Without Python: what is shown is what a next value starts from. @type {(follows: M["follows"]) => void} */ keep() {}
  /** Paint the cursor, and say what stands there. */ showCursor() {}
  /** The picture to take away. */ compose() { return make("canvas"); }
  /** Called when it is painted. */ painted() {}
  /** What stands for a name of the readout. @type {(name: string) => string | undefined} */ placeholder() { return undefined; }
  /** The place under the pointer. @type {(event: MouseEvent) => C | null} */ hit() { return null; }
  /** Whether the cursor stands on a place. @type {(place: C) => boolean} */ isAt() { return false; }
  /** The place that the first key shows. @type {() => C} */ first() { throw new Error("there is no cursor"); }
  /** The place that a key leads to. @type {(event: KeyboardEvent, from: C) => C | null} */ step() { return null; }
  /** The place of two whole numbers. @type {(numbers: number[]) => C} */ cellOf() { return this.first(); }
  /** The two numbers of a place. @type {(place: C) => number[]} */ numbersOf() { return []; }
  /** Ask Python for another window. @type {(name: string) => void} */ zoom() {}

  close() {
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
    for (const timer of [this.speaking, this.reporting]) clearTimeout(timer);
    this.parts.root.remove();
  }

  /** New data from Python, or a new theme. What cannot be drawn is said where the picture would stand. */
  update(component) {
    const { trouble, plots, bar, readout } = this.parts;
    this.report = component.setStateValue;
    this.trigger = component.setTriggerValue;
    try {
      if (component.data !== this.data) {
        this.read(component.data);
        this.data = component.data;
      }
      this.theme = readTheme(this.parts.root);
      this.arrange();
      this.paint();
      trouble.hidden = true;
      plots.hidden = bar.hidden = false;
    } catch (error) {
      const sentence = this.message?.words.broken ?? "This picture could not be drawn: {reason}";
      trouble.textContent = sentence.replace("{reason}", String(error instanceof Error ? error.message : error));
      trouble.hidden = false;
      plots.hidden = bar.hidden = readout.hidden = true;
      console.error(error);
    }
  }

  /** Python's numbers have come. */
  settle() {
    this.drag = null;
    this.showPython();
  }

  /** The hand of a channel moved. */
  onDrag({ channel, value, phase }) {
    const follow = this.message && followOf(this.message, channel);
    if (!follow || !Number.isFinite(value)) return;
    this.heard = channel;
    this.drag = this.source === "python" && same(follow.value, value) ? null : { channel, value, released: phase === "release" };
    if (this.drag) this.schedule();
  }

  /** Python's value of the hand that moved last, else of the first; null where the picture follows none. */
  sentValue(message) {
    return (followOf(message, this.heard) ?? message.follows[0])?.value ?? null;
  }

  /** At most one computation and painting a frame. */
  schedule() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      const { drag } = this;
      if (drag) this.compute(followOf(this.message, drag.channel), drag.value);
      if (this.alone && drag) this.keepDrag(drag);
      this.paint();
    });
  }

  /** No Python will answer: the value counts, so that another hand starts from it. */
  keepDrag({ channel, value, released }) {
    if (!released) return;
    this.keep(this.message.follows.map((follow) => (follow.channel === channel ? { ...follow, value } : follow)));
    this.drag = null;
  }

  onResize() {
    const width = this.parts.root.clientWidth, height = this.parts.room.offsetHeight;
    if (!this.message || !width || (width === this.width && height === this.height)) return;
    this.theme = readTheme(this.parts.root); // the end of a presentation is another size, and has smaller type
    this.arrange();
    this.paint(false);
  }

  /** The present size; false where there is none to draw into. */
  measure() {
    this.width = this.parts.root.clientWidth;
    this.height = this.parts.room.offsetHeight;
    this.ratio = Math.max(1, window.devicePixelRatio || 1);
    return this.width > 0;
  }

  paint(announce = true) {
    if (!this.width) return;
    this.draw();
    this.showCursor();
    this.painted();
    if (!announce) return;
    tell("painted", { key: this.message.key, value: this.shown, source: this.source, at: performance.now() }, this.parts.root);
  }

  /** Put the cursor somewhere, or nowhere (null). Python hears where it is locked: two whole numbers; [] for nothing. */
  move(cursor) {
    const cell = (at) => (at?.locked ? this.numbersOf(at) : []);
    const before = cell(this.cursor), now = cell(cursor);
    this.cursor = cursor;
    this.showCursor();
    if (!this.message.locked || String(before) === String(now)) return;
    clearTimeout(this.reporting);
    // Keys move a locked cursor step by step: Python hears where it comes to rest.
    this.reporting = setTimeout(() => {
      this.told.push(String(now));
      this.report("cell", now);
    }, before.length && now.length ? REPORT_AFTER : 0);
  }

  unlock() {
    this.move({ ...this.cursor, locked: false });
  }

  onPointer(event) {
    if (!this.cursor?.locked) this.move(this.hit(event));
  }

  onLeave() {
    if (this.cursor && !this.cursor.locked) this.move(null);
  }

  onClick(event) {
    const hit = this.lockable && this.hit(event);
    if (!hit) return;
    if (this.cursor?.locked && this.isAt(hit)) this.unlock();
    else this.move({ ...hit, locked: true });
  }

  /** One key; false for a key that means nothing here. The first one shows the cursor. */
  useKey(event) {
    const { cursor } = this, { key } = event;
    if (this.lockable && (key === "Enter" || key === " ")) {
      return this.move({ ...(cursor ?? this.first()), locked: !cursor?.locked });
    }
    if (key === "Escape") {
      if (!cursor) return false;
      return cursor.locked ? this.unlock() : this.move(null);
    }
    const next = this.step(event, cursor ?? this.first());
    if (!next) return false;
    return this.move(cursor ? { ...cursor, ...next } : this.first());
  }

  /** What Python says is locked holds when it is news: not the echo, perhaps a late one, of what was told from here. @param {M} message */
  takeLock(message) {
    const { locked } = message;
    if (!locked) return; // Python keeps no cell of this picture
    const now = String(locked), echo = this.told.indexOf(now), news = now !== this.said && echo < 0;
    this.said = now;
    this.told = echo < 0 ? this.told.slice(-20) : this.told.slice(echo + 1);
    if (news) this.cursor = locked.length ? { ...this.cellOf(locked), locked: true } : this.cursor && { ...this.cursor, locked: false };
  }

  act(name) {
    if (name !== "png" && name !== "copy") return this.zoom(name);
    const picture = this.compose(), { filename, words } = this.message;
    if (name === "png") return download(picture, filename + (aloneIn(this.parts.root)?.getAttribute("data-file") ?? ""));
    return copyPicture(picture).then((worked) => { if (worked) this.speak(words.copied); });
  }

  onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || this.useKey(event) === false) return;
    event.preventDefault();
    event.stopPropagation(); // Streamlit has single-key commands of its own
  }

  /** The line under the picture, from a template; a locked cursor has a button that unlocks it. */
  showReadout(template) {
    const { readout, plots } = this.parts, { words } = this.message, line = make("span", "words");
    for (const [text, isValue] of fillTemplate(template, (name) => this.placeholder(name))) {
      line.append(isValue ? make("span", "v", {}, text) : text);
    }
    readout.replaceChildren(line);
    if (this.cursor?.locked) {
      const attributes = { type: "button", title: words.unlock, "aria-label": words.unlock };
      const pin = make("button", "pin", attributes, words.locked);
      pin.onclick = () => { this.unlock(); plots.focus(); };
      readout.prepend(pin);
    }
    this.speak(line.textContent);
  }

  /** Announce, but no faster than it can be listened to. */
  speak(text) {
    this.spoken = text;
    this.speaking ??= setTimeout(() => {
      this.speaking = undefined;
      if (this.parts.live.textContent !== this.spoken) this.parts.live.textContent = this.spoken;
    }, SPOKEN_EVERY);
  }
}
