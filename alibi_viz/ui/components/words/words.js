// Words in a row that a hand puts into another order. Python hears the order when the hand lets go.

import { clamp, make, mounting } from "../../../pictures/shared.js";

const STEPS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };

class Words {
  root = make("div", "words", { role: "group", dir: "auto" }); // words that run to the left stand so
  /** @type {HTMLElement[]} in the order of the page */ chips = [];
  /** @type {HTMLElement | null} the word under the hand */ held = null;

  constructor(host) {
    host.append(this.root);
    const listen = (kind, listener) => this.root.addEventListener(kind, listener);
    listen("pointerdown", (event) => this.grab(event));
    listen("pointermove", (event) => this.held && this.move(this.held, this.placeAt(event)));
    for (const kind of ["pointerup", "pointercancel"]) listen(kind, () => this.letGo());
    listen("keydown", (event) => this.onKey(event));
  }

  close() {}

  update({ data, setTriggerValue }) {
    this.report = setTriggerValue;
    if (this.held || JSON.stringify(data) === this.shown) return;
    const focused = this.chips.findIndex((chip) => chip.matches(":focus"));
    this.shown = JSON.stringify(data);
    this.root.setAttribute("aria-label", data.label);
    const about = { type: "button", title: data.hint };
    this.chips = data.words.map((word, at) => make("button", "word", { ...about, "data-at": at }, word));
    this.root.replaceChildren(...this.chips);
    this.chips[focused]?.focus();
  }

  grab(event) {
    const chip = event.target.closest(".word");
    if (!chip || event.button) return;
    this.held = chip;
    chip.classList.add("held");
    chip.setPointerCapture(event.pointerId);
  }

  /** The place in the order whose word is nearest to the pointer. */
  placeAt({ clientX, clientY }) {
    const away = this.chips.map((chip) => {
      const { left, right, top, bottom } = chip.getBoundingClientRect();
      return Math.hypot(clientX - clamp(clientX, left, right), 4 * (clientY - clamp(clientY, top, bottom)));
    });
    return away.indexOf(Math.min(...away));
  }

  move(chip, place) {
    const from = this.chips.indexOf(chip);
    if (from === place || place < 0) return;
    this.chips.splice(place, 0, ...this.chips.splice(from, 1));
    this.root.insertBefore(chip, this.chips[place + 1] ?? null);
  }

  letGo() {
    this.held?.classList.remove("held");
    this.held = null;
    const order = this.chips.map((chip) => Number(chip.dataset.at));
    if (order.some((at, place) => at !== place)) this.report("order", order);
  }

  onKey(event) {
    const chip = event.target.closest(".word"), leftward = getComputedStyle(this.root).direction === "rtl";
    const step = STEPS[event.key] * (leftward && event.key.startsWith("Arrow") ? -1 : 1);
    if (!step || !chip) return;
    event.preventDefault();
    this.move(chip, clamp(this.chips.indexOf(chip) + step, 0, this.chips.length - 1));
    chip.focus();
    this.letGo();
  }
}

export default mounting(Words);
