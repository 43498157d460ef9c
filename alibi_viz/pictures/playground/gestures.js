// Where everything of the hero stands, in CSS pixels, and what a pointer or a key there means. Arcs, words and curves share
// one x axis.

import { distanceTo, halving, rateThrough, weightAt } from "../attention.js";
import { OCTAVE, REACH, STARTS } from "../hands/hands.js";
import { scaleOf } from "../plot.js";
import { clamp, lookUp } from "../shared.js";

/** @import { Store } from "./store.js" */

const WORDS_MOST = 24; // of a text that is shown word by word
const ROUND = 8; // pixels above the curves' top
const GAP = 9; // pixels between two words
const HELD = 30; // pixels between the pointer and a grabbed curve that are kept while it is dragged

/**
 * Sizes of the type and the rows, for a screen.
 * @param {{ width: number, tall: number, small: boolean, large: boolean }} screen tall: pixels that the hero may take
 */
export function sizesFor({ width, tall, small, large }) {
  const type = large ? 22 : small ? 13 : 17, note = large ? 18 : small ? 12 : 13;
  const edge = small ? 6 : 16, beside = large ? 200 : small ? 96 : 184; // beside the last word: the rail and the finding
  return { width, tall, small, large, type, note, edge, beside };
}

/**
 * The places for a store. `widthOf` measures a word in the type of the sizes.
 * @param {Store} store @param {ReturnType<typeof sizesFor>} sizes @param {(word: string) => number} widthOf
 */
export function placesOf(store, sizes, widthOf) {
  const { width, tall, small, type, note, edge, beside } = sizes, { count, length } = store;
  const left = edge, gap = small ? 24 : 34; // between the text and its rail
  const rest = width - beside, to = width - (small ? 14 : 22); // the right end of the text while it is not pulled; and of the rail
  const pulled = scaleOf({ low: 1, high: Math.max(2, store.most), log: true }, rest + gap, to);
  const end = pulled.to(store.most > 1 ? store.times : 1) - gap;
  const pitch = (end - left) / count, atRest = (rest - left) / length;
  const wide = store.words.slice(0, WORDS_MOST).map(widthOf), widest = Math.max(...wide);
  // A long word may stand over the place of a short one beside it. In a pulled text the first word follows the last.
  const fits = (each, isPulled) => {
    const pairs = wide.map((one, i) => one + (wide[i + 1] ?? (isPulled ? wide[0] : 0)));
    const ends = Math.max(wide[0], wide[wide.length - 1]);
    return length <= WORDS_MOST && Math.max(...pairs) / 2 + GAP <= each && ends <= each + edge;
  };
  const flat = fits(pitch, count > length);
  const upright = !flat && length <= WORDS_MOST && pitch >= type + 1;
  const ticks = !flat && !upright;
  // A row as high as upright words need where the text itself stands upright, so that pulling it moves nothing.
  const standing = length <= WORDS_MOST && !fits(atRest, true);
  const row = standing ? clamp(widest + 18, type + 24, small ? 70 : 96) : type + 24;
  const axis = note + 8, room = tall - row - axis;
  const arcs = Math.round(room * 0.54), top = arcs + row + 4, bottom = tall - axis;
  const x = (i) => left + (i + 0.5) * pitch, curves = scaleOf({ low: 0, high: 1 }, bottom, top + ROUND);
  return {
    ...sizes,
    left,
    end,
    rest,
    pitch,
    flat,
    upright,
    ticks,
    standing,
    row,
    arcs,
    top,
    bottom,
    x,
    middle: arcs + (standing && upright ? 8 : row / 2),
    at: (px) => clamp(Math.floor((px - left) / pitch), 0, count - 1),
    height: curves.to,
    share: curves.from,
    rail: {
      y: arcs + (standing ? 18 : row / 2),
      x: end + gap,
      to,
      of: pulled.to,
      times: (px) => clamp(pulled.from(px), 1, store.most),
    },
  };
}

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

/** The slope with which the chosen curve passes through a point. @param {Store} store */
export function slopeThrough(store, places, px, py) {
  return rateThrough((places.x(store.query) - px) / places.pitch, places.share(py)) / (store.strength || 1);
}

/** The part of the hero at a height. */
const zoneOf = (places, y) => (y < places.arcs - 4 ? "arcs" : y < places.top - 2 ? "words" : "curves");

/**
 * What a press on the hero takes hold of: the query, a curve, or the key that is pointed at. It follows the pointer.
 * @param {Store} store @returns {(x: number, y: number) => void}
 */
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
    if (bends) store.bend(slopeThrough(store, places, px, py - apart));
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
  const { count, length } = store;
  const words = {
    ArrowRight: count + 1,
    ArrowUp: count + 1,
    ArrowLeft: count - 1,
    ArrowDown: count - 1,
    PageUp: 2 * count,
    PageDown: count / 2,
    Home: length,
    End: Infinity,
  }[key];
  if (words === undefined) return false;
  store.setTimes(clamp(words / length, 1, store.most), 0);
  return true;
}
