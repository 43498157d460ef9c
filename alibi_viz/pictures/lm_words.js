// Whole characters, and words that a training text knows, in a text that a model writes: as alibi_viz/lm/words.py counts them.
// Words of Han characters and kana are those that the browser's own ICU cuts, which may have other dictionaries than Python's.

import { BROKEN, lettersOf } from "./text.js";
import { cut } from "./words.js";

const LATIN = new TextDecoder("latin1"); // a letter for each byte
const WORD = /[A-Za-z]{3,}/g;
const HAN_OR_KANA = /^[\u3005\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff]{2,}$/;
/** First byte of a character: from it on, its bytes, and between which its second byte lies. */
const FIRST = [
  [0xf5, 0, 0, 0],
  [0xf4, 4, 0x80, 0x8f],
  [0xf1, 4, 0x80, 0xbf],
  [0xf0, 4, 0x90, 0xbf],
  [0xee, 3, 0x80, 0xbf],
  [0xed, 3, 0x80, 0x9f],
  [0xe1, 3, 0x80, 0xbf],
  [0xe0, 3, 0xa0, 0xbf],
  [0xc2, 2, 0x80, 0xbf],
  [0x80, 0, 0, 0],
];
const ASCII = [0, 1, 0, 0]; // below all of these: a character by itself

/**
 * Of each byte: how many bytes the character takes that begins there; 0 inside one; BROKEN: no UTF-8. One that the end of the text
 * cuts, and that more bytes could complete, takes more bytes than are there.
 * @param {ArrayLike<number>} bytes
 */
export function charactersOf(bytes) {
  const sizes = new Uint8Array(bytes.length).fill(BROKEN);
  for (let at = 0; at < bytes.length;) {
    const [, size, low, high] = FIRST.find(([from]) => bytes[at] >= from) ?? ASCII;
    let seen = Math.min(1, size);
    while (seen && seen < size && at + seen < bytes.length) {
      const byte = bytes[at + seen], isNext = seen === 1 ? byte >= low && byte <= high : byte >> 6 === 2;
      if (!isNext) break;
      seen += 1;
    }
    const isCut = seen < size && at + seen === bytes.length;
    if (seen && (seen === size || isCut)) {
      sizes.fill(0, at, at + seen);
      sizes[at] = isCut ? seen + 1 : size;
      at += seen;
    } else at += 1;
  }
  return sizes;
}

/** Where the runs of letters stand. @param {Uint8Array} bytes */
function* inLetters(bytes) {
  for (const { 0: word, index } of LATIN.decode(bytes).matchAll(WORD)) yield [index, index + word.length];
}

/** Where the words stand that the browser cuts from the text, of Han characters and kana alone. @param {Uint8Array} bytes */
function* inHanOrKana(bytes) {
  const letters = lettersOf(bytes, charactersOf(bytes));
  const places = [...letters.flatMap((letter, at) => Array(letter.length).fill(at)), bytes.length]; // of each code unit
  for (const { segment, index } of cut(letters.join(""), "word")) {
    if (HAN_OR_KANA.test(segment)) yield [places[index], places[index + segment.length]];
  }
}

const LONGEST_CHARACTER = 4; // bytes of UTF-8

/** A text without the character that its end cuts, and that more bytes could complete. @param {Uint8Array} bytes */
function inCharacters(bytes) {
  const end = bytes.subarray(-LONGEST_CHARACTER), sizes = charactersOf(end), last = sizes.findLastIndex(Boolean);
  const isCut = last >= 0 && sizes[last] !== BROKEN && last + sizes[last] > end.length;
  return isCut ? bytes.subarray(0, bytes.length - end.length + last) : bytes;
}

/**
 * The whole words from byte `begin` on: float32 [W, 3], first byte, the byte after the word, and 1 if it is known.
 * @param {Uint8Array} bytes @param {Set<string>} known words, in small letters @param {boolean} isHan
 */
export function wordsOf(bytes, begin, known, isHan) {
  const decoder = new TextDecoder(), rows = [], text = inCharacters(bytes); // a word before half a character may go on
  for (const [start, end] of isHan ? inHanOrKana(text) : inLetters(text)) {
    if (start < begin || end >= text.length) continue;
    rows.push(start, end, Number(known.has(decoder.decode(bytes.subarray(start, end)).toLowerCase())));
  }
  return Float32Array.from(rows);
}
