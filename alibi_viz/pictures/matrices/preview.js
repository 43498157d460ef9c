// A view of matrices, and what the browser makes of it for other values of its hands. No page, no drawing.

import {
  evaluate,
  formatSlope,
  isByDistance,
  isGeometric,
  keysOf,
  nearCount,
  nearShare,
  shownAt,
  slopeOf,
} from "../attention.js";
import { filled } from "../text.js";
import { fromDiagonals } from "../unpack.js";
import { range } from "../heatmap.js";
import { clamp, formatNumber, wholePercent } from "../shared.js";
import { closingOf, contentOfHead } from "../words.js";

const MOST_SCORES = 1 << 21; // that the browser computes for one panel of weights; with more it waits for Python

/**
 * @import { Axis, Colours, Panel as Sent, View as SentView } from "./message.d.ts"
 * @import { Head } from "../attention.js"
 * @import { Values } from "../hands/hands.js"
 * @typedef {Axis & { count: number }} Side
 * @typedef {Omit<Sent, "values" | "model"> & Colours & { values: Float32Array, model: number, low: number, high: number,
 *   heading: string, note: string }} Panel heading, note: its title and caption as they are read
 * @typedef {Omit<SentView, "panels" | "rows" | "cols"> & { key: string, words: Record<string, string>, rows: Side, cols: Side,
 *   panels: Panel[], models: Head[] }} View
 */

/** A view of a message, as it is drawn. @returns {View} */
export function decode(view, key, words) {
  return completed({ ...view, key, words, panels: view.panels.map((panel) => ({ ...panel, ...panel.colours })) });
}

/** A view with what follows from its values: the ends of the colours, and the words of its templates. @param {View} view @returns {View} */
function completed(view) {
  const extents = view.panels.filter(({ domain }) => !domain).flatMap(({ values }) => range(values) ?? []);
  const ends = extents.length ? extents : [-1, 0]; // all may be masked
  const panels = view.panels.map((panel) => {
    const head = view.models[panel.model], { step } = view.rows;
    const facts = { head: String(head?.head), slope: formatSlope(head?.slope), step: formatNumber(step, 9) };
    const fill = (template) => filled(template, (name) => facts[name]);
    const [low, high] = domainOf(panel, Math.min(...ends), Math.max(...ends));
    return { ...panel, low, high, heading: fill(panel.title), note: step > 1 ? fill(panel.caption) : "" };
  });
  return { ...view, panels };
}

/** The ends of a panel's colours (see Colours in message.py). */
function domainOf({ domain, from_top: fromTop, quantity, values }, least, most) {
  if (domain) {
    const top = fromTop ? range(values)?.[1] ?? 0 : 0;
    return [domain[0] + top, domain[1] + top];
  }
  const edge = Math.max(Math.abs(least), Math.abs(most), 1e-6);
  return quantity === "content" ? [-edge, edge] : [Math.min(least, most - 1e-6), most];
}

/** The sample in which a token of an axis stands. */
export const sampleOf = (axis, token) => Math.floor((token - axis.start) / axis.step);

export const sameAxis = (a, b) => a.start === b.start && a.step === b.step && a.count === b.count;

// What the browser computes by itself while a hand moves.

/** @param {View} view @param {(head: Head) => Partial<Head>} change @returns {View} */
const withModels = (view, change) => ({
  ...view,
  models: view.models.map((head) => ({ ...head, row: undefined, ...change(head) })),
});

/**
 * What a hand is (`follows` in message.py): the view for a value of it, but for the values of the panels.
 * @type {Record<string, (view: View, value: number, values: Values, tokens: string[]) => View>}
 */
const FOLLOWED = {
  strength: (view, strength) => withModels(view, () => ({ strength })),

  heads(view, count, { head: chosen }) {
    return withModels(view, (model) => {
      const head = Math.min(Number(chosen ?? model.head), count);
      return { head, slope: Math.fround(slopeOf(head, count)) };
    });
  },

  words(view, _, values, tokens) {
    const total = tokens.length, step = Math.ceil(total / view.most), causal = Boolean(values.causal);
    const axis = (before) => ({ ...before, start: 0, step, count: Math.ceil(total / step), labels: tokens });
    /** @type {Partial<Head>} */
    const change = { total, causal, form: causal ? "causal" : "symmetric", ...contentOfHead(tokens, values) };
    return { ...withModels(view, () => change), rows: axis(view.rows), cols: axis(view.cols) };
  },

  length(view, n, { row = 0, col = 0, span = 0 }) {
    const wide = Math.min(Number(span) || n, n);
    const step = Math.ceil(wide / view.most),
      count = Math.ceil(wide / step),
      last = Math.max(n - 1 - step * (count - 1), 0);
    const axis = (before, start) => ({ ...before, start: clamp(Number(start), 0, last), step, count });
    return { ...withModels(view, () => ({ total: n })), rows: axis(view.rows, row), cols: axis(view.cols, col) };
  },
};

/**
 * The view for other values of the hands: the browser's own numbers, and Python's in panels that it cannot compute. Null where
 * these are of another window.
 * @param {View} view @param {Values} values @param {string[]} tokens of the reader's text @returns {View | null}
 */
export function previewed(view, values, tokens) {
  let preview = view;
  for (const [key, what] of Object.entries(view.follows ?? {})) {
    preview = FOLLOWED[what](preview, Number(values[key]), values, tokens);
  }
  const isMoved = !sameAxis(preview.rows, view.rows) || !sameAxis(preview.cols, view.cols);
  const panels = view.panels.map((panel) => {
    const head = preview.models[panel.model];
    return canCompute(head, panel, preview) ? { ...panel, values: valuesOf(head, panel, preview) } : panel;
  });
  return isMoved && panels.some((panel, at) => panel === view.panels[at]) ? null : completed({ ...preview, panels });
}

/** Whether the words of a view are those of a text. @param {{ follows: View["follows"] }} view */
export const isOfWords = ({ follows }) => Object.values(follows ?? {}).includes("words");

/** A view with the content of its words, which Python does not send. @param {View} view @param {Values} values @param {string[]} tokens */
export const withContent = (view, values, tokens) => isOfWords(view) ? FOLLOWED.words(view, 0, values, tokens) : view;

/** Of the last word: how many tokens before it are near, and what share of its weight on earlier ones they get. @param {View} view */
export function sharesOf({ models: [head], rows: { labels } }) {
  const tokens = labels ?? [], query = tokens.length - 1 - closingOf(tokens), window = nearCount(query);
  const near = (of) =>
    nearShare(Float64Array.from({ length: query + 1 }, (_, j) => evaluate(of, "weights", query, j)), window);
  const plain = { ...head, strength: 0, row: undefined };
  return {
    at: query,
    query: tokens[query],
    window,
    near: wholePercent(near(head)),
    near_plain: wholePercent(near(plain)),
  };
}

function canCompute(head, { stage }, { rows: { start, step, count } }) {
  if (!head || !stage) return false;
  return stage !== "weights" || isGeometric(head) || count * keysOf(head, start + (count - 1) * step) <= MOST_SCORES;
}

function valuesOf(head, { stage }, { rows, cols }) {
  const isPooled = head.ids && cols.step > 1;
  if (stage === "bias" && isByDistance(head) && rows.step === cols.step && !isPooled) return biasesOf(head, rows, cols);
  const values = new Float32Array(rows.count * cols.count);
  for (let r = 0, at = 0; r < rows.count; r += 1) {
    const i = rows.start + r * rows.step;
    for (let c = 0; c < cols.count; c += 1, at += 1) {
      const j = cols.start + c * cols.step;
      values[at] = isPooled ? largest(head, stage, i, j, j + cols.step) : shownAt(head, stage, i, j);
    }
  }
  return values;
}

/** The largest of a query's keys from one on to before another. */
function largest(head, stage, i, from, to) {
  let most = -Infinity;
  for (let j = from; j < Math.min(to, head.total); j += 1) most = Math.max(most, shownAt(head, stage, i, j));
  return most;
}

/** Biases of distances: as many numbers as the matrix has diagonals. */
function biasesOf(head, rows, cols) {
  const diagonals = new Float32Array(rows.count + cols.count - 1);
  for (let at = 0; at < diagonals.length; at += 1) {
    const c = Math.max(at - rows.count + 1, 0), r = rows.count - 1 - (at - c);
    diagonals[at] = shownAt(head, "bias", rows.start + r * rows.step, cols.start + c * cols.step);
  }
  return fromDiagonals(diagonals, cols.count);
}
