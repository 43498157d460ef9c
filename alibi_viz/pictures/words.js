// A text of the reader: its words as ICU's rules cut them, and a vector for each. Python cuts and draws the same
// (content/words.py); no page, no drawing.

const SPREAD = 16, FIRST = 2; // as content/words.py has them, and the numbers below
const FNV_BASIS = 0x811c9dc5, FNV_PRIME = 0x01000193, GOLDEN = 0x9e3779b9;
const SCALE = Math.sqrt(3 / 0xffffffff); // of four numbers of 16 bits to a variance of 1
export const ATTRACTION = 2; // score of a word with itself, as in content/synthetic.py

const BLANKS = /(?:[^\S\ufeff]|\p{Cc})+/gu; // as Python knows them, and control characters, which an address loses
const UNSEEN = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g; // signs of no width
/** Scripts without blanks between words, which a dictionary cuts: those of browsers differ. */
const BY_DICTIONARY =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const WIDEST = 512; // numbers of a vector, as in pages/attention/page.py
const ENCODER = new TextEncoder();

/** What ICU's rules cut a text into, and where each piece begins. @param {"word" | "grapheme"} granularity */
export const cut = (text, granularity) => [
  ...new Intl.Segmenter("en", { granularity }).segment(text.toWellFormed()),
];

/** Words and single signs of a text, or its characters, with a blank as “␣”; in order. @param {string} unit "words" or "characters" */
export function tokensOf(text, unit = "words") {
  const pieces = unit === "words" // not all browsers part letters at “.” and “:”
    ? cut(text, "word").flatMap(({ segment }) => segment.split(/(?<=\p{L})([.:])(?=\p{L})/u))
    : cut(text.replace(BLANKS, " ").replace(/^ | $/g, ""), "grapheme").map(({ segment }) =>
      segment === " " ? "␣" : segment
    );
  return pieces.map((piece) => piece.replace(BLANKS, "").replace(UNSEEN, "")).filter(Boolean);
}

/** Whether browsers may cut a text otherwise than Python. */
export const isByDictionary = (text) => BY_DICTIONARY.test(text);

/** The distinct ones of some words, and the number of each word among them. @param {string[]} words */
export function numbered(words) {
  const distinct = [...new Set(words)], numbers = new Map(distinct.map((word, number) => [word, number]));
  return { distinct, ids: words.map((word) => Number(numbers.get(word))) };
}

/** How many signs close a text after its last word, which is the first query. @param {string[]} tokens */
export function closingOf(tokens) {
  const last = tokens.findLastIndex((token) => !/^\p{P}/u.test(token));
  return last < 0 ? 0 : tokens.length - 1 - last;
}

/** The hash of a name from which its numbers come. */
function hashOf(name, seed) {
  let hash = FNV_BASIS ^ Math.imul(seed, GOLDEN);
  for (const byte of ENCODER.encode(name)) hash = Math.imul(hash ^ byte, FNV_PRIME);
  return hash;
}

/** The sum of the two numbers of 16 bits at a place. */
function drawnAt(hash, place) {
  let drawn = hash + Math.imul(GOLDEN, place);
  drawn = Math.imul(drawn ^ (drawn >>> 16), 0x21f0aaad);
  drawn = Math.imul(drawn ^ (drawn >>> 15), 0x735a2d97);
  drawn ^= drawn >>> 15;
  return (drawn >>> 16) + (drawn & 0xffff);
}

/** Numbers that belong to a name, from one of them on. @returns {Float32Array} standard normal */
export function normals(name, count, seed = 0, first = 0) {
  const hash = hashOf(name, seed);
  return Float32Array.from({ length: count }, (_, at) => {
    const place = 2 * (first + at);
    return (drawnAt(hash, place + 1) + drawnAt(hash, place + 2) - 2 * 0xffff) * SCALE;
  });
}

/** One random unit vector a word; capitals do not count. @param {string[]} tokens @returns {Float32Array[]} */
export function directions(tokens, width, seed = 0) {
  const table = new Map();
  return tokens.map((token) => {
    const word = token.toLowerCase();
    if (!table.has(word)) {
      const drawn = normals(word, Math.min(width, SPREAD), FIRST + seed);
      const length = Math.sqrt(drawn.reduce((sum, number) => sum + number * number, 0));
      table.set(word, drawn.map((number) => number / length));
    }
    return table.get(word);
  });
}

/** Content scores of words: ATTRACTION of a word with itself, and less with any other. @returns {Float32Array} [T, T] */
export function contentOf(tokens, width = SPREAD, seed = 0) {
  const units = directions(tokens, width, seed), content = new Float32Array(tokens.length ** 2);
  units.forEach((one, i) => units.forEach((other, j) => content[i * units.length + j] = ATTRACTION * dot(one, other)));
  return content;
}

/** @param {ArrayLike<number>} one @param {ArrayLike<number>} other */
export function dot(one, other) {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += one[at] * other[at];
  return sum;
}

/** @typedef {{ content: Float32Array | null, ids: number[], distinct: number }} Content */

/** What was computed last: not every hand changes the content. @type {{ key: string, content: Content }} */
let last = { key: "", content: { content: null, ids: [], distinct: 0 } };

/**
 * Content scores between the distinct words of a text in one head, as pages/attention/study.py has them.
 * @param {string[]} tokens @param {import("./hands/hands.js").Values} values of the page's hands
 * @returns {Content}
 */
export function contentOfHead(tokens, values) {
  const { content: kind } = values,
    [dim, seed, heads, kvHeads] = ["head_dim", "seed", "heads", "kv_heads"].map((key) => Number(values[key]));
  const head = Math.min(Number(values.head), heads) - 1;
  const key = JSON.stringify([kind, dim, seed, kind === "random" && [heads, head, kvHeads], tokens]);
  if (last.key === key) return last.content;
  const words = kind === "random" ? tokens : tokens.map((token) => token.toLowerCase());
  const { distinct, ids } = numbered(words), shared = Math.floor((head * (kvHeads || heads)) / heads);
  const content = kind === "equal"
    ? null
    : kind === "random"
    ? projected(distinct, { heads, dim, seed, head, shared })
    : contentOf(distinct, dim, seed);
  last = { key, content: { content, ids, distinct: distinct.length } };
  return last.content;
}

/** Scores of random vectors under random projections. */
function projected(words, { heads, dim, seed, head, shared }) {
  const width = Math.min(heads * dim, WIDEST), scale = Math.fround(Math.sqrt(width));
  const project = (name, at) => {
    const rows = Array.from(
      { length: width },
      (_, row) =>
        normals(`projection ${name}`, dim, seed, row * heads * dim + at * dim).map((number) => number / scale),
    );
    return words.map((word) => {
      const vector = normals(word, width, seed), made = new Float64Array(dim);
      rows.forEach((row, of) => row.forEach((number, column) => made[column] += vector[of] * number));
      return made;
    });
  };
  const queries = project("q", head), keys = project("k", shared);
  return Float32Array.from(queries.flatMap((query) => keys.map((key) => dot(query, key) / Math.sqrt(dim))));
}
