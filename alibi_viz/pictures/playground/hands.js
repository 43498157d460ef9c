// What a hand does on the hero: which word, curve or rail a pointer or a key means, and what it changes.

import { OCTAVE, REACH, STARTS } from "../grip.js";
import { clamp } from "../shared.js";
import { curveAt, slopeThrough } from "./places.js";

/** @import { Store } from "./store.js" */

const HELD = 30; // pixels between the pointer and a grabbed curve that are kept while it is dragged

/** The part of the hero at a height. */
const zoneOf = (places, y) => (y < places.arcs - 4 ? "arcs" : y < places.top - 2 ? "words" : "curves");

/** One press on the hero, until it is let go. `release` says whether anything was changed; `cancel` puts it back. */
export class Hand {
  /** @type {"query" | "curve" | "key"} */ kind = "key";
  off = 0; // pixels between the pointer and the curve when it was grabbed
  moved = false;

  /** @param {Store} store */
  constructor(store, places, x, y, kind) {
    this.store = store;
    this.places = places;
    this.from = [x, y];
    this.before = { head: store.head, back: store.back, strength: store.strength, bent: { ...store.bent } };
    this.zone = zoneOf(places, y);
    const head = this.zone === "curves" ? curveAt(store, places, x, y, REACH[kind] ?? REACH.mouse) : 0;
    if (this.zone === "words") this.kind = "query";
    else if (head) this.kind = "curve";
    if (head) {
      store.setHead(head);
      const d = (places.x(store.query) - x) / places.pitch, off = y - places.height(Math.exp(-store.rate() * d));
      this.off = Math.abs(off) < HELD ? off : 0;
    }
    if (this.kind === "query") store.setQuery(places.at(x));
    if (this.kind === "key") store.point(places.at(x));
    else store.point(null);
  }

  move(x, y) {
    const { store, places } = this;
    if (this.kind === "query") store.setQuery(places.at(x));
    else if (this.kind === "key") store.point(places.at(x));
    else if (this.moved || Math.hypot(x - this.from[0], y - this.from[1]) >= STARTS) this.bend(x, y);
  }

  bend(x, y) {
    const { store, places } = this;
    if (store.strength === 0) store.strength = 1; // at strength 0 every slope gives the same line
    if (!this.moved) store.mark();
    this.moved = true;
    store.bend(slopeThrough(store, places, x, y - this.off));
  }

  /** Whether Python is to hear of it. */
  get changes() { return this.kind !== "key"; }

  /** The browser took the touch for a scroll: as if nothing had been touched. */
  cancel() {
    const { store, before } = this;
    if (this.moved) store.past.pop();
    Object.assign(store, { back: before.back, strength: before.strength, bent: before.bent });
    store.setHead(before.head);
  }
}

/** What a pointer without a press is over: a head, and a key. @param {Store} store */
export function hover(store, places, x, y) {
  const zone = zoneOf(places, y), head = zone === "curves" ? curveAt(store, places, x, y, 14) : 0, key = places.at(x);
  store.point(!head && key < store.query && x < places.end ? key : null);
  return { head, cursor: zone === "words" ? "grab" : head ? "grab" : "crosshair" };
}

/** A key press on the hero; false for one that means nothing. @param {Store} store @param {KeyboardEvent} event */
export function heroKey(store, event) {
  const { key, shiftKey, ctrlKey, metaKey } = event;
  const across = { ArrowRight: 1, ArrowLeft: -1 }[key], up = { ArrowUp: 1, ArrowDown: -1 }[key];
  if ((ctrlKey || metaKey) && key === "z") return store.undo();
  if (ctrlKey || metaKey) return false;
  if (across && shiftKey) store.setQuery(store.query + across);
  else if (across) {
    store.mark();
    store.bend(store.slope() * 2 ** (across * OCTAVE), 0.01);
  } else if (up) store.setHead(clamp(store.head + up, 1, store.heads));
  else if (key === "Home") {
    store.mark();
    store.bend(store.rule());
  } else return false;
  store.point(null);
  return true;
}

/** Lengths of the text that a key on the rail asks for; undefined for one that means nothing. @param {Store} store */
export function railKey(store, key) {
  const { count, length } = store;
  const words = {
    ArrowRight: count + 1, ArrowUp: count + 1, ArrowLeft: count - 1, ArrowDown: count - 1,
    PageUp: 2 * count, PageDown: count / 2, Home: length, End: Infinity,
  }[key];
  return words === undefined ? undefined : clamp(words / length, 1, store.most);
}
