// Texts that models write, each in a worker of its own: what a picture asks for, what is there already, and what comes.

import { openWriter } from "./lm_worker.js";
import { charactersOf, wordsOf } from "./lm_words.js";
import { askedOnce } from "./shared.js";

const LONGEST = 2048; // bytes of a prompt, as in alibi_viz/lm/writing.py
const START = 10; // a line end: no model can begin with nothing
/** @type {Map<string, Promise<Set<string>>>} by their file */ const lists = new Map();
const DECODER = new TextDecoder();
const HAN = /[\u3400-\u9fff]/, KANA = /[\u3041-\u30ff]/, LETTER = /\p{L}/u;

/**
 * @import { Numbers } from "./unpack.js"
 * @typedef {{ prompt: Uint8Array, temperature: number, seed: number, window: number, clamp?: number }} Choices what a text follows from, but for its model
 * @typedef {{ weights: string, most: number, problem: string }} Model most: bytes of its longest text, 0: any; problem: why it ends there
 * @typedef {{ bytes: Numbers, words: Numbers }} Ready a text, or its begin, with its words
 * @typedef {{ bytes: Uint8Array, words: Float32Array, characters: Uint8Array, end: number, isOurs: boolean, problem: string, writer: { stop: () => void } | null }} LiveText
 *   end: bytes of the whole text. isOurs: written here, so that its words are those that this browser cuts.
 */

const orStart = (prompt) => (prompt.length ? prompt : Uint8Array.of(START));

/**
 * The bytes that a text begins with: the reader's own, or those that are shipped.
 * @param {string | undefined} own @param {ArrayLike<number>} shipped
 */
export const promptOf = (own, shipped) =>
  own === undefined ? Uint8Array.from(shipped) : orStart(new TextEncoder().encode(own).slice(0, LONGEST));

/** The last `size` bytes of a text, without the rest of a character that is cut. @param {ArrayLike<number>} text */
export function endOf(text, size) {
  const end = Uint8Array.from(text).slice(-size), first = end.findIndex((byte) => byte >> 6 !== 2);
  return orStart(end.slice(Math.max(0, first)));
}

/** The language of the models that write on after a beginning: its own, as its letters tell, else the reader's. */
export function languageOf(beginning, reader) {
  const ofHan = reader === "ja" ? "ja" : "zh", letters = LETTER.test(beginning) ? "en" : reader;
  return KANA.test(beginning) ? "ja" : HAN.test(beginning) ? ofHan : letters;
}

export class LiveTexts {
  /** @type {Map<string, LiveText>} by the weights of their models */ texts = new Map();
  name = ""; // of what the texts follow from
  /** @type {Choices} */ choices;
  file = ""; // of the words that the models have learned
  isHan = false; // which are of Han characters and kana

  /**
   * file: what the app, the site or the file holds under a name. failed: the sentence for an error. rested: all texts are there.
   * @param {{ file: (name: string) => Promise<ArrayBuffer>, changed: () => void, rested: () => void, failed: (error: string) => string }} picture
   */
  constructor(picture) {
    this.picture = picture;
  }

  /** Whether a text is whole, or does not go on. @param {LiveText} text */
  isDone = ({ bytes, end, problem }) => bytes.length >= end || Boolean(problem);

  /**
   * Ask for texts of so many new bytes; true if they follow from other choices than those before. ready: what is there, by model.
   * @param {Choices} choices @param {Model[]} models @param {Map<string, Ready>} ready
   */
  ask(choices, models, length, ready, { known, is_han: isHan }) {
    const name = JSON.stringify(choices), isNew = name !== this.name;
    if (isNew) this.stop();
    [this.name, this.choices, this.file, this.isHan] = [name, choices, known, isHan];
    const wanted = new Set(models.map(({ weights }) => weights));
    for (const [weights, text] of this.texts) if (!wanted.has(weights)) this.halt(text);
    for (const model of models) this.want(model, length, ready.get(model.weights));
    if (this.isWhole()) this.picture.rested();
    return isNew;
  }

  isWhole = () => [...this.texts.values()].every((text) => !text.writer);

  /** @param {Model} model @param {Ready | undefined} ready */
  want({ weights, most, problem }, length, ready) {
    const { choices: { prompt } } = this, whole = prompt.length + length, end = most ? Math.min(whole, most) : whole;
    const none = { bytes: prompt, words: new Float32Array(0), characters: charactersOf(prompt) };
    const text = this.texts.get(weights) ?? { ...none, end, isOurs: false, problem: "", writer: null };
    this.texts.set(weights, text);
    if (ready && ready.bytes.length >= text.bytes.length) {
      this.halt(text);
      const { bytes, words } = ready;
      Object.assign(text, { bytes, words, characters: charactersOf(bytes), isOurs: false });
    }
    text.end = Math.max(end, Math.min(prompt.length, whole));
    if (text.bytes.length > text.end) this.grow(text, text.bytes.slice(0, text.end));
    if (text.bytes.length < text.end && !text.writer) this.writeOn(weights, text);
    text.problem = end < whole ? problem : "";
  }

  /** @param {LiveText} text */
  writeOn(weights, text) {
    const { picture, choices } = this, { prompt } = choices, { bytes, end } = text;
    text.isOurs = true;
    const rest = (problem = "") => {
      Object.assign(text, { writer: null, problem });
      picture.changed();
      if (this.isWhole()) picture.rested();
    };
    text.writer = openWriter({
      ...choices,
      weights: () => picture.file(weights),
      written: bytes.slice(prompt.length),
      length: end - bytes.length,
      onBytes: (piece) => this.grow(text, Uint8Array.from([...text.bytes, ...piece])),
      onEnd: (reason) => rest(reason && picture.failed(reason)),
      onFail: (reason) => rest(picture.failed(reason)),
    });
  }

  /** A text has other bytes. @param {LiveText} text @param {Uint8Array} bytes */
  async grow(text, bytes) {
    const { choices: { prompt }, file, isHan } = this;
    Object.assign(text, { bytes, characters: charactersOf(bytes) });
    this.picture.changed();
    const known = await this.wordsIn(file).catch(() => null);
    if (!known || text.bytes !== bytes) return; // it could not be had; or there are more bytes by now
    text.words = wordsOf(bytes, prompt.length, known, isHan);
    this.picture.changed();
  }

  /** The words of a file, in small letters. */
  wordsIn(file) {
    return askedOnce(lists, file, async () => new Set(DECODER.decode(await this.picture.file(file)).split("\n")));
  }

  /** @param {LiveText} text */
  halt(text) {
    text.writer?.stop();
    text.writer = null;
  }

  /** Nothing is written any more, and nothing kept. */
  stop() {
    for (const text of this.texts.values()) this.halt(text);
    this.texts.clear();
  }
}
