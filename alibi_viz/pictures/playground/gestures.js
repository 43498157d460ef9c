// What a pointer or a key on the hero means. Arcs, words and curves share one x axis.

import { distanceTo, halving, rateThrough, weightAt } from "../attention.js";
import { keyedTo, OCTAVE, REACH, STARTS } from "../hands/hands.js";
import { clamp, lookUp } from "../shared.js";

/** @import { Store } from "./store.js" */

const HELD = 30; // pixels between the pointer and a grabbed curve that are kept while it is dragged

/** The grip of the chosen curve: where it has halved, or as far as there are words. @param {Store} store */
export function gripOf(store, places, rate = store.rate()) {
  const { query } = store;
  if (query < 1) return null;
  const most = Math.max(0.6, query * 0.9), d = rate > 0 ? Math.min(halving(rate), most) : query / 2;
  return { x: places.x(query) - d * places.pitch, y: places.height(weightAt(rate, d)) };
}

/** The head whose curve is within reach of a point, from 1; 0 where none is. The chosen one wins a tie. @param {Store} store */
function curveAt(store, places, px, py, reach) {
  const d = (places.x(store.query) - px) / places.pitch, grip = gripOf(store, places);
  if (grip && Math.hypot(px - grip.x, py - grip.y) < reach + 4) return store.head;
  if (d < 0) return 0;
  const share = clamp(places.share(py), 0.001, 0.999);
  let best = 0, least = reach;
  for (let head = 1; head <= store.heads; head += 1) {
    const rate = store.rate(head);
    const down = Math.abs(py - places.height(weightAt(rate, d)));
    const across = rate > 0 ? Math.abs(d - distanceTo(share, rate)) * places.pitch : Infinity;
    const far = Math.min(down, across) - (head === store.head ? 4 : 0);
    if (far < least) [best, least] = [head, far];
  }
  return best;
}

/** The part of the hero at a height. */
const zoneOf = (places, y) => (y < places.arcs - 4 ? "arcs" : y < places.top - 2 ? "words" : "curves");

/** What a press takes hold of, and what follows: the query, a curve, or the key that is pointed at. @param {Store} store */
export function grab(store, places, x, y, kind) {
  const zone = zoneOf(places, y),
    head = zone === "curves" ? curveAt(store, places, x, y, lookUp(REACH, kind) ?? REACH.mouse) : 0;
  if (zone !== "words" && !head) return (px) => store.point(places.at(px));
  store.point(null);
  if (!head) return (px) => store.setQuery(places.at(px));
  store.setHead(head);
  const d = (places.x(store.query) - x) / places.pitch, off = y - places.height(weightAt(store.rate(), d));
  const apart = Math.abs(off) < HELD ? off : 0;
  let bends = false;
  return (px, py) => {
    bends ||= Math.hypot(px - x, py - y) >= STARTS;
    const rate = rateThrough((places.x(store.query) - px) / places.pitch, places.share(py - apart));
    if (bends) store.bend(rate / (store.strength || 1));
  };
}

/** What a pointer without a press is over: a head, and a key. @param {Store} store */
export function hover(store, places, x, y) {
  const zone = zoneOf(places, y), head = zone === "curves" ? curveAt(store, places, x, y, 14) : 0, key = places.at(x);
  store.point(!head && key < store.query && x < places.end ? key : null);
  return { head, cursor: zone === "words" ? "grab" : head ? "grab" : "crosshair" };
}

/** A key press on the hero; false for one that means nothing. @param {Store} store */
export function heroKey(store, key, shiftKey) {
  const across = { ArrowRight: 1, ArrowLeft: -1 }[key], up = { ArrowUp: 1, ArrowDown: -1 }[key];
  if (across && shiftKey) store.setQuery(store.query + across);
  else if (across) store.bend(store.slope() * 2 ** (across * OCTAVE), 0.01);
  else if (up) store.setHead(clamp(store.head + up, 1, store.heads));
  else if (key === "Home") store.bend(store.rule());
  else return false;
  store.point(null);
  return true;
}

/** A key press on the rail; false for one that means nothing. @param {Store} store */
export function railKey(store, key) {
  const { count, length } = store, words = keyedTo(key, count, length, Infinity);
  if (words === undefined) return false;
  store.setTimes(clamp(words / length, 1, store.most), 0);
  return true;
}
