// Reading a message of the view of two word orders, and what it shows between two states. No page, no drawing.

import { unpack } from "../core.js";

/**
 * @import { Options } from "./message.d.ts"
 * @import { Follow } from "../message.d.ts"
 * @typedef {{ words: string[], places: number[], free: Float32Array, masked: Float32Array }} Sentence places: in the first
 * @typedef {{ moved: number, mask: number }} Settings each from 0 to 1
 * @typedef {Options & { key: string, size: string, words: Record<string, string>, sentences: Sentence[], settings: Settings,
 *   follows: Follow[] }} Message
 */

/** Decode one message of bytes (see message.py). Throws an Error with a sentence when it is broken. @type {(bytes: Uint8Array) => Message} */
export function decode(bytes) {
  const [message, arrays] = unpack(bytes);
  for (const sentence of message.sentences) {
    for (const name of ["free", "masked"]) sentence[name] = arrays[sentence[name]];
    if (sentence.masked.length !== sentence.words.length ** 2) throw new Error("the weights do not fit the words");
  }
  return message;
}

export const mix = (from, to, share) => from + (to - from) * share;

/** Where the words of a sentence stand now. @type {(sentence: Sentence, settings: Settings) => number[]} */
export const placesOf = ({ places }, { moved }) => places.map((place, at) => mix(at, place, moved));

/** The weight of a query and a key now. @type {(sentence: Sentence, settings: Settings, i: number, j: number) => number} */
export function weightOf({ words, free, masked }, { mask }, i, j) {
  const at = i * words.length + j;
  return mix(free[at], masked[at], mask);
}
