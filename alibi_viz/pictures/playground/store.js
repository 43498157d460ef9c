// The playground's state, and the arithmetic of ALiBi's bias on it. No page, no drawing.

import { settable } from "../grip.js";
import { slopes } from "../core.js";
import { clamp } from "../shared.js";

/**
 * @import { Message as Sent } from "./message.d.ts"
 * @import { Numbers } from "../core.js"
 * @import { Values } from "../hands/hands.js"
 * @import { Line } from "./lines.js"
 * @typedef {Omit<Sent, "vectors" | "rows" | "plain" | "matrix" | "lines"> & { vectors: Numbers, rows: Numbers, plain: Numbers,
 *   matrix: Numbers | null, lines: Line[] }} Message
 */

const LONGEST = 1024; // words in all
const TIMES = 16; // the text is pulled to at most so many times its length
const NEAREST = 3; // words of which the finding speaks
const SNAP = 0.06; // octaves around the rule's slope, and around a whole number of lengths, in which a hand lands on it
const UNDOABLE = 100;

/** What the reader has chosen, and all that follows from it. Positions are counted from 0; the query reads the keys up to itself. */
export class Store {
  /** @type {string[]} the text's own words */ words = ["", ""];
  /** @type {Uint16Array} */ ids = new Uint16Array(2);
  /** @type {Float64Array} content scores between distinct words */ table = new Float64Array(1);
  distinct = 1;
  /** @type {Record<number, number>} the chosen head of each number of heads, from 1 */ chosen = {};
  /** @type {Record<string, number>} "heads:head" -> a slope that is not the rule's */ bent = {};
  /** @type {Record<string, number>[]} */ past = [];
  heads = 8;
  strength = 1;
  back = 0; // words after the query
  closing = 0; // signs after the text's last word, which is the first query
  times = 1; // lengths of the text
  /** @type {number | null} the key that is pointed at */ cursor = null;
  /** @type {number | null} a query that is only pointed at */ peek = null;
  fade = 1; // while the bias comes on, at the very beginning

  /** The words, and a vector for each distinct one: [U, d], so that equal words score 2. */
  setWords(words, ids, vectors, closing = 0) {
    const [count, width] = vectors.shape;
    Object.assign(this, { words, ids, closing, distinct: count, table: new Float64Array(count * count) });
    for (let a = 0; a < count; a += 1) {
      for (let b = 0; b < count; b += 1) {
        let sum = 0;
        for (let at = 0; at < width; at += 1) sum += vectors[a * width + at] * vectors[b * width + at];
        this.table[a * count + b] = sum / Math.sqrt(width);
      }
    }
    this.point(null);
  }

  /** What the hands say, under their keys in the address. @param {Values} values */
  take({ heads, head, strength, slopes: written, query, ratio }) {
    this.heads = Number(heads);
    const others = Object.entries(this.bent).filter(([name]) => !this.isOfThese(name));
    const entries = String(written).split(",").filter(Boolean).map((entry) => entry.split(":").map(Number));
    this.bent = Object.fromEntries([...others, ...entries.map(([at, slope]) => [`${heads}:${at}`, slope])]);
    Object.assign(this, { strength, back: Number(query) < 0 ? this.closing : query, times: ratio });
    this.chosen[this.heads] = Number(head);
  }

  /** The same, of what the store says. @returns {Values} */
  values() {
    const own = Object.entries(this.bent).filter(([name]) => this.isOfThese(name));
    const written = own.map(([name, slope]) => [Number(name.split(":")[1]), Number(slope.toPrecision(6))]).sort(([a], [b]) => a - b);
    return {
      heads: String(this.heads), head: this.head, strength: this.strength, slopes: written.map((entry) => entry.join(":")).join(", "),
      query: this.back === this.closing ? -1 : this.back, ratio: this.times,
    };
  }

  /** Whether a bent slope is of this number of heads. */
  isOfThese(name) { return name.startsWith(`${this.heads}:`); }

  get length() { return this.words.length; }
  get most() { return Math.max(1, Math.min(TIMES, LONGEST / this.length)); }
  get count() { return clamp(Math.round(this.length * this.times), this.length, LONGEST); }
  get query() { return this.peek ?? Math.max(0, this.count - 1 - this.back); }
  get head() { return this.chosen[this.heads] ?? Math.min(2, this.heads); } // the first is the steepest; a middle one shows most

  /** Earlier words are added at the front, so the text's last word stays the last. */
  at(i) { return this.length - 1 - ((this.count - 1 - i) % this.length); }
  word(i) { return this.words[this.at(i)]; }
  content(i, j) { return this.table[this.ids[this.at(i)] * this.distinct + this.ids[this.at(j)]]; }

  rule(head = this.head) { return slopes(this.heads)[head - 1]; }
  slope(head = this.head) { return this.bent[`${this.heads}:${head}`] ?? this.rule(head); }
  isBent(head = this.head) { return `${this.heads}:${head}` in this.bent; }
  /** What a step of distance takes from a score. */
  rate(head = this.head) { return this.slope(head) * this.strength * this.fade; }

  /** The softmax of a query's row for such a rate: [query + 1]. */
  weights(query = this.query, rate = this.rate()) {
    const { ids, table, length } = this, row = new Float64Array(query + 1), from = ids[this.at(query)] * this.distinct;
    let top = -Infinity, sum = 0, word = this.at(0);
    for (let j = 0; j <= query; j += 1) {
      row[j] = table[from + ids[word]] - rate * (query - j);
      if (row[j] > top) top = row[j];
      word = word + 1 === length ? 0 : word + 1;
    }
    for (let j = 0; j <= query; j += 1) sum += row[j] = Math.exp(row[j] - top);
    for (let j = 0; j <= query; j += 1) row[j] /= sum;
    return row;
  }

  /** The key of which the page speaks: the one pointed at, else the best match that is not a neighbour. */
  key() {
    const { query, cursor } = this;
    if (cursor !== null && cursor <= query) return cursor;
    let best = Math.max(0, query - 3), top = -Infinity;
    for (let j = query - 2; j >= Math.max(0, query - this.length); j -= 1) {
      const score = this.content(query, j);
      if (score > top + 1e-9) [top, best] = [score, j];
    }
    return best;
  }

  /** @param {number | null} key @param {number | null} query */
  point(key, query = null) { Object.assign(this, { cursor: key, peek: query }); }

  setQuery(i) {
    this.back = this.count - 1 - clamp(i, 0, this.count - 1);
    this.peek = null;
  }

  setHead(head) { this.chosen[this.heads] = clamp(head, 1, this.heads); }

  /** Lengths of the text; of a hand, on a whole power of two if near. The query keeps its place from the end. */
  setTimes(times, snap = SNAP) {
    const whole = 2 ** Math.round(Math.log2(times));
    const landed = Math.abs(Math.log2(times / whole)) < snap ? whole : times;
    this.times = clamp(Math.round(1e4 * landed) / 1e4, 1, this.most);
    this.back = Math.min(this.back, this.count - 1);
    this.point(null);
  }

  /** A slope for the chosen head; the rule's own if near. */
  bend(slope, snap = SNAP) {
    const name = `${this.heads}:${this.head}`, to = settable(slope);
    if (Math.abs(Math.log2(to / this.rule())) < snap) delete this.bent[name];
    else this.bent[name] = to;
  }

  /** Remember the slopes, so that what follows can be taken back. */
  mark() {
    this.past.push({ ...this.bent });
    if (this.past.length > UNDOABLE) this.past.shift();
  }

  undo() {
    const before = this.past.pop();
    if (before) this.bent = before;
    return Boolean(before);
  }

  reset() {
    this.mark();
    Object.assign(this, { bent: {}, strength: 1, back: this.closing, times: 1, chosen: {} });
    this.point(null);
  }

  get isChanged() {
    return Object.keys(this.bent).some((name) => this.isOfThese(name)) || this.strength !== 1 || this.back !== this.closing || this.times !== 1;
  }
}

/** How many words before the query count as near: fewer than there are, where there are two. */
export const nearestTo = (query) => Math.max(1, Math.min(NEAREST, query - 1));

/** Of the weight on earlier words, the share on the nearest; NaN where there is no earlier word. */
export function nearShare(row, nearest = nearestTo(row.length - 1)) {
  let near = 0, all = 0;
  for (let j = row.length - 2; j >= 0; j -= 1) {
    all += row[j];
    if (row.length - 1 - j <= nearest) near += row[j];
  }
  return near / all;
}

/** Words after which a weight has halved, for equal content. */
export const halving = (rate) => Math.LN2 / rate;
