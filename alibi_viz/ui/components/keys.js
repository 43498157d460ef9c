// Keys of the whole page, and swipes: tells Python which of them were pressed where no control wants them.

import { mounting } from "../../pictures/shared.js";

const WANTS_KEYS = "input, textarea, select, [contenteditable], [role=application], [role=listbox], [role=slider]";
const SLIDERS = "input[type=range], [role=slider]";
const WANTS_SWIPES = "input, textarea, select, [contenteditable], [role=slider], [role=tablist]";
const SWIPE = { far: 56, straight: 1.6, long: 700 }; // pixels; how much wider than high; ms
const MOST = 20; // presses that wait: a key held down for longer is not meant
const PATIENCE = 2000; // ms after which an unanswered request no longer holds the next one back

class Keys {
  constructor(host) {
    this.host = host;
    this.pressed = []; // not yet sent
    this.isSent = false; // whether a request is on its way
    this.off = new AbortController();
    const options = { signal: this.off.signal, passive: true };
    window.addEventListener("keydown", (event) => this.onKey(event), { signal: this.off.signal });
    window.addEventListener("pointerup", (event) => this.letGo(event), options);
    window.addEventListener("touchstart", (event) => this.onTouch(event), options);
    window.addEventListener("touchend", (event) => this.onTouchEnd(event), options);
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
    const key = event.key === " " ? "Space" : event.key, names = this.names ?? {};
    const name = Object.hasOwn(names, key) && names[key];
    if (!name || event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    // A component's own elements stand in a shadow tree: the path knows them, the target does not.
    const path = event.composedPath().filter((node) => node instanceof Element);
    if (path.some((element) => element.matches(WANTS_KEYS))) return;
    if (event.key === " " && path.some((element) => element.matches("button, a, summary"))) return;
    event.preventDefault();
    this.press(name);
  }

  /** A slider that a hand has let go of keeps the focus, and would take the keys from the page. */
  letGo(event) {
    event.composedPath().find((node) => node instanceof HTMLElement && node.matches(SLIDERS))?.blur();
  }

  press(name) {
    if (this.pressed.length < MOST) this.pressed.push(name);
    this.send();
  }

  /** A finger that may begin a swipe: one alone, on nothing that moves sideways itself. */
  onTouch(event) {
    const path = event.composedPath().filter((node) => node instanceof Element);
    const taken = path.some((element) => element.matches(WANTS_SWIPES) || this.movesSideways(element));
    const { clientX, clientY } = event.touches[0];
    this.finger = event.touches.length === 1 && !taken ? { clientX, clientY, at: event.timeStamp } : null;
  }

  /** By scrolling; or under a hand, for which its style has taken the finger from the browser. */
  movesSideways(element) {
    const { overflowX, touchAction } = getComputedStyle(element);
    if (!/auto|manipulation/.test(touchAction)) return true;
    return element.scrollWidth > element.clientWidth + 1 && /auto|scroll/.test(overflowX);
  }

  onTouchEnd(event) {
    const { finger } = this, touch = event.changedTouches[0];
    this.finger = null;
    if (!finger || event.timeStamp - finger.at > SWIPE.long) return;
    const across = touch.clientX - finger.clientX, down = touch.clientY - finger.clientY;
    const name = this.names?.[across < 0 ? "SwipeLeft" : "SwipeRight"];
    if (name && Math.abs(across) > Math.max(SWIPE.far, SWIPE.straight * Math.abs(down))) this.press(name);
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

export default mounting(Keys);
