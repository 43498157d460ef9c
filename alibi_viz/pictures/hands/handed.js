// The base of pictures that stand under a row of hands of their own. One instance an element.
// Python's numbers are taken when the hands let them: not under a finger, and not an answer to an earlier question.

import { unpack } from "../core.js";
import { aloneIn, make } from "../shared.js";
import { Hands } from "./hands.js";

/** @template M the picture's own message */
export class Handed {
  /** @type {M} */ message;
  /** @type {Uint8Array} */ data;
  /** @type {(name: string, value: object) => void} */ trigger;
  frame = 0;
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
    this.observer = new ResizeObserver(() => this.arrange());
    for (const part of [root, this.room]) this.observer.observe(part);
  }

  // What a picture has of its own.
  /** Show Python's numbers. @type {(message: any, arrays: any[]) => void} */ take() {}
  /** The hands have moved: show it at once. */ moved() {}
  /** Find the places for the present size and theme. */ arrange() {}

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
