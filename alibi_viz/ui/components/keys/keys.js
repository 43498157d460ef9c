// Keys of the whole page: tells Python which of them were pressed where no control wants them.

import { mounting, Requests } from "../../../pictures/shared.js";

const WANTS_KEYS = "input, textarea, select, [contenteditable], [role=application], [role=listbox], [role=slider]";
const MOST = 20; // presses that wait: a key held down for longer is not meant

class Keys {
  constructor(host) {
    this.host = host;
    this.pressed = []; // not yet sent
    this.requests = new Requests((sequence) => this.tell(sequence));
    this.off = new AbortController();
    window.addEventListener("keydown", (event) => this.onKey(event), { signal: this.off.signal });
  }

  close() {
    this.off.abort();
    this.requests.close();
  }

  update({ data, setTriggerValue }) {
    this.names = data.names;
    this.trigger = setTriggerValue;
    this.requests.echo(data.sequence);
  }

  onKey(event) {
    const name = this.names?.[event.key === " " ? "Space" : event.key];
    if (!name || event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    // A component's own elements stand in a shadow tree: the path knows them, the target does not.
    const path = event.composedPath().filter((node) => node instanceof Element);
    if (path.some((element) => element.matches(WANTS_KEYS))) return;
    if (event.key === " " && path.some((element) => element.matches("button, a, summary"))) return;
    event.preventDefault();
    if (this.pressed.length < MOST) this.pressed.push(name);
    this.requests.send();
  }

  /** Send every press that waits, in order; false where none does. */
  tell(sequence) {
    if (!this.pressed.length) return false;
    this.trigger("pressed", { names: this.pressed.splice(0), sequence });
    return true;
  }
}

export default mounting(Keys);
