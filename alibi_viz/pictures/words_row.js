// A row of words with the arcs of one query over them, as thick as its weights: in the playground, and in After ALiBi.

import { arc, drawRing, fitted, Labels, percent, scaleOf, setFont, STACKED, write } from "./plot.js";
import { clamp } from "./shared.js";

const WORDS_MOST = 24; // of a text that is shown word by word
const ROUND = 8; // pixels above the curves' top
const GAP = 9; // pixels between two words
const LEAST = 0.001; // a weight below it is dotted: its line would be too thin to see
const THIN = 0.6; // pixels: a thinner line is paler instead
const BEHIND = 0.25; // of its width: an arc of the weights without ALiBi, which is thin and behind
const APART = 6; // pixels between the words of two dotted arcs: closer ones could not be told apart, and take long to draw
const LEVELS = 12; // of width in an octave, so that the arcs of a long text are few strokes
const RING = 2.5; // pixels: the line around the query
const LETTERS = 0.9; // of the size of the type: half of its height, and what the letters of the next line take of theirs
const CLEAR = 15; // pixels around the query that are enough
const LONGEST_NAME = 140; // pixels: of a name between ticks
const NAMED = 10; // of the strongest words that keep their names between ticks

/**
 * @typedef {{ words: string[], word: (i: number) => string, count: number, length: number, times: number, most: number,
 *   query: number, key: () => number, cursor: object | null, isLeftward: boolean }} WordRow words: of the text itself, `length`
 *   of them; `count` are drawn. word: at a place, also of a text that was pulled. times: how far it is pulled; most: how far it
 *   can be, 1: it has no rail
 * @typedef {{ row: ArrayLike<number>, lands: Float64Array, colour: string, query: number, full: number, cap: number }} Arcs of
 *   one query: its weights; where each arc ends; pixels of an arc with all of the weight, and of the widest
 */

/**
 * Sizes of the type and the rows, for a screen.
 * @param {{ width: number, tall: number, small: boolean, large: boolean }} screen tall: pixels that the hero may take
 */
export function sizesFor({ width, tall, small, large }) {
  const type = large ? 22 : small ? 13 : 17, note = large ? 18 : small ? 12 : 13;
  const edge = small ? 6 : 16, beside = large ? 200 : small ? 96 : 184; // beside the last word: the rail and the finding
  return { width, tall, small, large, type, note, edge, beside };
}

/**
 * The places for a row of words. `widthOf` measures a word in the type of the sizes.
 * @param {WordRow} wordRow @param {ReturnType<typeof sizesFor>} sizes @param {(word: string) => number} widthOf
 */
export function layOutRow(wordRow, sizes, widthOf) {
  const { width, tall, small, type, note, edge, beside } = sizes, { count, length } = wordRow;
  const left = edge, gap = small ? 24 : 34; // between the text and its rail
  const rest = width - beside, to = width - (small ? 14 : 22); // the right end of the text while it is not pulled; and of the rail
  const pulled = scaleOf({ low: 1, high: Math.max(2, wordRow.most), log: true }, rest + gap, to);
  const end = pulled.to(wordRow.most > 1 ? wordRow.times : 1) - gap;
  const pitch = (end - left) / count, atRest = (rest - left) / length;
  const wide = wordRow.words.slice(0, WORDS_MOST).map(widthOf), widest = Math.max(...wide);
  // A long word may stand over the place of a short one beside it. In a pulled text the first word follows the last.
  const fits = (each, isPulled) => {
    const pairs = wide.map((one, i) => one + (wide[i + 1] ?? (isPulled ? wide[0] : 0)));
    const ends = Math.max(wide[0], wide[wide.length - 1]);
    return length <= WORDS_MOST && Math.max(...pairs) / 2 + GAP <= each && ends <= each + edge;
  };
  const flat = fits(pitch, count > length);
  const upright = !flat && length <= WORDS_MOST && pitch >= type + 1;
  const ticks = !flat && !upright;
  // A row as high as upright words need where the text itself stands upright, so that pulling it moves nothing.
  const standing = length <= WORDS_MOST && !fits(atRest, true);
  const row = standing ? clamp(widest + 18, type + 24, small ? 70 : 96) : type + 24;
  const axis = note + 8, room = tall - row - axis;
  const arcs = Math.round(room * 0.54), top = arcs + row + 4, bottom = tall - axis;
  const x = (i) => left + (i + 0.5) * pitch, at = (px) => clamp(Math.floor((px - left) / pitch), 0, count - 1);
  const { to: height, from: share } = scaleOf({ low: 0, high: 1 }, bottom, top + ROUND);
  const middle = arcs + (standing && upright ? 8 : row / 2), times = (px) => clamp(pulled.from(px), 1, wordRow.most);
  const rail = { y: arcs + (standing ? 18 : row / 2), x: end + gap, to, of: pulled.to, times };
  const edges = { left, end, rest, arcs, top, bottom, middle }, look = { flat, upright, ticks, row, pitch };
  return { ...sizes, ...edges, ...look, x, at, height, share, rail };
}

/** How wide an arc is for its weight: proportional, up to a cap that is marked. `share`: of that width. */
const widthsOf = (places, share = 1) => ({
  full: share * (places.full ?? (places.large ? 104 : places.small ? 52 : 76)),
  cap: Math.max(3, places.pitch * 0.9),
});

/**
 * places.full, places.behind: other widths than the usual ones, of an arc with all of the weight, and of one without the bias.
 * places.isPlain: there are no dotted arcs. @param {WordRow} wordRow
 */
export function drawArcs(ctx, wordRow, places, ink, row, plain) {
  const { query } = wordRow, chosen = wordRow.key(), shared = { query, lands: landings(wordRow, places, row) };
  /** @type {Arcs} */
  const without = { ...shared, row: plain, colour: ink.quiet, ...widthsOf(places, places.behind ?? BEHIND) };
  /** @type {Arcs} */
  const arcs = { ...shared, row, colour: ink.accent, ...widthsOf(places) };
  ctx.lineCap = "butt";
  drawFamily(ctx, places, without, places.ticks ? 0.5 : 0.8);
  drawFamily(ctx, places, arcs, 1);
  if (chosen < query) {
    ctx.globalAlpha = 0.75;
    stroke(ctx, places, [chosen], without, 1.2);
    ctx.globalAlpha = 1;
    stroke(ctx, places, [chosen], arcs, 1.4);
    if (wordRow.cursor !== null && places.x(query) - places.x(chosen) > 40) {
      drawTag(ctx, wordRow, places, ink, chosen, row, percent(row[chosen]));
    }
  }
}

/** Where each arc ends at the query: side by side, the nearest first. */
function landings(wordRow, places, row) {
  const { query } = wordRow, spread = Math.min(places.pitch * 0.7, 26), lands = new Float64Array(query);
  const rest = 1 - row[query] || 1;
  let before = 0;
  for (let j = query - 1; j >= 0; j -= 1) {
    lands[j] = places.x(query) - spread / 2 + spread * ((before + row[j] / 2) / rest);
    before += row[j];
  }
  return lands;
}

/** Arcs of equal width are one stroke. @param {Arcs} arcs */
function drawFamily(ctx, places, arcs, strength) {
  const groups = new Map(), { query, row } = arcs, every = Math.max(1, Math.ceil(APART / places.pitch));
  for (let j = 0; j < query; j += 1) {
    const level = row[j] < LEAST ? null : Math.round(LEVELS * Math.log2(row[j]));
    if (level === null && j % every) continue;
    if (!groups.has(level)) groups.set(level, []);
    groups.get(level).push(j);
  }
  for (const [level, keys] of groups) {
    const weight = level === null ? 0 : 2 ** (level / LEVELS), wide = weight * arcs.full;
    const faint = 0.3 * clamp(places.pitch / 24, 0.1, 1); // a thousand dotted lines would be a surface
    ctx.globalAlpha = strength *
      (level === null ? faint : clamp(wide / THIN, 0.16, 1) * (0.4 + 0.6 * Math.sqrt(Math.min(1, 2 * weight))));
    stroke(ctx, places, keys, arcs, THIN);
  }
  ctx.globalAlpha = 1;
}

/** @param {Arcs} arcs @param {number} least pixels of the line */
function stroke(ctx, places, keys, arcs, least) {
  const { row, lands, colour, query, full, cap } = arcs, weight = row[keys[0]], wide = weight * full;
  if (weight < LEAST && places.isPlain) return;
  Object.assign(ctx, { strokeStyle: colour, lineWidth: clamp(wide, least, cap) });
  ctx.setLineDash(weight < LEAST ? [1, 4] : []);
  ctx.beginPath();
  for (const j of keys) arc(ctx, lands[j], places.x(j), places.arcs, heightOf(places, query - j, query));
  ctx.stroke();
  ctx.setLineDash([]);
  if (wide <= cap) return;
  const alpha = ctx.globalAlpha; // thinner than its share: a line in the middle says so
  Object.assign(ctx, { strokeStyle: "#ffffff", lineWidth: 1.2, globalAlpha: 0.9 });
  ctx.stroke();
  ctx.globalAlpha = alpha;
}

/** The height of an arc: near ones stay apart, the farthest fills its room. */
function heightOf(places, distance, farthest) {
  const top = places.arcs - (places.large ? 50 : 10), power = 0.48 + 0.24 * Math.min(1, places.pitch / 30);
  const flat = 0.45 + 0.55 * ((farthest * places.pitch) / (places.rest - places.left));
  return Math.min(top, top * (0.1 + 0.9 * (distance / Math.max(1, farthest)) ** power) * Math.min(1, flat));
}

/** A text on top of a key's arc. @param {WordRow} wordRow */
export function drawTag(ctx, wordRow, places, ink, key, row, text) {
  const { query } = wordRow, x = (landings(wordRow, places, row)[key] + places.x(key)) / 2;
  const y = Math.max(12, places.arcs - heightOf(places, query - key, query));
  write(ctx, ink, text, x, y, { colour: ink.accent, size: places.note + 1, weight: 700, align: "center" });
}

/**
 * The words; where there is no room, ticks as high as their weight, and the names that fit. places.drop: pixels by which every
 * second word stands lower. places.isPlain: the query has no ring. @param {WordRow} wordRow
 */
export function drawWords(ctx, wordRow, places, ink, row, plain) {
  const { query, count } = wordRow, key = wordRow.key(), top = Math.max(0, ...row.subarray(0, query));
  const named = places.ticks ? namesThatFit(ctx, wordRow, places, ink, row) : null;
  for (let i = 0; i < count; i += 1) {
    const share = i < query ? Math.sqrt(row[i] / (top || 1)) : 0;
    if (!named || named.names.has(i)) {
      drawWord(ctx, wordRow, places, ink, i, share, i === key && key !== query, row, plain);
    } else if (named.labels.isFree(places.x(i), 0, 0, 1)) {
      drawTick(ctx, places, ink, i, i > query ? 0 : share, i > query);
    }
  }
  ctx.globalAlpha = 1;
}

/**
 * The query's weight on itself: so much of the way around its word; and in grey without the bias, where there is room for two.
 * room: pixels between the box and the word beside it.
 */
function drawOwnWeight(ctx, x, y, wide, high, weight, plain, ink, room) {
  const inner = Math.min(3.5, room - RING / 2), outer = Math.min(7.5, room - RING / 2);
  const rings = /** @type {[number, number, string][]} */ ([[inner, weight, ink.accent], [outer, plain, ink.quiet]]);
  for (const [off, share, colour] of outer - inner < RING ? rings.slice(0, 1) : rings) {
    drawRing(ctx, x - off, y - off, wide + 2 * off, high + 2 * off, 7 + off, share, colour, RING);
  }
}

function drawTick(ctx, places, ink, i, share, ahead) {
  const high = 4 + 12 * share, half = Math.min(1, places.pitch * 0.3);
  ctx.globalAlpha = ahead ? 0.25 : 0.45 + 0.55 * share;
  ctx.fillStyle = ink.text;
  ctx.fillRect(places.x(i) - half, places.middle + 8 - high, 2 * half, high);
}

function drawWord(ctx, wordRow, places, ink, i, share, pointed, row, plain) {
  const { query } = wordRow, isQuery = i === query, high = places.type;
  setFont(ctx, ink, isQuery || pointed ? 700 : 500, high);
  const word = nameOf(ctx, wordRow, places, i), wide = ctx.measureText(word).width;
  const stacked = places.upright && STACKED.test(word), turned = places.upright && !stacked;
  ctx.save();
  ctx.translate(places.ticks ? nameAt(places, i, wide) : places.x(i), places.middle + (i % 2) * (places.drop ?? 0));
  if (wordRow.isLeftward) {
    ctx.scale(-1, 1); // letters are not mirrored
    ctx.direction = "rtl";
  }
  if (turned) ctx.rotate(-Math.PI / 2);
  Object.assign(ctx, { textBaseline: "middle", textAlign: turned ? "right" : "center" });
  ctx.globalAlpha = 1;
  if (isQuery) {
    ctx.fillStyle = ink.query;
    const free = roomBeside(ctx, wordRow, places, wide), pad = clamp(free - RING - 0.5, 0.5, places.upright ? 3 : 6);
    /** @type {[number, number, number, number]} */
    const box = turned
      ? [-wide - 6, -high / 2 - pad, wide + 12, high + 2 * pad]
      : stacked
      ? [-high / 2 - pad, -6, high + 2 * pad, wide + 12]
      : [-wide / 2 - pad, -high / 2 - 4, wide + 2 * pad, high + 9];
    ctx.beginPath();
    ctx.roundRect(...box, 6);
    ctx.fill();
    if (wordRow.count > 1 && !places.isPlain) drawOwnWeight(ctx, ...box, row[i], plain[i], ink, free - pad);
    ctx.fillStyle = ink.over;
  } else {
    ctx.globalAlpha = i > query ? 0.35 : pointed ? 1 : 0.66 + 0.34 * share; // the palest still has a contrast of 4.5 : 1
    ctx.fillStyle = ink.text;
  }
  if (stacked) [...word].forEach((letter, at) => ctx.fillText(letter, 0, (at + 0.5) * high));
  else ctx.fillText(word, 0, 0);
  if (pointed && turned) ctx.fillRect(-wide, high / 2 + 1, wide, 1.5);
  else if (pointed && stacked) ctx.fillRect(high / 2 + 1, 0, 1.5, wide);
  else if (pointed) ctx.fillRect(-wide / 2, high / 2 + 4, wide, 1.5);
  ctx.restore();
}

/** A word as far as it has room: an upright one does not reach the curves. */
const nameOf = (ctx, wordRow, places, i) =>
  fitted(ctx, wordRow.word(i), places.flat ? Infinity : places.upright ? places.row - 18 : LONGEST_NAME);

/** Pixels between the query's letters and those of the words beside it: its box and its ring must not cover them. */
function roomBeside(ctx, wordRow, places, wide) {
  const { query, count } = wordRow, { type, pitch } = places, next = places.drop ? 2 : 1;
  if (places.ticks) return CLEAR;
  if (places.upright) return pitch - LETTERS * type;
  const words = [query - next, query + next].filter((i) => i >= 0 && i < count).map(wordRow.word, wordRow);
  const beside = words.map((word) => ctx.measureText(word).width);
  return Math.min(CLEAR, next * pitch - wide / 2 - Math.max(0, ...beside) / 2);
}

/** Where the middle of a name between ticks stands: over its tick, but neither outside nor under the rail's grip. */
const nameAt = (places, i, wide) =>
  clamp(places.x(i), wide / 2 + 2, Math.max(wide / 2 + 2, places.rail.x - 24 - wide / 2));

/** The query, the key, the strongest words and the first: those that stand apart. */
function namesThatFit(ctx, wordRow, places, ink, row) {
  const { query } = wordRow, labels = new Labels(), names = new Set();
  const put = (i) => {
    setFont(ctx, ink, i === query ? 700 : 500, places.type);
    const wide = ctx.measureText(nameOf(ctx, wordRow, places, i)).width;
    if (labels.take(nameAt(places, i, wide), 0, wide + (i === query ? 18 : 8), 1)) names.add(i);
  };
  const strongest = Array.from(row.keys()).filter((j) => row[j] > 0.012).sort((a, b) => row[b] - row[a]);
  for (const i of [query, wordRow.key(), ...strongest.slice(0, NAMED), 0]) put(i);
  return { labels, names };
}
