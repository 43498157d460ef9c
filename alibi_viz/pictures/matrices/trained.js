// One head of a trained model over the reader's text, as a view: what the engine has traced, in the place of Python's numbers
// (pages/attention_model/study.py). No page, no drawing. A test holds it against PyTorch.

import { formatSlope, nearCount, nearShare, softmax } from "../attention.js";
import { wholePercent } from "../shared.js";
import { filled, labelsOf } from "../text.js";
import { dot } from "../words.js";

const SCREEN = 384; // squares a side, as in study.py

/**
 * @import { Trace } from "../lm_worker.js"
 * @import { Values } from "../hands/hands.js"
 * @import { Model, Trained as Sent, View } from "./message.d.ts"
 * @typedef {Sent & { view: View & { models: Model[] } }} Trained
 */

const bytesOf = (text) => new TextEncoder().encode(String(text));

/** Whether a model reads the beginning of a text alone. @param {Trained} model */
export const isCut = ({ most }, text) => bytesOf(text).length > most;

/** What the engine is to look at. @param {Trained} model @param {Values} values */
export function readingOf(model, { passage, layer, head, strength }) {
  const { most, limits, slopes } = model, prompt = bytesOf(passage).slice(0, most);
  return {
    prompt,
    layer: Math.min(Number(layer), limits.length) - 1,
    of: [Number(head) - 1],
    step: Math.ceil(prompt.length / SCREEN),
    strength: slopes ? Number(strength) : 1,
  };
}

/** @param {Trace} found */
function vectorsOf({ q, k, tokens, heads, dim }, head) {
  const shared = k.length / (tokens * dim),
    pick = (all, count, of) =>
      Array.from({ length: tokens }, (_, at) => all.subarray((at * count + of) * dim, (at * count + of + 1) * dim));
  return { queries: pick(q, heads, head), keys: pick(k, shared, Math.floor((head * shared) / heads)) };
}

/** By distance, the score of a mean query and a mean key of which the positions alone are left. */
function scoresAlone(queries, keys, frequencies) {
  const tokens = queries.length, dim = queries[0].length, half = dim / 2;
  const turned = (vector, at) =>
    Float64Array.from(vector, (x, i) => {
      const angle = at * (frequencies?.[i % half] ?? 0), sign = i < half ? -1 : 1;
      return x * Math.cos(angle) + sign * vector[(i + half) % dim] * Math.sin(angle);
    });
  const meanOf = (vectors) => {
    const mean = new Float64Array(dim);
    vectors.forEach((vector, at) => turned(vector, -at).forEach((x, i) => mean[i] += x / tokens));
    return mean;
  };
  const query = meanOf(queries), key = meanOf(keys);
  return Float64Array.from({ length: tokens }, (_, distance) => dot(turned(query, distance), key) / Math.sqrt(dim));
}

/**
 * Every stage as it fits on the screen [rows, rows], and of the last query the shares of its weight that the tokens near it
 * have, with the bias and without.
 * @param {Trace} found of one head
 */
export function stagesOf(found, head, step) {
  const { bias, weights, frequencies, tokens, dim } = found, count = Math.ceil(tokens / step), last = tokens - 1;
  const { queries, keys } = vectorsOf(found, head), byDistance = scoresAlone(queries, keys, frequencies);
  const content = (i) => Float64Array.from(keys, (key) => dot(queries[i], key) / Math.sqrt(dim));
  const empty = () => new Float32Array(count * count).fill(-Infinity);
  const stages = { content: empty(), bias: empty(), masked: empty(), weights: empty(), alone: empty() };
  for (let row = 0; row < count; row += 1) {
    const i = row * step, scores = content(i), seen = weights.subarray(row * tokens, (row + 1) * tokens);
    const alone = softmax(Float64Array.from(seen, (weight, j) => weight < 0 ? -Infinity : byDistance[i - j]));
    for (let j = 0; j < tokens; j += 1) {
      const at = row * count + Math.floor(j / step), put = (stage, x) => stage[at] = Math.max(stage[at], x);
      put(stages.content, scores[j]);
      if (seen[j] < 0) continue;
      put(stages.bias, bias[row * tokens + j]);
      put(stages.masked, scores[j] + bias[row * tokens + j]);
      put(stages.weights, seen[j]);
      put(stages.alone, alone[j]);
    }
  }
  const near = (row) => nearShare(row, nearCount(last));
  return { ...stages, near: near(weights.subarray(-tokens)), plain: near(softmax(content(last))) };
}

/**
 * The view, and its sentence. @param {Trained} model @param {Values} values @param {Trace} found
 */
export function viewOf(model, values, found) {
  const { view, note, limits, slopes, square } = model,
    { prompt, layer, of: [head], step, strength } = readingOf(model, values);
  const labels = labelsOf(prompt), total = labels.length, stages = stagesOf(found, head, step), last = total - 1;
  const isExact = step === 1 && view.models.length > 0, slope = slopes?.[head] ?? 0, limit = limits[layer];
  const facts = { head: String(head + 1), layer: String(layer + 1), slope: formatSlope(slope), step: String(step) };
  const fill = (template) => filled(template, (name) => facts[name]);
  const axis = (side) => ({ ...side, start: 0, step, count: Math.ceil(total / step), labels });
  const content = stages.content, follows = isExact && layer === 0 ? view.follows : null;
  const panels = view.panels.map((panel) => ({
    ...panel,
    title: fill(panel.title),
    caption: "",
    values: stages[panel.key],
    model: isExact ? panel.model : null,
    colours: panel.colours.quantity === "content" ? { ...panel.colours, domain: [-limit, limit] } : panel.colours,
  }));
  const numbers = {
    query: labels[last],
    window: String(nearCount(last)),
    near: wholePercent(stages.near),
    near_plain: wholePercent(stages.plain),
  };
  return {
    view: {
      ...view,
      panels,
      follows,
      models: isExact ? view.models.map((one) => ({ ...one, total, content, slope, strength, head: head + 1 })) : [],
      rows: axis(view.rows),
      cols: axis(view.cols),
      marks: view.marks.filter(({ col1 }) => col1 < total),
      readout: step > 1 ? { ...view.readout, allowed: fill(square), ahead: "" } : view.readout,
      filename: fill(view.filename),
      alt: "",
    },
    note: note.few
      ? { ...note, template: last < 2 ? note.few : note.template, numbers, near: follows && [last, nearCount(last)] }
      : note,
  };
}
