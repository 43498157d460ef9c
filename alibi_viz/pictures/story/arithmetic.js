// What the story computes: weights of words in an order, values between measured points. No page, no drawing.

import { softmax, weightAt } from "../attention.js";
import { clamp } from "../shared.js";

export const STEPS = 9;
export const FARTHEST = 16; // training lengths on the chart that a reader draws on
export const SAMPLES = 33; // of a drawn line, from L to 16 L
export const EVERY = 4; // one of so many samples is told to a class
export const STEEPEST = 0.5; // of the slopes that a hand can pull

export const lerp = (from, to, share) => from + (to - from) * share;
export const ease = (share) => clamp(share, 0, 1) ** 2 * (3 - 2 * clamp(share, 0, 1));
/** How far a movement is that begins and ends at these shares of a longer one. */
export const part = (share, begin, end) => ease((share - begin) / (end - begin));

/**
 * Weights [T, T] of words, in their own order: the softmax of content less slope × distance; the mask hides those that stand later.
 * @param {ArrayLike<number>} content [T, T] @param {number[]} order the word of each place
 */
export function weightsOf(content, order, slope, causal) {
  const count = order.length, weights = new Float64Array(count * count), places = placeOfEach(order);
  for (let query = 0; query < count; query += 1) {
    const row = weights.subarray(query * count, (query + 1) * count);
    for (let key = 0; key < count; key += 1) {
      const ahead = places[key] - places[query];
      row[key] = causal && ahead > 0 ? -Infinity : content[query * count + key] - slope * Math.abs(ahead);
    }
    softmax(row);
  }
  return weights;
}

/** What a weight in the asking word’s own place is worth so far back: a line in the scores is this curve. @param {number} own */
export const worthAt = (own, slope, distance) => own * weightAt(slope, distance);

/** The largest change of a weight. @param {ArrayLike<number>} before @param {ArrayLike<number>} now */
export const largestChange = (before, now) =>
  Array.from(now).reduce((most, weight, at) => Math.max(most, Math.abs(weight - before[at])), 0);

/** The place of each word. @param {number[]} order */
export const placeOfEach = (order) => order.map((_, word) => order.indexOf(word));

/** The sentence's own order. @returns {number[]} */
export const ownOrder = (count) => Array.from({ length: count }, (_, at) => at);

/** The order that an address names; the sentence's own one where it names none. @type {(text: unknown, count: number) => number[]} */
export function orderOf(text, count) {
  const own = ownOrder(count), order = String(text).split(",").map(Number);
  return order.length === count && own.every((word) => order.includes(word)) ? order : own;
}

/** A matrix [T, T] of words in their own order, as they stand. @param {ArrayLike<number>} matrix @param {number[]} order */
export const placed = (matrix, order) =>
  Float64Array.from(order.flatMap((query) => order.map((key) => matrix[query * order.length + key])));

/** A text with its words in another order, between the same blanks; as it is where it has other words. @param {string[]} words */
export function reordered(text, words, order) {
  let at = 0, said = "";
  for (const [place, word] of words.entries()) {
    const start = text.indexOf(word, at);
    if (start < 0) return text;
    said += text.slice(at, start) + words[order[place]];
    at = start + word.length;
  }
  return said + text.slice(at);
}

/** An order as the address has it: nothing for the sentence's own one. @param {number[]} order */
export const orderText = (order) => (order.every((word, place) => word === place) ? "" : order.join(","));

/** An order with a word at another place, as the address has it. @param {number[]} order */
export const withWordAt = (order, word, place) =>
  orderText(order.filter((other) => other !== word).toSpliced(place, 0, word));

/** The number of a list that is nearest to a value, as a ratio. @param {number[]} list */
export const nearestIn = (list, value) =>
  list.reduce((best, other) => (Math.abs(Math.log(other / value)) < Math.abs(Math.log(best / value)) ? other : best));

/** Training lengths of a sample of a drawn line. */
export const timesOf = (at) => FARTHEST ** (at / (SAMPLES - 1));

/** A drawn line with one place more: straight in the logarithms from the place before. @param {(number | null)[]} line [SAMPLES] */
export function withPlace(line, last, at, value, start) {
  const from = Math.log(line[last] ?? start), low = Math.min(last, at), high = Math.max(last, at);
  return line.map((before, k) => {
    if (k === 0) return start;
    if (k < low || k > high || k === last) return before;
    return Math.exp(lerp(from, Math.log(value), (k - last) / (at - last)));
  });
}

/** The last place of a line that was drawn, 0 where there is none. @param {(number | null)[] | null} line */
export const drawnTo = (line) => Math.max(0, line?.findLastIndex((value) => value !== null) ?? 0);

/** A line that is let go of: level to its end, if it came so far; else none. @param {(number | null)[]} line */
export function finished(line) {
  const last = drawnTo(line), level = line[last];
  return last > 0.45 * SAMPLES ? line.map((value, at) => (at > last ? level : value)) : null;
}
