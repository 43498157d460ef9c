// Commits a text area of Streamlit's when its reader pauses.

import { mounting } from "../../../pictures/shared.js";

const COMMIT = { key: "Enter", ctrlKey: true, bubbles: true }; // what commits a text area

class Typing {
  constructor() {
    this.pausing = 0; // the timer
    this.off = new AbortController();
    for (const kind of ["input", "compositionend"])
      document.addEventListener(kind, (event) => this.onInput(event), { signal: this.off.signal });
  }

  close() {
    clearTimeout(this.pausing);
    this.off.abort();
  }

  update({ data }) {
    this.data = data;
  }

  /** @param {any} event an InputEvent or a CompositionEvent */
  onInput({ target, isComposing }) {
    if (!(target instanceof HTMLTextAreaElement) || !target.closest(`.st-key-${this.data?.key}`)) return;
    clearTimeout(this.pausing);
    if (isComposing) return; // a word that an input method has not finished
    this.pausing = setTimeout(() => target.dispatchEvent(new KeyboardEvent("keydown", COMMIT)), this.data.pause);
  }
}

export default mounting(Typing);
