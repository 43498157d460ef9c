// The row of controls on top of a picture: sliders, choices, lists, lines of text, presets (see message.py).
// It holds what the reader has chosen, and settles with Python what is shown.

import { filled, fillTemplate } from "../text.js";
import { clamp, hostOf, isCombined, lookUp, make, setAttributes } from "../shared.js";
import { isByDictionary, tokensOf } from "../words.js";

export const PHONE = 640; // pixels: a phone, where the first hand stands above the picture and the others below it
export const LOWEST = 280; // pixels: of a picture
export const REACH = { mouse: 18, pen: 18, touch: 30 }; // pixels between a pointer and a curve that it takes hold of
export const STARTS = 3; // pixels after which a press is a drag
export const OCTAVE = 1 / 8; // of a key press that bends a curve

const TYPED_AFTER = 450; // ms without a key before a text or a number counts
const KEYED_AFTER = 200; // ms without a key before the place of a slider counts
const REPORTED_AGAIN = 3000; // ms after which a report without an answer is sent again, then twice as long: it was lost
const PLACES = 1000; // of a logarithmic slider
const LINKED = 2000; // characters of a text that an address without a server can hold

/**
 * @import { Choice, Hands as Sent, Line, Slider, Switch } from "./message.d.ts"
 * @typedef {Record<string, number | string | boolean>} Values
 * @typedef {Slider | Choice | Switch | Line} Hand
 * @typedef {{ hand: Hand, box: HTMLElement, show: (value: any) => void }} Control
 */

/** @type {(a: unknown, b: unknown) => boolean} */
const equal = (a, b) =>
  a === b ||
  (typeof a === "number" && typeof b === "number" && Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b)));

/** Whether values say the same under all keys of the first. @type {(values: Values, others: Values) => boolean} */
export const alike = (values, others) => Object.keys(values).every((key) => equal(values[key], others[key]));

/** The hands that a browser answers, texts, and the presets that set no others. @param {Sent} sent @returns {Sent} */
export const answerable = (sent, hasPresets = true) => ({
  ...sent,
  hands: sent.hands.filter(({ key, kind }) => kind === "line" || sent.answered.includes(key)),
  presets: sent.presets.filter(({ values }) =>
    hasPresets &&
    Object.entries(values).every(([key, value]) => sent.answered.includes(key) || equal(value, sent.values[key]))
  ),
});

/** A report's name: unique, so that no answer to an earlier session matches it. */
const newName = () => Math.random().toString(36).slice(2);

export class Hands {
  /** @type {Values} what is shown */ values = {};
  /** @type {Values} the values of Python's last answer, or of the last report */ confirmed = {};
  reported = ""; // the name of the newest report
  drawAnswer = () => {}; // that waits
  /** @type {Map<string, Control>} by key */ controls = new Map();
  /** @type {Sent | null} */ sent = null;
  form = ""; // what was built last
  /** @type {Record<string, string>} of the tools */ words = {};
  /** @type {Map<string, string[]>} texts -> their words, as Python has cut them */ cuts = new Map();
  /** @type {string[]} those in the picture */ tokens = [];
  ofText = ""; // the text that has these
  source = ""; // what was read last
  isRefused = false; // the text: its words are not those in the picture
  remark = make("p", "remark", { role: "status" }); // what is to be said of the text
  isTyped = false; // a text, since a preset was chosen: what is shown is no preset's
  isDragging = false; // redraws wait while a finger is down
  row = make("div", "hands", { role: "group" });
  advanced = make("div", "hands advanced", { id: "hands-advanced", hidden: "" });
  more = make("button", "more", { type: "button", "aria-controls": "hands-advanced", "aria-expanded": "false" });
  presets = make("div", "presets", { role: "group" });
  foot = make("div", "foot"); // the presets, and beside them what a picture adds
  off = new AbortController();

  /** @param {import("./picture_base.js").PictureBase<any>} picture that they are of: it hears what is moved, and tells Python */
  constructor(picture) {
    this.picture = picture;
    this.state = "settled";
    const { signal } = this.off;
    this.foot.append(this.presets, this.more);
    this.more.onclick = () => {
      this.advanced.hidden = !this.advanced.hidden;
      this.more.setAttribute("aria-expanded", String(!this.advanced.hidden));
      this.picture.layOut(false); // the row may be higher
    };
    window.addEventListener("keydown", (event) => this.onDigit(event), { signal });
    window.addEventListener("popstate", () => this.reset(), { signal });
    for (const kind of ["pointerup", "pointercancel"]) window.addEventListener(kind, () => this.letGo(), { signal });
  }

  /**
   * What Python has said of these values; it stands in the page too, for who waits for an answer. settled: the last word is drawn, or it
   * knows of no other values. asked: it has been told of newer ones, and only the answer to that report counts. answered: that answer
   * waits for a finger, or for keys that do not rest.
   * @returns {"settled" | "asked" | "answered"}
   */
  get state() {
    return /** @type {any} */ (this.row.dataset.state);
  }

  set state(state) {
    this.row.dataset.state = state;
  }

  close() {
    this.off.abort();
    this.reset();
  }

  /**
   * Receive an answer of Python's; `take` draws it. An answer to anything but the newest report is dropped.
   * @param {Sent} sent @param {() => void} take
   */
  answer(sent, take) {
    this.words = sent.words;
    this.build(sent);
    for (const [text, words] of Object.entries(sent.cuts)) this.cuts.set(text, words);
    if (this.state === "asked" && sent.acknowledged !== this.reported) return;
    clearTimeout(this.patience);
    this.state = "answered";
    this.drawAnswer = () => {
      this.confirmed = /** @type {Values} */ (sent.values);
      this.show(this.confirmed);
      take();
    };
    this.settle();
  }

  /** Draw the answer that waits, but not under a finger, nor before the keys rest. */
  settle() {
    if (this.state !== "answered" || this.waiting !== undefined || this.isDragging) return;
    this.state = "settled";
    this.drawAnswer();
  }

  /** Report values, again and again until they are answered. No answer under another name is for them. */
  send(values, isStep, name = newName(), wait = REPORTED_AGAIN) {
    Object.assign(this, { state: "asked", reported: name, confirmed: values });
    this.picture.report({ values, is_step: isStep, name });
    clearTimeout(this.patience);
    this.patience = setTimeout(() => this.send(values, isStep, name, 2 * wait), wait);
  }

  /** Back or forward: what the address says now counts, and not what was reported before. */
  reset() {
    for (const timer of [this.waiting, this.patience]) clearTimeout(timer);
    Object.assign(this, { state: "settled", waiting: undefined, confirmed: {} });
  }

  /**
   * What a press on an element takes hold of follows the pointer, until Python hears of it. A touch that the browser takes for
   * a scroll changes nothing.
   * @param {HTMLElement} element
   * @param {(event: PointerEvent, off: AbortSignal) => ((event: PointerEvent) => void) | null} grab what follows; off: it is let go
   */
  drag(element, grab) {
    element.addEventListener("pointerdown", (event) => {
      if (!event.isPrimary || event.button) return;
      const before = { ...this.values }, off = new AbortController(), { signal } = off;
      this.isDragging = true;
      const follow = grab(event, signal);
      this.isDragging = follow !== null;
      if (!follow) return;
      element.setPointerCapture(event.pointerId);
      element.addEventListener("pointermove", follow, { signal });
      element.addEventListener("pointerup", () => {
        off.abort();
        this.release();
      }, { signal });
      element.addEventListener("pointercancel", () => {
        off.abort();
        this.set(before);
      }, { signal });
    });
  }

  /** After a press that changed nothing, the answer that waited. */
  letGo() {
    if (!this.isDragging) return;
    this.isDragging = false;
    setTimeout(() => this.settle());
  }

  /** Set hands from the picture itself, or from a preset. @param {Values} values */
  set(values) {
    const now = { ...this.values, ...values };
    for (const { hand } of this.controls.values()) {
      const end = hand.kind === "slider" && hand.within ? Number(now[hand.within]) : Infinity;
      if (Number(now[hand.key]) > end) now[hand.key] = end;
    }
    this.show(now);
    this.picture.moved();
  }

  /** Let go: Python hears it, if something has changed. @param {boolean} isStep whether Back undoes it */
  release(isStep = true) {
    clearTimeout(this.waiting);
    this.waiting = undefined;
    this.isDragging = false;
    this.show(this.values); // nothing moves under a finger; now what belongs to these values may come and go
    if (alike(this.values, this.confirmed)) this.settle();
    else if (!this.picture.alone) this.send({ ...this.values }, isStep);
    else {
      this.state = "settled"; // nobody answers, but the address of a page without a server may follow
      this.confirmed = { ...this.values };
      this.picture.report({ values: this.confirmed, is_step: isStep });
    }
  }

  /** Set hands by a click. @param {Values} values */
  choose(values) {
    this.set(values);
    this.release();
  }

  /** Let go as soon as the keys rest. */
  releaseLater(after = KEYED_AFTER, isStep = true) {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.release(isStep), after);
  }

  /** @param {Values} values */
  show(values) {
    const before = this.values;
    this.values = { ...values };
    if (!this.isDragging) this.showWhatHolds();
    for (const { hand, show } of this.controls.values()) {
      // Only what has changed: a page that is laid out anew in every frame of a drag is a slow one.
      if (hand.kind === "line") show(this.picture.written(hand.key, values));
      else if (before[hand.key] !== values[hand.key] || !this.isDragging) show(values[hand.key]);
    }
  }

  /**
   * The words of a line of text, as Python has cut it, else as this browser does; the last ones where the text is refused, or an
   * example's. @param {string} unit as for `tokensOf`
   */
  read(key, unit = "words") {
    const { hand } = /** @type {Control} */ (this.controls.get(key)), isCut = unit === "words";
    const { least, most, shown, refusal } = /** @type {Line} */ (hand);
    const text = String(this.values[key]), known = isCut ? this.cuts.get(text) : undefined;
    const source = [unit, known?.length, text].join();
    if (source === this.source) return this.tokens;
    const all = known ?? tokensOf(text, unit), given = all.length, now = all.slice(0, shown);
    Object.assign(this, { source, isRefused: given < least || given > most });
    if (!this.isRefused) this.ofText = text;
    if (!this.isRefused && now.join("\n") !== this.tokens.join("\n")) this.tokens = now;
    else if (!this.tokens.length) [[this.ofText, this.tokens]] = this.cuts;
    const isGuess = isCut && !known && this.picture.alone && isByDictionary(text), { long, cut } = this.words;
    const said = this.isRefused
      ? refusal
      : given > shown
      ? filled(long, (name) => ({ given, used: shown }[name]))
      : isGuess
      ? cut
      : "";
    this.say(said);
    return this.tokens;
  }

  /** What is said of a line of text without words. */
  refusalOf(key) {
    const line = /** @type {Line | undefined} */ (this.controls.get(key)?.hand);
    return line?.refusal ?? "";
  }

  say(remark) {
    if (remark === this.remark.textContent) return;
    this.remark.textContent = remark;
    this.picture.layOut(false); // the row may be higher
  }

  /** Which hands belong to these values, and which preset has them. Under a finger nothing comes or goes. */
  showWhatHolds() {
    const { values } = this;
    for (const { hand, box } of this.controls.values()) {
      box.hidden = Object.entries(hand.visible_when ?? {}).some(([key, allowed]) => !allowed.includes(values[key]));
    }
    for (const [at, button] of [...this.presets.children].entries()) {
      const set = Object.entries(this.sent?.presets[at].values ?? {});
      const holds = !this.isTyped && set.every(([key, value]) => equal(values[key], value));
      button.setAttribute("aria-pressed", String(holds));
    }
  }

  /** The elements, as long as the hands are the same. @param {Sent} sent */
  build(sent) {
    const { hands, presets } = sent, form = JSON.stringify([hands, presets]);
    if (form === this.form) return;
    const focused = /** @type {ShadowRoot | Document} */ (this.row.getRootNode()).activeElement?.id;
    Object.assign(this, { form, sent });
    const host = hostOf(this.picture.root);
    if (hands.length && !host.closest("details")) setAttributes(host, { id: "controls", tabindex: "-1" }); // the skip link leads here
    this.controls = new Map(hands.map((hand) => [hand.key, this.control(hand)]));
    const boxes = [...this.controls.values()],
      placed = (advanced) => boxes.filter(({ hand }) => hand.advanced === advanced).map(({ box }) => box);
    this.row.replaceChildren(...placed(false));
    this.advanced.replaceChildren(...placed(true));
    this.more.textContent = sent.more;
    this.more.hidden = !this.advanced.childElementCount;
    this.presets.replaceChildren(...presets.map(({ label, values }, at) => {
      const button = make("button", "preset", { type: "button", "data-digit": String(at + 1) }, label);
      button.onclick = () => {
        this.isTyped = false;
        this.choose(/** @type {Values} */ (values));
      };
      return button;
    }));
    if (focused) /** @type {HTMLElement | null} */ (this.row.querySelector(`#${focused}`))?.focus();
  }

  /** @param {Hand} hand @returns {Control} */
  control(hand) {
    const tag = ["choice", "slider", "multi_choice"].includes(hand.kind) ? "div" : "label"; // a label is of one field
    const box = make(tag, `hand ${hand.kind}`, hand.help ? { title: hand.help } : {});
    if (hand.kind !== "pick") box.append(make("span", "name", {}, hand.label)); // a list says what it is by its first entry
    const build = this[hand.kind === "multi_choice" ? "choice" : hand.kind];
    return { hand, box, show: build.call(this, /** @type {any} */ (hand), box) };
  }

  /** @param {Slider} slider @param {HTMLElement} box */
  slider({ key, label, low, high, step, log, within, typed }, box) {
    const end = () => (within ? Math.max(low, Math.min(high, Number(this.values[within]))) : high);
    const whole = (value) => clamp(Number((low + Math.round((value - low) / step) * step).toPrecision(12)), low, end()); // 0.15, not 0.15000000000000002
    const showField = this.field({ key, label, low, end, step, whole }, box);
    if (typed) return showField;
    const [min, max] = log ? [0, PLACES] : [low, high], scale = { min, max, step: log ? 1 : step };
    const range = make("input", "", { id: `hand-${key}`, type: "range", "aria-label": label, ...scale });
    const more = low > 0 ? 0 : 1, ratio = (high + more) / (low + more); // from 0 on, of one more
    const valueAt = (at) => whole(log ? (low + more) * ratio ** (at / PLACES) - more : at);
    const placeOf = (value) => (log ? (PLACES * Math.log((value + more) / (low + more))) / Math.log(ratio) : value);
    let keyed = false;
    range.addEventListener("keydown", () => {
      keyed = true;
    });
    range.addEventListener("pointerdown", () => {
      keyed = false;
      this.isDragging = true;
    });
    range.addEventListener("input", () => this.set({ [key]: valueAt(Number(range.value)) }));
    range.addEventListener("change", () => (keyed ? this.releaseLater() : this.release()));
    if (log) this.logKeys(range, key, { low, high, whole });
    box.lastChild?.before(range);
    return (value) => {
      range.value = String(placeOf(value));
      range.style.setProperty("--at", `${(100 * (Number(range.value) - min)) / (max - min)}%`);
      range.setAttribute("aria-valuetext", String(value));
      showField(value);
    };
  }

  /** The field of a number, in which people write 1e6 and 1,000,000. */
  field({ key, label, low, end, step, whole }, box) {
    const field = make("input", "number", {
      type: "text",
      inputmode: "decimal",
      role: "spinbutton",
      "aria-label": label,
      autocomplete: "off",
    });
    const written = () => Number(field.value.replace(/[\s,_]/g, "") || NaN);
    const take = () => {
      if (Number.isFinite(written())) this.set({ [key]: whole(written()) });
    };
    field.addEventListener("input", () => {
      if (!(written() >= low && written() <= end())) return;
      take();
      this.releaseLater(TYPED_AFTER);
    });
    field.addEventListener("change", () => {
      take();
      field.value = readable(this.values[key]);
      this.release();
    });
    field.addEventListener("keydown", (event) => {
      event.stopPropagation();
      const steps = lookUp({ ArrowUp: 1, ArrowDown: -1 }, event.key);
      if (!steps) return;
      event.preventDefault();
      this.set({ [key]: whole(Number(this.values[key]) + steps * step) });
      field.value = readable(this.values[key]);
      this.releaseLater();
    });
    const readable = (value) => (Number(value) >= 10_000 ? Number(value).toLocaleString("en") : String(value));
    field.style.width = `${Math.max(3.6, 0.62 * readable(end()).length + 1.2)}em`;
    box.append(field);
    return (value) => {
      field.setAttribute("aria-valuenow", String(value));
      if (written() !== value || !isActive(field)) field.value = readable(value);
    };
  }

  /** @param {Switch} part @param {HTMLElement} box */
  switch({ key, label }, box) {
    const mark = make("input", "", { id: `hand-${key}`, type: "checkbox", role: "switch", "aria-label": label });
    mark.addEventListener("change", () => this.choose({ [key]: mark.checked }));
    box.prepend(mark);
    return (value) => {
      mark.checked = Boolean(value);
    };
  }

  /** An arrow key on a logarithmic slider moves it by at least one step. */
  logKeys(range, key, { low, high, whole }) {
    range.addEventListener("keydown", (event) => {
      const now = Number(this.values[key]), to = keyedTo(event.key, now, low, high, Math.max(1, Math.round(now / 50)));
      if (to === undefined) return;
      event.preventDefault();
      this.set({ [key]: whole(to) });
      this.releaseLater();
    });
  }

  /** One of a few words, as radio buttons, or any of them, but at least one, as check boxes. @param {Choice} choice */
  choice({ key, label, options, kind }, box) {
    const group = make("fieldset", "seg", { "aria-label": label });
    const type = kind === "choice" ? "radio" : "checkbox";
    const marks = options.map(([value]) => make("input", "", { type, name: `hand-${key}`, value }));
    const choose = (mark) => {
      const chosen = marks.filter(({ checked }) => checked).map(({ value }) => value);
      if (chosen.length) this.choose({ [key]: chosen.join(",") });
      else mark.checked = true;
    };
    for (const [at, mark] of marks.entries()) {
      mark.addEventListener("change", () => choose(mark));
      group.append(make("label", "", {}, mark, options[at][1]));
    }
    box.append(group);
    return (value) => {
      const chosen = String(value).split(",");
      for (const mark of marks) mark.checked = chosen.includes(mark.value);
    };
  }

  /** One of many, in a list. @param {Choice} choice @param {HTMLElement} box */
  pick({ key, label, options, sets }, box) {
    const list = make("select", "", { id: `hand-${key}`, "aria-label": label });
    list.append(...options.map(([value, text]) => make("option", "", { value }, text)));
    list.addEventListener("change", () => this.choose({ [key]: list.value, ...(sets && lookUp(sets, list.value)) }));
    box.append(list);
    return (value) => {
      list.value = String(value);
    };
  }

  /** @param {Line} line @param {HTMLElement} box */
  line({ key, label, longest, least }, box) {
    const field = make("input", "", {
      id: `hand-${key}`,
      type: "text",
      "aria-label": label,
      dir: "auto",
      maxlength: String(this.picture.alone ? Math.min(longest, LINKED) : longest),
      spellcheck: "false",
      autocomplete: "off",
    });
    field.disabled = this.picture.alone && !this.sent?.answered.includes(key);
    let composing = false; // an input method is choosing a character
    const typed = (after) => {
      if (composing || field.value === this.values[key]) return;
      this.isTyped = true;
      this.set({ [key]: field.value });
      this.releaseLater(after, false);
    };
    field.addEventListener("compositionstart", () => {
      composing = true;
    });
    field.addEventListener("compositionend", () => {
      composing = false;
      typed(TYPED_AFTER);
    });
    field.addEventListener("input", () => typed(TYPED_AFTER));
    field.addEventListener("change", () => typed(0));
    field.addEventListener("keydown", (event) => event.stopPropagation());
    box.append(field, ...(least ? [this.remark] : []));
    return (value) => {
      if (!composing && field.value !== value) field.value = String(value);
    };
  }

  /** Presented, a digit is a preset. */
  onDigit(event) {
    const { row, presets } = this;
    if (isCombined(event) || event.defaultPrevented) return;
    if (getComputedStyle(row).getPropertyValue("--presented").trim() !== "1") return;
    if (
      event.composedPath().some((node) =>
        node instanceof Element && node.matches("input:not([type=radio]), textarea, select")
      )
    ) return;
    /** @type {HTMLElement | null} */ (presets.querySelector(`[data-digit="${CSS.escape(event.key)}"]`))?.click();
  }
}

/** Where a key leads from a value whose equal ways are equal ratios; undefined for one that means nothing. */
export function keyedTo(key, now, low, high, step = 1) {
  const on = lookUp({ ArrowRight: step, ArrowUp: step, ArrowLeft: -step, ArrowDown: -step }, key);
  return on ? now + on : lookUp({ PageUp: 2 * now, PageDown: now / 2, Home: low, End: high }, key);
}

const isActive = (element) => /** @type {ShadowRoot | Document} */ (element.getRootNode()).activeElement === element;

/** Whether a picture shares its screen with what is beside or below it, also on a phone (style.css). @param {Element} root */
export const isWithin = (root) => getComputedStyle(root).getPropertyValue("--within").trim() === "1";

/**
 * Put a sentence with values into an element, if it says something else now; each value in a span.
 * @param {HTMLElement} element @param {(name: string) => string} classOf
 */
export function sayIn(element, template, lookup, classOf = () => "v") {
  const pieces = fillTemplate(template, lookup);
  if (pieces.map(([text]) => text).join("") === element.textContent) return;
  element.replaceChildren(...pieces.map(([text, name]) => (name ? make("span", classOf(name), {}, text) : text)));
}
