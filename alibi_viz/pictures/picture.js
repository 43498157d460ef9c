// The base of the views that have a cursor: the frame, messages, the cursor, the readout. One instance an element.

import { fillTemplate } from "./core.js";
import { buildFrame, copyPicture, download, readTheme } from "./parts.js";
import { make, tell } from "./shared.js";

const SPOKEN_EVERY = 700; // ms between two announcements to a screen reader
const LISTENERS = {
  pointermove: "onPointer", pointerdown: "onPointer", pointerleave: "onLeave",
  click: "onClick", dblclick: "onDoubleClick", keydown: "onKey",
};

/**
 * What every message has.
 * @typedef {{ key: string, alt: string, filename: string, words: Record<string, string>, zoomable?: boolean }} Message
 */

/** @template {Message} M the view's own message  @template {{ locked?: boolean }} C its cursor */
export class Picture {
  /** @type {M} */ message;
  /** @type {C | null} */ cursor = null;
  lockable = true;
  /** @type {"python" | "preview"} whose numbers are shown */ source = "python";
  /** @type {unknown} the value of the hand, or those of all, that what is shown belongs to */ shown = null;
  /** @type {import("./parts.js").Theme} */ theme;
  /** @type {number} */ width;
  /** @type {number} */ ratio;
  size = ""; // for which all places are
  frame = 0;

  constructor(host, name) {
    this.parts = buildFrame(host, name);
    const { plots, root, room } = this.parts;
    for (const [kind, method] of Object.entries(LISTENERS)) {
      plots.addEventListener(kind, (event) => { if (this.message) this[method]?.(event); });
    }
    this.observer = new ResizeObserver(() => this.onResize());
    for (const part of [root, room]) this.observer.observe(part);
  }

  // What a view has of its own.
  /** Take a message. @type {(data: any) => void} */ read() {}
  /** Find the places for the present size. */ arrange() {}
  /** Paint what is shown now. */ draw() {}
  /** Paint the cursor, and say what stands there. */ showCursor() {}
  /** The picture to take away. */ compose() { return make("canvas"); }
  /** Called when it is painted. */ painted() {}
  /** What stands for a name of the readout. @type {(name: string) => string | undefined} */ placeholder() { return undefined; }
  /** The place under the pointer. @type {(event: MouseEvent) => C | null} */ hit() { return null; }
  /** Whether the cursor stands on a place. @type {(place: C) => boolean} */ isAt() { return false; }
  /** The place that the first key shows. @type {() => C} */ first() { throw new Error("there is no cursor"); }
  /** The place that a key leads to. @type {(event: KeyboardEvent, from: C) => C | null} */ step() { return null; }
  /** The two numbers of a place. @type {(place: C) => number[]} */ numbersOf() { return []; }
  /** Another place is locked, or none (""). isStep: by a key, and perhaps not the last one. @type {(cell: string, isStep: boolean) => void} */ lock() {}
  /** What a sentence stands in place of, where there is a problem. @type {() => HTMLElement[]} */ drawn() { return [this.parts.plots, this.parts.readout]; }

  close() {
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.speaking);
    this.parts.root.remove();
  }

  /** New data from Python, or a new theme. What cannot be drawn is said where the picture would stand. */
  update({ data }) {
    try {
      if (data !== this.data) {
        this.read(data);
        this.data = data;
      }
      this.layOut();
    } catch (error) {
      const sentence = this.message?.words.broken ?? "This picture could not be drawn: {reason}";
      this.showProblem(sentence.replace("{reason}", String(error instanceof Error ? error.message : error)));
      console.error(error);
    }
  }

  /** A sentence in place of the picture; empty: the picture. */
  showProblem(sentence) {
    Object.assign(this.parts.trouble, { textContent: sentence, hidden: !sentence });
    for (const part of this.drawn()) part.hidden = Boolean(sentence);
  }

  /** Find all places, and paint; where there is no room, or a problem, later. */
  layOut(announce = true) {
    const { root, room, trouble } = this.parts;
    if (!root.clientWidth || !trouble.hidden) return;
    this.size = `${root.clientWidth} ${room.offsetHeight}`;
    this.theme = readTheme(root); // the end of a presentation is another size, and has smaller type
    this.width = root.clientWidth;
    this.ratio = Math.max(1, window.devicePixelRatio || 1);
    this.arrange();
    this.paint(announce);
  }

  onResize() {
    const { root, room } = this.parts;
    if (this.message && this.size !== `${root.clientWidth} ${room.offsetHeight}`) this.layOut(false);
  }

  /** Paint in the next frame. */
  schedule() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => this.paint());
  }

  paint(announce = true) {
    cancelAnimationFrame(this.frame); // what waits for the next frame is painted now
    this.frame = 0;
    if (!this.width || !this.parts.trouble.hidden) return;
    this.draw();
    this.showCursor();
    this.painted();
    if (!announce) return;
    tell("painted", { key: this.message.key, value: this.shown, source: this.source, at: performance.now() }, this.parts.root);
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

  onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || this.useKey(event) === false) return;
    event.preventDefault();
    event.stopPropagation(); // Streamlit has single-key commands of its own
  }

  /** A button of the tools. */
  act(name) {
    const picture = this.compose(), { filename, words } = this.message;
    if (name === "png") return download(picture, filename);
    return copyPicture(picture).then((worked) => { if (worked) this.speak(words.copied); });
  }

  /** The line under the picture, from a template; a locked cursor has a button that unlocks it. */
  showReadout(template) {
    const { readout, plots } = this.parts, { words } = this.message, line = make("span", "words");
    for (const [text, name] of fillTemplate(template, (placeholder) => this.placeholder(placeholder))) {
      line.append(name ? make("span", "v", {}, text) : text);
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
