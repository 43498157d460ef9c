// Keys of the whole page: tells Python which of them were pressed where no control wants them.

import { isWanted, mounting } from "../../pictures/shared.js";

const SLIDERS = "input[type=range], [role=slider]";
const MOST = 20; // presses that wait: a key held down for longer is not meant
const PATIENCE = 2000; // ms after which an unanswered request no longer holds the next one back

class Keys {
  /** @type {string[]} */ pressed = []; // not yet sent
  isSent = false; // whether a request is on its way
  off = new AbortController();

  constructor() {
    const { signal } = this.off;
    window.addEventListener("keydown", (event) => this.onKey(event), { signal });
    window.addEventListener("pointerup", letGo, { signal, passive: true });
  }

  close() {
    this.off.abort();
    clearTimeout(this.timer);
  }

  update({ data, setTriggerValue }) {
    this.names = data.names;
    this.trigger = setTriggerValue;
    if (data.count !== this.count) this.free();
    this.count = data.count; // of the requests that Python has heard
  }

  onKey(event) {
    const { key } = event, name = key.length > 1 ? key : key.toUpperCase();
    if (!this.names.includes(name) || isWanted(event)) return;
    event.preventDefault();
    if (this.pressed.length < MOST) this.pressed.push(name);
    this.send();
  }

  /** Send every press that waits, in order: one request at a time. */
  send() {
    if (this.isSent || !this.pressed.length) return;
    this.isSent = true;
    this.timer = setTimeout(() => this.free(), PATIENCE);
    this.trigger("pressed", this.pressed.splice(0));
  }

  /** The request was answered. */
  free() {
    clearTimeout(this.timer);
    this.isSent = false;
    this.send();
  }
}

/** A slider that a hand has let go of keeps the focus, and would take the keys from the page. */
function letGo(event) {
  event.composedPath().find((node) => node instanceof HTMLElement && node.matches(SLIDERS))?.blur();
}

export default mounting(Keys);
