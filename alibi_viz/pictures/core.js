// What the pictures share without a page: the message, slopes, the near share, known words, templates.

import { formatNumber, raised } from "./shared.js";

const TYPES = { float32: Float32Array, float64: Float64Array, uint8: Uint8Array };

/**
 * One message of bytes (see message.py), each array in its place.
 * @typedef {(Float32Array | Float64Array | Uint8Array) & { shape: number[] }} Numbers
 * @type {(bytes: Uint8Array) => any}
 */
export function unpack(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), length = view.getUint32(0, true);
  const body = bytes.slice(4 + length); // a copy: aligned, and free of the transport's buffer
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(4, 4 + length));
  const arrayOf = ({ array: type, at, shape }) => {
    const count = shape.reduce((product, side) => product * side, 1);
    return Object.assign(new TYPES[type](body.buffer, body.byteOffset + at, count), { shape });
  };
  return JSON.parse(text, (_, value) => (value?.array ? arrayOf(value) : value));
}

/** The slope of every head, in head order: the rules of positions/alibi.py; a test compares the two. */
export function slopes(heads, rule = "code", top = 8) {
  const of = (count, exponent) => Array.from({ length: count }, (_, at) => 2 ** -exponent(at + 1));
  if (rule === "blog") return of(heads, (h) => h);
  if (rule === "sentence") return of(heads, (h) => (top * h) / heads);
  if (rule !== "code") throw new Error(`unknown rule ${rule}`);
  const power = powerBelow(heads);
  const extra = of(heads - power, (k) => (top * (2 * k - 1)) / (2 * power));
  return [...of(power, (h) => (top * h) / power), ...extra];
}

/** The largest power of two not above a whole number. */
export const powerBelow = (count) => 2 ** (31 - Math.clz32(count));

/** A slope: as a unit fraction when it is one, as format_slope in Python. `short`, on a curve: 2⁻¹², and two digits. */
export function formatSlope(value, short = false) {
  const inverse = value > 0 && value < 1 ? 1 / value : Infinity, power = Math.log2(inverse);
  if (inverse <= (short ? 2048 : 1e7) && Number.isInteger(inverse)) return `1/${formatNumber(inverse, 9)}`;
  return short && Number.isInteger(power) ? `2${raised(-power)}` : formatNumber(value, short ? 2 : 4);
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

/** Known words and all of them, between two bytes of a text. @param {ArrayLike<number>} words [W, 3] @returns {[number, number]} */
export function countWords(words, from, to) {
  let known = 0, all = 0;
  for (let at = 0; at < words.length; at += 3) {
    if (words[at] < from || words[at + 1] > to) continue;
    known += words[at + 2];
    all += 1;
  }
  return [known, all];
}

/** Split a template into [text, name] pieces, name "" but for values; `lookup` gives each {name}, undefined leaves it as it stands. */
export function fillTemplate(template, lookup) {
  return template.split(/(\{\w+\})/).filter(Boolean).map((piece) => {
    const name = /^\{(\w+)\}$/.exec(piece)?.[1] ?? "", value = name ? lookup(name) : undefined;
    return value === undefined ? [piece, ""] : [value, name];
  });
}

/** A long label with an ellipsis in place of its end. */
export function shorten(text, most) {
  const letters = Array.from(text);
  return letters.length <= most ? text : letters.slice(0, most - 1).join("") + "…";
}
