// The base of pictures that stand under a row of hands of their own. One instance an element.
// Python's numbers are taken when the hands let them: not under a finger, and not an answer to an earlier question.

import { unpack } from "../core.js";
import { download } from "../parts.js";
import { aloneIn, make } from "../shared.js";
import { Hands } from "./hands.js";

/** @template {{ key: string, filename?: string }} M the picture's own message */
export class Handed {
  /** @type {M} */ message;
  /** @type {Uint8Array} */ data;
  /** @type {(name: string, value: object) => void} */ trigger;
  frame = 0;
  trouble = make("div", "trouble", { role: "alert", hidden: "" });
  tools = make("div", "tools");
  png = make("button", "tool", { type: "button" }, "PNG");
  alt = make("div", "alt", { id: "alt" }); // what the picture shows, for screen readers
  room = make("div", "room", { "aria-hidden": "true" });

  constructor(host, root) {
    host.append(root);
    this.root = root;
    this.alone = aloneIn(root) !== null;
    this.hands = new Hands({
      alone: this.alone,
      moved: () => this.moved(),
      resized: () => this.arrange(),
      report: (report) => this.report(report),
    });
    this.tools.append(this.png);
    this.hands.foot.append(this.tools);
    this.png.onclick = () => download(this.compose(), this.message.filename ?? "picture");
    this.observer = new ResizeObserver(() => this.arrange());
    for (const part of [root, this.room]) this.observer.observe(part);
  }

  // What a picture has of its own.
  /** Show Python's numbers. @type {(message: any, arrays: any[]) => void} */ take() {}
  /** The hands have moved: show it at once. */ moved() {}
  /** Find the places for the present size and theme. */ arrange() {}
  /** Paint what is shown now. */ draw() {}
  /** The picture to take away. */ compose() { return make("canvas"); }

  /** A sentence in place of some parts; empty: the parts. @param {string} sentence @param {HTMLElement[]} parts */
  showProblem(sentence, parts) {
    Object.assign(this.trouble, { textContent: sentence, hidden: !sentence });
    for (const part of parts) part.hidden = Boolean(sentence);
  }

  /** Paint in the next frame. */
  schedule() {
    if (this.frame || !this.message) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  report(report) {
    this.trigger("hands", report);
  }

  update(component) {
    this.trigger = component.setTriggerValue;
    if (component.data !== this.data) {
      this.data = component.data;
      const [message, arrays] = unpack(component.data);
      this.hands.answer(message.hands, () => this.take(message, arrays));
    } else if (this.message) this.arrange(); // another theme
  }

  close() {
    this.hands.close();
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
    this.root.remove();
  }
}
