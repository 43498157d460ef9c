// Arithmetic of the matrix view: reading a message, one head's scores and softmax. No page, no drawing.
// A head is a Model of Python (message.py) with content(i, j); i and j count tokens.

import { unpack } from "../core.js";

/**
 * @import { Axis, Colours, Heads, Length, Mark, Model, Options, Panel as Sent, Readout, Strength } from "./message.d.ts"
 * @typedef {Axis & { count: number }} Side
 * @typedef {Omit<Sent, "values" | "model" | "colours"> & Colours & { values: Float32Array, model: number, low: number,
 *   high: number, mine?: boolean }} Panel
 * @typedef {Omit<Model, "content" | "logsum" | "future_slope"> & { content: (i: number, j: number) => number, plain: boolean,
 *   future_slope: number, logsum: Float64Array | null, columns: number | null, tables: Record<string, Float64Array>,
 *   cached?: { i: number, value: number } }} Head
 * @typedef {Heads | Length | Strength} Follow
 * @typedef {Omit<Options, "readout" | "picked" | "locked" | "front"> & { key: string, words: Record<string, string>, rows: Side, cols: Side,
 *   readout: Readout | null, picked: number | null, locked: number[] | null, front: number[] | null, panels: Panel[], models: Head[] }} Message
 */

/** Decode one message of bytes (see message.py). @type {(bytes: Uint8Array) => Message} */
export function decode(bytes) {
  const message = unpack(bytes);
  for (const panel of message.panels) {
    Object.assign(panel, panel.colours);
    [panel.low, panel.high] = panel.domain;
  }
  message.models = message.models.map((model) => readModel(model, message));
  return message;
}

/** The sample in which a token of an axis stands. */
export const sampleOf = (axis, token) => Math.floor((token - axis.start) / axis.step);

/** A head: content(i, j), and how many columns of a row it knows (null: not all of them). @returns {Head} */
function readModel(model, { rows, cols }) {
  const { content: source, causal, total } = model;
  const head = { ...model, plain: !source, tables: {} };
  const reached = causal ? rows.start + rows.count * rows.step : Infinity; // no row on the screen looks further
  const whole = cols.start === 0 && cols.step === 1 && cols.count >= Math.min(total ?? 0, reached);
  head.columns = whole ? cols.count : null;
  if (!source) {
    head.content = () => 0;
    // A row of zeros is known to its end: i + 1 keys under the mask, else all of them.
    head.columns = causal ? Infinity : total ?? head.columns;
  } else if ("q" in source) {
    const { q, k } = source, width = q.shape[1];
    head.columns = k.shape[0];
    head.content = (i, j) => {
      if (i >= q.shape[0] || j >= k.shape[0]) return NaN;
      let sum = 0;
      for (let at = 0, a = i * width, b = j * width; at < width; at += 1) sum += q[a + at] * k[b + at];
      return sum * source.scale;
    };
  } else {
    const { matrix } = source;
    head.content = (i, j) => {
      const r = sampleOf(rows, i), c = sampleOf(cols, j);
      return r < 0 || c < 0 || r >= rows.count || c >= cols.count ? NaN : matrix[r * cols.count + c];
    };
  }
  return head;
}

/** A head of which something is to change: what was computed of the old one does not hold. Content and its tables are shared. @type {(head: Head) => Head} */
export const changed = (head) => ({ ...head, logsum: null, cached: undefined });

/** The bias of one cell. @type {(head: Head, i: number, j: number) => number} */
export function bias({ form, strength, slope, future_slope: future }, i, j) {
  switch (form) {
    case "causal": return strength * slope * (j - i);
    case "symmetric": return -strength * slope * Math.abs(i - j);
    case "two_sided": return -strength * (j > i ? future : slope) * Math.abs(i - j);
    default: return strength * slope * j; // "key_only"
  }
}

/** One stage of one cell in float64. NaN where it cannot be known from what is on the page. @param {Head} head */
export function evaluate(head, stage, i, j) {
  if (stage === "content") return head.content(i, j);
  if (stage === "bias") return bias(head, i, j);
  const scores = head.content(i, j) + bias(head, i, j);
  if (stage === "scores") return scores;
  const masked = head.causal && j > i ? -Infinity : scores;
  if (stage === "masked") return masked;
  return masked === -Infinity ? 0 : Math.exp(masked - logSum(head, i));
}

/** log of the sum of e^masked over one query's row: Python's where it holds, else computed. @param {Head} head */
export function logSum(head, i) {
  if (head.logsum) return head.logsum[i];
  if (isGeometric(head)) return Math.log(geometricSum(head, i));
  if (head.columns === null) return NaN;
  if (head.cached && head.cached.i === i) return head.cached.value;
  const end = rowEnd(head, i);
  let max = -Infinity, sum = 0;
  for (let j = 0; j < end; j += 1) {
    const score = head.content(i, j) + bias(head, i, j);
    if (score > max) {
      sum = sum * Math.exp(max - score) + 1;
      max = score;
    } else if (score > -Infinity) sum += Math.exp(score - max);
  }
  const value = max + Math.log(sum);
  head.cached = { i, value };
  return value;
}

/** Whether a row of weights is a geometric series: equal content, and a bias that falls with the distance. */
export function isGeometric({ plain, form, causal, total, strength, slope, future_slope: future }) {
  const falls = form === "symmetric" || form === "two_sided" || (form === "causal" && causal);
  const ends = causal || (total !== null && strength * future >= 0);
  return plain && falls && ends && strength * slope >= 0;
}

/** The sum of e^bias over the keys of query i, from the closed form of the series. */
function geometricSum({ form, causal, total, strength, slope, future_slope: future }, i) {
  const series = (rate, count) => (rate === 0 ? count : Math.expm1(-rate * count) / Math.expm1(-rate));
  const past = series(strength * slope, i + 1);
  return causal ? past : past + series(strength * (form === "two_sided" ? future : slope), total - i) - 1;
}

/** How many keys query i looks at. */
export const rowEnd = (head, i) => Math.min(head.columns, head.causal ? i + 1 : head.columns);
