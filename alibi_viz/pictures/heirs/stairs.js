// The stairs that the hands say, and the weights that they leave. No page, no drawing. A test holds it against PyTorch.

import { softmax } from "../attention.js";
import { closingOf, dot } from "../words.js";

const MOST_BYTES = 480; // of a text, as in pages/heirs/study.py

/**
 * @import { Message } from "./message.d.ts"
 * @import { Numbers } from "../unpack.js"
 * @import { Values } from "../hands/hands.js"
 * @typedef {{ row: Float64Array, plain: Float64Array }} Stairs
 */

/** Which row of the message a head has. @param {Message} message @param {Values} values */
export const headOf = ({ heads }, { layer, head }) => (Number(layer) - 1) * heads + Number(head) - 1;

/** One head's numbers. @param {Numbers} numbers */
export function rowOf(numbers, at) {
  const width = numbers.shape[1];
  return numbers.subarray(at * width, (at + 1) * width);
}

/** The steps that a hand has moved, by the word's place from 0. @param {Values} values @returns {Map<number, number>} */
export function movedSteps({ fox_steps: written }) {
  const entries = String(written).split(",").filter(Boolean).map((entry) => entry.split(":").map(Number));
  return new Map(entries.map(([place, step]) => [place - 1, step]));
}

/** The step of every word. @param {Message} message @param {Values} values */
function stepsOf(message, values) {
  const steps = Float64Array.from(rowOf(message.steps, headOf(message, values)));
  if (values.stairs === "alibi") return steps.fill(Number(values.alibi_step));
  for (const [word, step] of movedSteps(values)) steps[word] = step;
  return steps;
}

/** How deep each word stands: the running sum of the steps of the words after it. @param {ArrayLike<number>} steps */
function depthsOf(steps) {
  const depths = new Float64Array(steps.length);
  for (let word = steps.length - 2; word >= 0; word -= 1) depths[word] = depths[word + 1] + steps[word + 1];
  return depths;
}

/** The steps, and the query's weights with and without them. @param {Message} message @param {Values} values */
export function stairsOf(message, values) {
  const steps = stepsOf(message, values), depths = depthsOf(steps);
  const match = Float64Array.from(rowOf(message.match, headOf(message, values)));
  return { steps, depths, row: softmax(match.map((score, word) => score - depths[word])), plain: softmax(match) };
}

/** Where the largest of some numbers stands, from a place on; 0 where there are none. @param {Float64Array} numbers */
const largest = (numbers, from = 0) => Math.max(0, numbers.indexOf(Math.max(...numbers.slice(from)), from));

/** The word with the largest step, of those that have a word before them. @param {Float64Array} steps */
export const tallest = (steps) => largest(steps, 1);

/** The word before the query that has lost the largest share of its weights to the steps. @param {Stairs} stairs */
export const forgotten = ({ row, plain }) => largest(plain.map((share, word) => share - row[word]).slice(0, -1));

/** The mean step of every head between the words. @param {Message} message */
export function meansOf({ steps }) {
  const [heads, words] = steps.shape, first = Math.min(1, words - 1);
  return Array.from({ length: heads }, (_, at) => {
    const between = Array.from(rowOf(steps, at).subarray(first));
    return between.reduce((sum, step) => sum + step, 0) / between.length;
  });
}

// Another text, read here.

/**
 * As many words of a text as the model reads, and the bytes up to the query's last: each word with what stands before it.
 * @param {string[]} tokens its words
 */
export function readIn(text, tokens) {
  const encoder = new TextEncoder(), bytes = encoder.encode(text.trim()).subarray(0, MOST_BYTES);
  const letters = new TextDecoder().decode(bytes, { stream: true }); // not a part of a character
  const words = /** @type {string[]} */ ([]), starts = [0];
  for (const token of tokens) {
    let [at] = starts.slice(-1), length = 0;
    for (; at < letters.length && length < token.length; at += 1) length += Number(letters[at] === token[length]);
    if (!length) break;
    words.push(token.slice(0, length));
    starts.push(at);
  }
  const query = words.length - 1 - closingOf(words), until = (end) => encoder.encode(letters.slice(0, end));
  return {
    tokens: words,
    query,
    ends: starts.slice(1, query + 2).map((end) => until(end).length),
    read: until(starts[query + 1]),
  };
}

/** The numbers of a message, from what the engine has traced of each layer. @param {import("../lm_worker.js").Trace[]} layers @param {number[]} ends */
export function headsIn(layers, ends) {
  const rows = layers.flatMap(({ q, k, gates = [], tokens, heads, dim }) =>
    gates.map((ofHead, head) => {
      const losses = ofHead.map((gate) => -Math.log(gate));
      const vector = (all, at) => all.subarray((at * heads + head) * dim, (at * heads + head + 1) * dim);
      const words = ends.map((end, word) => {
        let lost = 0, sum = 0; // within a word a byte loses the gates of those after it
        for (let at = end - 1; at >= (ends[word - 1] ?? 0); at -= 1) {
          sum += Math.exp(dot(vector(q, tokens - 1), vector(k, at)) / Math.sqrt(dim) - lost);
          lost += losses[at];
        }
        return { lost, match: Math.log(sum) };
      });
      return { gates: losses, steps: words.map(({ lost }) => lost), match: words.map(({ match }) => match) };
    })
  );
  const packed = (name) =>
    Object.assign(Float32Array.from(rows.flatMap((row) => row[name])), { shape: [rows.length, rows[0][name].length] });
  return { gates: packed("gates"), steps: packed("steps"), match: packed("match") };
}
