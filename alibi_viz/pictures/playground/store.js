// What the playground shows: the sentence, what the hands say of it, and the arithmetic of ALiBi's bias. No page, no drawing.

import { formatSlope, settable, slopeOf, softmax } from "../attention.js";
import { runsLeft } from "../text.js";
import { clamp, formatNumber } from "../shared.js";
import { closingOf, contentOf, numbered } from "../words.js";

/** @import { Values } from "../hands/hands.js" */

const LONGEST = 1024; // words in all
const TIMES = 16; // the text is pulled to at most so many times its length
const SNAP = 0.06; // octaves around the rule's slope, and around a whole number of lengths, in which a hand lands on it

/** The sentence, and what follows from it and from the hands (message.py). Positions count from 0; the query reads the keys up to itself. */
export class Store {
  /** @type {string[]} the text's own words */ words = ["", ""];
  /** @type {number[]} of each the row of `table` */ ids = [0, 0];
  /** @type {Float32Array} content scores between distinct words */ table = new Float32Array(1);
  distinct = 1;
  closing = 0; // signs after the text's last word, which is the first query
  /** @type {number | null} the key that is pointed at */ cursor = null;
  /** @type {number | null} a query that is only pointed at */ peek = null;
  isLeftward = false; // the words run from right to left
  fade = 1; // while the bias comes on, at the very beginning

  /** @param {{ values: Values, set: (values: Values) => void }} hands */
  constructor(hands) {
    this.hands = hands;
  }

  /** The words of the text; nothing where they are the same. @param {string[]} words */
  setWords(words) {
    if (words === this.words) return;
    const { distinct, ids } = numbered(words.map((word) => word.toLowerCase()));
    Object.assign(this, { words, ids, distinct: distinct.length, table: contentOf(distinct) });
    Object.assign(this, { closing: closingOf(words), isLeftward: runsLeft(words.join(" ")) });
    this.point(null);
  }

  get heads() {
    return Number(this.hands.values.heads);
  }
  get head() {
    return Number(this.hands.values.head);
  }
  get strength() {
    return Number(this.hands.values.strength);
  }
  /** Lengths of the text. */
  get times() {
    return Number(this.hands.values.ratio);
  }
  /** Words after the query. */
  get back() {
    const query = Number(this.hands.values.query);
    return query < 0 ? this.closing : query;
  }

  /** The slopes that are not the rule's, by head, as “2:0.083, 5:0.1” says them. @returns {Map<number, number>} */
  get bent() {
    const entries = String(this.hands.values.slopes).split(",").filter(Boolean);
    return new Map(entries.map((entry) => /** @type {[number, number]} */ (entry.split(":").map(Number))));
  }

  get length() {
    return this.words.length;
  }
  get most() {
    return Math.max(1, Math.min(TIMES, LONGEST / this.length));
  }
  get count() {
    return clamp(Math.round(this.length * this.times), this.length, LONGEST);
  }
  get query() {
    return this.peek ?? Math.max(0, this.count - 1 - this.back);
  }

  /** Earlier words are added at the front, so the text's last word stays the last. */
  at(i) {
    return this.length - 1 - ((this.count - 1 - i) % this.length);
  }
  word(i) {
    return this.words[this.at(i)];
  }
  content(i, j) {
    return this.table[this.ids[this.at(i)] * this.distinct + this.ids[this.at(j)]];
  }

  rule(head = this.head) {
    return slopeOf(head, this.heads);
  }
  slope(head = this.head) {
    return this.bent.get(head) ?? this.rule(head);
  }
  /** The chosen slope as it acts: “1/4”, and with another strength of ALiBi “2 × 1/4”. */
  get slopeText() {
    const slope = formatSlope(this.slope(), true);
    return this.strength === 1 ? slope : `${formatNumber(this.strength)} × ${slope}`;
  }
  isBent(head = this.head) {
    return this.bent.has(head);
  }
  /** What a step of distance takes from a score. */
  rate(head = this.head) {
    return this.slope(head) * this.strength * this.fade;
  }

  /** The softmax of a query's row for such a rate: [query + 1]. */
  weights(query = this.query, rate = this.rate()) {
    const { ids, table, length } = this, row = new Float64Array(query + 1), from = ids[this.at(query)] * this.distinct;
    let word = this.at(0);
    for (let j = 0; j <= query; j += 1) {
      row[j] = table[from + ids[word]] - rate * (query - j);
      word = word + 1 === length ? 0 : word + 1;
    }
    return softmax(row);
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
  point(key, query = null) {
    Object.assign(this, { cursor: key, peek: query });
  }

  setQuery(i) {
    this.peek = null;
    this.setBack(this.count - 1 - clamp(i, 0, this.count - 1));
  }

  setBack(back) {
    this.hands.set({ query: back === this.closing ? -1 : back });
  }

  setHead(head) {
    this.hands.set({ head: clamp(head, 1, this.heads) });
  }

  /** Lengths of the text; of a hand, on a whole power of two if near. The query keeps its place from the end. */
  setTimes(times, snap = SNAP) {
    const whole = 2 ** Math.round(Math.log2(times));
    const landed = Math.abs(Math.log2(times / whole)) < snap ? whole : times;
    this.hands.set({ ratio: clamp(Math.round(1e4 * landed) / 1e4, 1, this.most) });
    this.setBack(Math.min(this.back, this.count - 1));
    this.point(null);
  }

  /** A slope for the chosen head; the rule's own if near. At strength 0 every slope would give the same line. */
  bend(slope, snap = SNAP) {
    const { bent } = this, to = settable(slope);
    bent.delete(this.head);
    if (Math.abs(Math.log2(to / this.rule())) >= snap) bent.set(this.head, Number(to.toPrecision(6)));
    const written = [...bent].sort(([a], [b]) => a - b).map((entry) => entry.join(":"));
    this.hands.set({ slopes: written.join(", "), strength: this.strength || 1 });
  }

  reset() {
    this.hands.set({ slopes: "", head: Math.min(2, this.heads), strength: 1, query: -1, ratio: 1 });
    this.point(null);
  }

  get isChanged() {
    return this.bent.size > 0 || this.strength !== 1 || this.back !== this.closing || this.times !== 1;
  }
}
