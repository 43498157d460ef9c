// The base of all pictures: what stands around them, their row of hands, messages, sizes, and the picture to take away.
// Python's numbers are taken when the hands let them: not under a finger, and not an answer to an earlier question.

import { unpack } from "../unpack.js";
import { buildTools, composePicture, copyPicture, download, readTheme } from "../parts.js";
import { aloneIn, emit, make } from "../shared.js";
import { alike, answerable, Hands } from "./hands.js";

const SHARP = 2; // pixels of a picture to take away for one of the page
const DONE_FOR = 1500; // ms that a button says that it has done it
const SPOKEN_EVERY = 700; // ms between two announcements to a screen reader

/** @template {{ key: string, filename?: string }} M the picture's own message */
export class PictureBase {
  /** @type {M} */ message;
  /** @type {Uint8Array} */ data;
  component = /** @type {any} */ ({}); // what mounts the picture: it may have files
  /** @type {(name: string, value: object) => void} */ trigger;
  /** @type {"python" | "preview"} whose numbers are drawn */ source = "python";
  /** @type {import("../parts.js").Theme} */ theme;
  /** @type {number} */ width;
  ratio = 1; // pixels of a canvas for one of the page
  size = ""; // for which all places are
  frame = 0;
  trouble = make("div", "trouble", { role: "alert", hidden: "" });
  tools = make("div", "tools"); // stand beside the presets
  alt = make("div", "alt", { id: "alt" }); // what the picture shows, for screen readers
  live = make("div", "live", { "aria-live": "polite" });
  ruler = make("div", "ruler", { "aria-hidden": "true" }); // as tall as the stage

  /** @param {HTMLElement} root @param {PictureBase<any> | null} owner the picture of which this one is a part: they have the same hands */
  constructor(host, root, owner = null) {
    host.append(root);
    this.root = root;
    this.isPart = owner !== null;
    this.alone = aloneIn(root) !== null;
    this.hands = owner?.hands ?? new Hands(this);
    if (!owner) this.hands.foot.append(this.tools);
    this.observer = new ResizeObserver(() => this.onResize());
    for (const part of [root, this.ruler]) this.observer.observe(part);
  }

  // What a picture has of its own.
  /** Show Python's numbers. @type {(message: any) => void} */ take() {}
  /** The hands have moved: show it at once. */ moved() {}
  /** A value as it stands in its line of text. */
  written(key, values) {
    return values[key];
  }
  /** Find the places for the present size and theme. */ arrange() {}
  /** Paint what is shown now. */ draw() {}
  /** Paint the cursor, and say what stands there. */ showCursor() {}
  /** Called when it is painted. */ painted() {}
  /** Lock the cell that an address names, if there is one. @type {(cell: any) => void} */ lockAt() {}
  /** What a sentence stands in place of, where there is a problem. @type {() => HTMLElement[]} */ drawn() {
    return [];
  }
  /** What a picture to take away shows. @type {() => Element[]} */ pictured() {
    return [];
  }

  close() {
    if (!this.isPart) this.hands.close();
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.speaking);
    this.root.remove();
  }

  report(report) {
    this.trigger("hands", report);
    if (this.alone) this.forget();
  }

  /** New data from Python, or a new theme. What cannot be drawn is said where the picture would stand. */
  update(component) {
    this.component = component;
    this.trigger = component.setTriggerValue;
    try {
      if (component.data === this.data) return this.layOut();
      this.receive(component.data, component);
      this.data = component.data;
      if (!component.values || alike(component.values, this.hands.values)) return;
      this.hands.set(component.values); // of an address, where there is no Python
      this.hands.confirmed = { ...this.hands.values };
      this.forget();
      if (component.values.cell) this.lockAt(component.values.cell.split(",").map(Number));
    } catch (error) {
      const sentence = this.hands.words.broken ?? "This picture could not be drawn: {reason}";
      this.showProblem(sentence.replace("{reason}", String(error instanceof Error ? error.message : error)));
      console.error(error);
    }
  }

  /** What Python has said for screen readers holds no more. */
  forget() {
    for (const alt of this.root.querySelectorAll(".alt")) alt.textContent = "";
  }

  /** Without Python, hands that the browser does not answer by itself are left out. */
  receive(data, { hasPresets }) {
    const message = unpack(data);
    if (this.alone) message.hands = answerable(message.hands, hasPresets);
    if (!this.message) buildTools(this.tools, message.hands.words, (name) => this.act(name));
    this.hands.answer(message.hands, () => {
      this.showProblem("");
      this.alt.textContent = message.alt ?? ""; // matrices have one each
      this.take(message);
    });
  }

  /** A sentence in place of some parts; empty: the parts. @param {string} sentence @param {HTMLElement[]} parts */
  showProblem(sentence, parts = this.drawn()) {
    Object.assign(this.trouble, { textContent: sentence, hidden: !sentence });
    for (const part of parts) part.hidden = Boolean(sentence);
    if (sentence) emit(this.root, "refused", sentence); // nothing stands before it (components/frame.js)
  }

  /** Find all places, and paint. */
  layOut(announce = true) {
    const { root, ruler } = this;
    if (!this.message || !root.clientWidth) return;
    this.size = `${root.clientWidth} ${ruler.offsetHeight}`;
    this.theme = readTheme(root); // the end of a presentation is another size, and has smaller type
    this.width = root.clientWidth;
    this.ratio = Math.max(1, window.devicePixelRatio || 1);
    this.arrange();
    this.paint(announce);
  }

  onResize() {
    if (this.size !== `${this.root.clientWidth} ${this.ruler.offsetHeight}`) this.layOut(false);
  }

  schedule() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => this.paint());
  }

  paint(announce = true) {
    cancelAnimationFrame(this.frame); // what waits for the next frame is painted now
    this.frame = 0;
    if (!this.width || !this.trouble.hidden) return;
    this.draw();
    this.showCursor();
    this.painted();
    if (announce) {
      emit(this.root, "painted", { key: this.message.key, value: { ...this.hands.values }, source: this.source });
    }
  }

  act(name) {
    const picture = this.compose();
    if (name === "png") return download(picture, this.message.filename);
    return copyPicture(picture).then((worked) => {
      const { copied, copy } = this.hands.words, button = this.tools.querySelector(".copy");
      if (!worked || !button) return;
      this.speak(copied);
      button.textContent = "✓";
      setTimeout(() => button.textContent = copy, DONE_FOR);
    });
  }

  /** The picture to take away: as it stands on the page, but sharper. */
  compose() {
    const { ratio } = this;
    const drawAt = (sharpness) => {
      this.ratio = sharpness;
      this.arrange();
      this.paint(false);
    };
    drawAt(Math.max(SHARP, ratio));
    const picture = composePicture(this.pictured(), this.theme);
    drawAt(ratio);
    return picture;
  }

  /** Announce, but no faster than it can be listened to. */
  speak(text) {
    this.spoken = text;
    this.speaking ??= setTimeout(() => {
      this.speaking = undefined;
      if (this.live.textContent !== this.spoken) this.live.textContent = this.spoken;
    }, SPOKEN_EVERY);
  }
}
