// Arithmetic of the windows view: reading a message, and the windows themselves. No page, no drawing.

import { unpack } from "../core.js";

/**
 * @import { Dragged, Options, Settings } from "./message.d.ts"
 * @typedef {Record<"read" | "counted", Uint8Array[]> & Record<"context" | "other", Float32Array>} Plan
 * @typedef {{ settings: Settings, plan: Plan }} Now
 * @typedef {Options & Now & { key: string, words: Record<string, string>, labels: string[], colours: Record<"light" | "dark", string[]> }} Message
 */

/** Decode one message of bytes (see message.py). Throws an Error with a sentence when it is broken. @type {(bytes: Uint8Array) => Message} */
export function decode(bytes) {
  const [message, arrays] = unpack(bytes);
  const count = message.labels.length, { read, counted, context, other } = message.plan;
  const rows = (array) => Array.from({ length: array.length / count }, (_, at) => array.subarray(at * count, (at + 1) * count));
  if (arrays[context]?.length !== count - 1) throw new Error("the plan does not fit the words");
  message.plan = { read: rows(arrays[read]), counted: rows(arrays[counted]), context: arrays[context], other: arrays[other] };
  return message;
}

/** Windows over a text: what each reads and counts, and the context of every word but the first (study.plan in Python). */
export function planOf(words, length, stride) {
  /** @type {Uint8Array[]} */
  const read = [], /** @type {Uint8Array[]} */ counted = [], context = new Float32Array(words - 1), all = Array.from({ length: words }, (_, word) => word);
  for (let begin = 0, done = 0; done < words - 1; begin += stride) {
    const end = Math.min(begin + length, words - 1), first = done;
    read.push(Uint8Array.from(all, (word) => Number(begin <= word && word < end)));
    counted.push(Uint8Array.from(all, (word) => Number(first < word && word <= end))); // after each word that it reads, the next
    for (let word = first + 1; word <= end; word += 1) context[word - 1] = word - begin;
    done = end;
  }
  return { read, counted, context };
}

/** Settings and plan for a dragged value: a stride is at most the window. @type {(message: Message, follow: Dragged, value: number) => Now} */
export function previewPlan({ labels, settings }, { form }, value) {
  const now = { ...settings, [form]: Math.round(value) }, words = labels.length, { window, sliding } = now;
  now.stride = Math.min(now.stride, window);
  const [own, others] = [sliding ? now.stride : window, sliding ? window : now.stride];
  return { settings: now, plan: { ...planOf(words, window, own), other: planOf(words, window, others).context } };
}

/** What a word is in a window: "enough" or "poor" where it is predicted there, "read", or "outside". */
export function kindOf({ plan: { read, counted, context }, settings: { least } }, row, word) {
  if (counted[row][word]) return context[word - 1] >= least ? "enough" : "poor";
  return read[row][word] ? "read" : "outside";
}
