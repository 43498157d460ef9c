// Texts without a page: known words, characters, templates, the way they run.

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

/**
 * A text in stretches that look alike: it is cut at some bytes, and where an unknown word begins and ends.
 * @param {ArrayLike<number>} words as above @param {number[]} cuts
 */
export function stretchesOf(words, cuts, from, to) {
  const unknown = new Map(), edges = new Set([from, to, ...cuts]); // unknown: where such a word begins: where it ends
  for (let at = 0; at < words.length; at += 3) {
    if (words[at + 2]) continue;
    unknown.set(words[at], words[at + 1]);
    edges.add(words[at]).add(words[at + 1]);
  }
  let after = 0; // the unknown word that a stretch is in
  const ordered = [...edges].sort((a, b) => a - b),
    stretches = ordered.slice(0, -1).map((start, at) => {
      after = unknown.get(start) ?? after;
      return { start, end: ordered[at + 1], isUnknown: start < after };
    });
  return stretches.filter(({ start, end }) => start >= from && end <= to);
}

export const BROKEN = 255; // of a byte that is no UTF-8

/**
 * The characters that stand in bytes `from` to `to` - 1: their number, their bytes, and those with the bytes that are no UTF-8.
 * @param {ArrayLike<number>} characters of each byte how many the character takes that begins there; 0 inside one
 */
export function countCharacters(characters, from, to) {
  let count = 0, whole = 0, all = 0;
  for (let at = from; at < Math.min(to, characters.length); at += 1) {
    const size = characters[at], taken = size === BROKEN ? 1 : size;
    if (!size || at + taken > Math.min(to, characters.length)) continue;
    all += taken;
    if (size === BROKEN) continue;
    whole += taken;
    count += 1;
  }
  return { count, whole, all };
}

const DECODER = new TextDecoder();

/**
 * What each byte shows: the character that begins there, nothing inside one, and its sign where it has no shape.
 * @param {ArrayLike<number>} text @param {ArrayLike<number>} characters as above
 */
export function lettersOf(text, characters) {
  const bytes = Uint8Array.from(text);
  return Array.from(bytes, (byte, at) => {
    const size = characters[at];
    if (size === BROKEN) return "\uFFFD";
    if (!size || at + size > bytes.length) return ""; // a character of which a part is missing waits
    if (byte < 0x20 && !"\t\n\r".includes(String.fromCharCode(byte))) return String.fromCharCode(0x2400 + byte);
    return DECODER.decode(bytes.subarray(at, at + size)).replace(/[\x7f-\x9f]/, "\uFFFD");
  });
}

/** A short label for each byte, as Python has it. */
export const labelsOf = (text) =>
  Array.from(text, (byte) => {
    const special = { 10: "⏎", 32: "␣" }[byte];
    return special ??
      (byte > 32 && byte < 127 ? String.fromCharCode(byte) : byte.toString(16).toUpperCase().padStart(2, "0"));
  });

/** Split a template into [text, name] pieces, name "" but for values; `lookup` gives each {name}, undefined leaves it as it stands. */
export function fillTemplate(template, lookup) {
  return template.split(/(\{\w+\})/).filter(Boolean).map((piece) => {
    const name = /^\{(\w+)\}$/.exec(piece)?.[1] ?? "", value = name ? lookup(name) : undefined;
    return value === undefined ? [piece, ""] : [value, name];
  });
}

/** A template with its values, as one text. */
export const filled = (template, lookup) => fillTemplate(template, lookup).map(([text]) => text).join("");

/** A list, by what a language puts between two items: “{first}, {second}”. @param {string[]} items @param {string} pair */
export const joined = (items, pair) =>
  items.length ? items.reduce((first, second) => filled(pair, (name) => ({ first, second })[name])) : "";

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Whether a text runs from right to left: its first letter says so, as for `dir="auto"`. */
export const runsLeft = (text) => RIGHT_TO_LEFT.test(/\p{L}/u.exec(text)?.[0] ?? "");

/** A long label with an ellipsis in place of its end. */
export function shorten(text, most) {
  const letters = Array.from(text);
  return letters.length <= most ? text : letters.slice(0, most - 1).join("") + "…";
}
