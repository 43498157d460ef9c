// ALiBi's arithmetic, once for all pictures: slopes, one head's scores and softmax, and where its weight goes. No page, no drawing.
// A test holds it against PyTorch. Distances, i and j count tokens.

import { clamp, formatNumber, raised } from "./shared.js";

const SETTABLE = [1 / 1024, 2]; // slopes that a hand can set
const NEAREST = 3; // words of which a finding speaks

// Slopes.

/** The slope of every head, in head order: the rules of positions/alibi.py. */
export function slopes(heads, rule = "code", top = 8) {
  const of = (count, exponent) => Array.from({ length: count }, (_, at) => 2 ** -exponent(at + 1));
  if (rule === "blog") return of(heads, (h) => h);
  if (rule === "sentence") return of(heads, (h) => (top * h) / heads);
  const power = powerBelow(heads);
  const extra = of(heads - power, (k) => (top * (2 * k - 1)) / (2 * power));
  return [...of(power, (h) => (top * h) / power), ...extra];
}

/** The slope of a head of so many, or of the last one there is. */
export const slopeOf = (head, heads) => slopes(heads)[Math.min(head, heads) - 1];

/** The largest power of two not above a whole number. */
export const powerBelow = (count) => 2 ** (31 - Math.clz32(count));

/** A slope: as a unit fraction when it is one, as format_slope in Python. `short`, on a curve: 2⁻¹², and two digits. */
export function formatSlope(value, short = false) {
  const inverse = value > 0 && value < 1 ? 1 / value : Infinity, power = Math.log2(inverse);
  if (inverse <= (short ? 2048 : 1e7) && Number.isInteger(inverse)) return `1/${formatNumber(inverse, 9)}`;
  return short && Number.isInteger(power) ? `2${raised(-power)}` : formatNumber(value, short ? 2 : 4);
}

/** A slope as far as a hand can set it. */
export const settable = (slope) => clamp(slope, SETTABLE[0], SETTABLE[1]);

/** The weight of a key at a distance against that of the query's own place, for equal content. */
export const weightAt = (slope, distance) => Math.exp(-slope * distance);

/** The distance at which that weight is a share. */
export const distanceTo = (share, slope) => -Math.log(share) / slope;

/** The distance after which a weight has halved, for equal content. */
export const halving = (slope) => Math.LN2 / slope;

/** The slope with which a curve passes through a share at a distance. */
export const rateThrough = (distance, share) => -Math.log(clamp(share, 0.002, 0.995)) / Math.max(0.3, distance);

// Weights.

/** The softmax of scores, in their place; a key that is hidden has the score -Infinity. @param {Float64Array} scores */
export function softmax(scores) {
  let top = -Infinity, sum = 0;
  for (let j = 0; j < scores.length; j += 1) if (scores[j] > top) top = scores[j];
  for (let j = 0; j < scores.length; j += 1) sum += scores[j] = Math.exp(scores[j] - top);
  for (let j = 0; j < scores.length; j += 1) scores[j] /= sum;
  return scores;
}

/**
 * Of a query's weight on the tokens before it, the share on the nearest so many; NaN where there is none before it.
 * @param {ArrayLike<number>} row its weights, the query's own last @param {number} nearest
 */
export function nearShare(row, nearest) {
  const query = row.length - 1;
  let near = 0, all = 0;
  for (let j = 0; j < query; j += 1) {
    all += row[j];
    if (query - j <= nearest) near += row[j];
  }
  return near / all;
}

/** How many words before the query count as near: fewer than there are, where there are two. */
export const nearCount = (query) => clamp(query - 1, 1, NEAREST);

// One head of a message (Model in matrices/message.py).

/**
 * @import { Model } from "./matrices/message.d.ts"
 * @typedef {Omit<Model, "content"> & { content: ArrayLike<number> | null, ids?: number[], distinct?: number,
 *   row?: { i: number, logsum: number } }} Head ids: of each token its row and column in `content`, which is of distinct ones
 */

/** @type {(head: Head, i: number, j: number) => number} */
function contentOf({ content, total, ids, distinct = 0 }, i, j) {
  if (!content) return 0;
  return ids ? content[ids[i] * distinct + ids[j]] : content[i * total + j];
}

/** The bias of one cell. @type {(head: Head, i: number, j: number) => number} */
function biasOf({ form, strength, slope, future }, i, j) {
  switch (form) {
    case "causal":
      return strength * slope * (j - i);
    case "symmetric":
      return -strength * slope * Math.abs(i - j);
    case "two_sided":
      return -strength * slope * (j > i ? future : 1) * Math.abs(i - j);
    default:
      return strength * slope * j; // "key_only"
  }
}

/** One stage of one cell in float64. @param {Head} head */
export function evaluate(head, stage, i, j) {
  if (stage === "content") return contentOf(head, i, j);
  if (stage === "bias") return biasOf(head, i, j);
  const score = head.causal && j > i ? -Infinity : contentOf(head, i, j) + biasOf(head, i, j);
  return stage === "masked" ? score : Math.exp(score - logSum(head, i));
}

/** One stage of one cell as a picture shows it: of a key that the mask hides, the content alone. @param {Head} head */
export const shownAt = (head, stage, i, j) =>
  head.causal && j > i && stage !== "content" ? -Infinity : evaluate(head, stage, i, j);

/** Whether its bias is one number a distance. @param {Head} head */
export const isByDistance = ({ form }) => form !== "key_only";

/** How many keys query i looks at. */
export const keysOf = (head, i) => (head.causal ? i + 1 : head.total);

/** log of the sum of e^masked over one query's row; that of the last row is kept. @param {Head} head */
export function logSum(head, i) {
  if (head.row && head.row.i === i) return head.row.logsum;
  const logsum = isGeometric(head) ? Math.log(geometricSum(head, i)) : summed(head, i);
  head.row = { i, logsum };
  return logsum;
}

function summed(head, i) {
  let max = -Infinity, sum = 0;
  for (let j = 0; j < keysOf(head, i); j += 1) {
    const score = contentOf(head, i, j) + biasOf(head, i, j);
    if (score > max) {
      sum = sum * Math.exp(max - score) + 1;
      max = score;
    } else sum += Math.exp(score - max);
  }
  return max + Math.log(sum);
}

/** Whether a row of weights is a geometric series: equal content, and a bias that falls with the distance. */
export function isGeometric({ content, form, causal, strength, slope, future }) {
  const falls = form === "symmetric" || form === "two_sided" || (form === "causal" && causal);
  return !content && falls && strength * slope >= 0 && future >= 0;
}

/** The sum of e^bias over the keys of query i, from the closed form of the series. */
function geometricSum({ form, causal, total, strength, slope, future }, i) {
  const series = (rate, count) => (rate === 0 ? count : Math.expm1(-rate * count) / Math.expm1(-rate));
  const past = series(strength * slope, i + 1);
  return causal ? past : past + series(strength * slope * (form === "two_sided" ? future : 1), total - i) - 1;
}
