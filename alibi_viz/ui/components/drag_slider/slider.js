// A native range input that tells the page while it is dragged, and Python with one request in flight.

import { clamp, formatNumber, make, mounting, Requests, tell } from "../../../pictures/shared.js";

const REST = 90; // ms without a move after which a hand rests, at least
const LONGEST_REST = 1000;
const STEADY = 500; // ms between two moves of one movement, at most
const LOG_POSITIONS = 720; // positions of a logarithmic slider: about one a pixel
const LOG_PRESS = 6; // positions that one key press moves a logarithmic slider
const DIGITS = 6; // significant digits of the value and the ends

/** Values on the grid of steps, and their positions on the track. The grid is Python's `clamp`. */
class Grid {
  constructor({ low, high, step, places, log }) {
    this.low = low;
    this.high = high;
    this.step = step;
    this.places = places;
    this.log = log;
    this.count = log ? LOG_POSITIONS : Math.ceil((high - low) / step - 1e-9);
  }

  snap(value) {
    if (value >= this.high) return this.high;
    const raw = this.low + Math.floor((value - this.low) / this.step + 0.5) * this.step;
    return clamp(Number(raw.toFixed(this.places)), this.low, this.high);
  }

  valueAt(position) {
    if (!this.log) return this.snap(this.low + position * this.step);
    return this.snap(this.low * (this.high / this.low) ** (position / this.count));
  }

  /** 0 ... 1 along the track. */
  fraction(value) {
    const { low, high, log } = this;
    return clamp(log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low), 0, 1);
  }

  position(value) {
    return this.log ? Math.round(this.fraction(value) * this.count) : Math.round((value - this.low) / this.step);
  }

  /** The value `presses` key presses away: at least one step, on a logarithmic track at least a few positions. */
  away(value, presses) {
    if (!Number.isFinite(presses)) return presses < 0 ? this.low : this.high;
    const stepped = this.snap(value + presses * this.step);
    if (!this.log) return stepped;
    const moved = this.valueAt(clamp(this.position(value) + presses * LOG_PRESS, 0, this.count));
    return presses > 0 ? Math.max(stepped, moved) : Math.min(stepped, moved);
  }
}

class Slider {
  requests = new Requests((sequence) => this.tell(sequence));
  /** @type {Grid} */ grid;
  /** @type {number | null} the newest value not yet sent */ next = null;
  final = false; // the hand has let go, and Python has not been told
  /** @type {{ value: number, released: boolean, sequence: number } | null} the last report, until it is echoed */ told = null;
  moved = -Infinity; // when, in ms
  resting = 0; // the timer that runs while the hand may still move
  root = make("div", "slider");
  label = make("label", "label", { for: "range" });
  helpButton = make("button", "help", { type: "button", "aria-expanded": "false" }, "?");
  helpText = make("p", "help-text", { hidden: "" });
  bubble = make("output", "bubble", { for: "range", "aria-hidden": "true" });
  input = make("input", "range", { id: "range", type: "range", min: "0", step: "1" });
  ends = [make("span"), make("span")];

  constructor(host) {
    this.build(host);
    const { input } = this, listen = (kind, listener) => input.addEventListener(kind, listener);
    listen("input", () => this.move(this.grid.valueAt(Number(input.value))));
    listen("keydown", (event) => this.onKey(event));
    listen("pointerdown", () => { this.held = true; });
    for (const kind of ["change", "pointerup", "pointercancel", "blur"]) listen(kind, () => this.onRelease());
  }

  build(host) {
    const head = make("div", "head"), track = make("div", "track"), ends = make("div", "ends");
    head.append(this.label, this.helpButton);
    track.append(this.bubble, this.input);
    ends.append(...this.ends);
    this.root.append(head, this.helpText, track, ends);
    host.append(this.root);
    this.helpButton.onclick = () => {
      this.helpText.hidden = !this.helpText.hidden;
      this.helpButton.setAttribute("aria-expanded", String(!this.helpText.hidden));
    };
  }

  close() {
    clearTimeout(this.resting);
    this.requests.close();
    this.root.remove();
  }

  /** New data from Python: an echo of what was sent, or a value typed beside the slider. */
  update({ data, setStateValue }) {
    this.report = setStateValue;
    this.grid = new Grid(data);
    this.input.max = String(this.grid.count);
    this.input.disabled = data.disabled;
    this.root.classList.toggle("disabled", data.disabled);
    this.channel = data.channel;
    this.label.textContent = data.label;
    Object.assign(this.helpButton, { hidden: !data.help, title: data.helpTitle, ariaLabel: data.helpTitle });
    this.helpText.textContent = data.help ?? "";
    this.ends.forEach((end, at) => { end.textContent = formatNumber(at ? data.high : data.low, DIGITS); });
    if (this.session && data.session !== this.session) this.tellAgain(data.value);
    else if (this.told && data.sequence >= this.told.sequence) this.told = null;
    this.session = data.session;
    this.given = data.value;
    this.requests.echo(data.sequence);
    if (this.requests.waiting !== null || this.next !== null || this.held) return;
    const elsewhere = this.value !== undefined && data.value !== this.value;
    this.show(data.value);
    if (elsewhere) this.announce("sync");
  }

  show(value) {
    this.value = value;
    const position = String(this.grid.position(value));
    if (this.input.value !== position) this.input.value = position;
    this.bubble.textContent = formatNumber(value, DIGITS);
    this.input.setAttribute("aria-valuetext", this.bubble.textContent);
    this.root.style.setProperty("--at", String(this.grid.fraction(value)));
  }

  onKey(event) {
    const arrows = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };
    const presses = { ...arrows, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity }[event.key];
    if (presses === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.final = !this.held;
    this.move(this.grid.away(this.value, event.shiftKey ? presses * 10 : presses));
    if (this.held) return;
    this.released = this.value; // the blur that follows lets go of nothing
    this.announce("release");
  }

  move(value) {
    if (value === this.value) {
      this.final = false;
      return;
    }
    this.show(value);
    this.announce("move");
    this.next = value;
    // Where the browser previews, Python's numbers for a value already passed would never be painted: they are asked
    // for when the hand rests or lets go, and then they come at once.
    // Where moves come slowly (a slow hand, a busy browser) a pause between two of them is no rest yet, and a busy server
    // is asked less often.
    this.endRest();
    const now = performance.now(), pause = now - this.moved;
    this.moved = now;
    if (!this.channel || this.final) return this.requests.send();
    const rest = Math.max(REST, 2 * this.requests.took, pause < STEADY ? 3 * pause : 0);
    this.resting = setTimeout(() => {
      this.endRest();
      this.requests.send();
    }, Math.min(rest, LONGEST_REST));
  }

  endRest() {
    clearTimeout(this.resting);
    this.resting = 0;
  }

  /** The last value of a drag is always sent, also when the pointer left the window. */
  onRelease() {
    this.held = false;
    if (this.released === this.value || this.value === undefined) return;
    this.released = this.value;
    this.announce("release");
    this.final = true;
    this.endRest();
    this.requests.free(); // the last value does not queue behind one that is out of date
  }

  /** Tell the pictures of the same channel, with the number of the request that the value goes with. */
  announce(phase) {
    if (phase === "move") this.released = undefined;
    if (!this.channel) return;
    tell("drag", { channel: this.channel, value: this.value, phase, sequence: this.requests.sequence + 1 }, this.root);
  }

  /** Tell Python the newest value; false where it has been told, or where the hand has not come to rest. */
  tell(sequence) {
    if (!this.final && (this.next === null || this.resting)) return false;
    const value = this.next ?? this.value, released = this.final;
    this.next = null;
    this.final = false;
    this.told = { value, released, sequence };
    this.report("report", this.told);
    return true;
  }

  /** In a new session of Python: what the one before has not heard, unless a number was typed meanwhile. */
  tellAgain(value) {
    if (value !== this.given) this.told = null;
    if (!this.told) return;
    this.next ??= this.told.value;
    this.final ||= this.told.released;
    this.requests.free();
  }
}

export default mounting(Slider);
