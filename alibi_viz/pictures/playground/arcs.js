// The arcs over the words, the words, and the rail at the end of the text.

import { setFont } from "../parts.js";
import { clamp } from "../shared.js";
import { drawGrip } from "../grip.js";
import { line, percent, write } from "./ink.js";

/** @import { Store } from "./store.js" */

const LEAST = 0.001; // a weight below it is dotted: its line would be too thin to see
const THIN = 0.6; // pixels: a thinner line is paler instead
const BEHIND = 0.25; // of its width: an arc of the weights without ALiBi, which is thin and behind
const APART = 6; // pixels between the words of two dotted arcs: closer ones could not be told apart, and take long to draw
const LEVELS = 12; // of width in an octave, so that the arcs of a long text are few strokes
const NAMED = 10; // of the strongest words that keep their names between ticks

/** How wide an arc is for its weight: proportional, up to a cap that is marked. `share`: of that width. */
const scaleOf = (places, share = 1) => ({ full: share * (places.large ? 104 : places.small ? 52 : 76), cap: Math.max(3, places.pitch * 0.9) });

/** @param {Store} store */
export function drawArcs(ctx, store, places, ink, row, plain) {
  const { query } = store, chosen = store.key(), lands = landings(store, places, row);
  ctx.lineCap = "butt";
  drawFamily(ctx, store, places, plain, lands, ink.quiet, places.ticks ? 0.5 : 0.8, scaleOf(places, BEHIND));
  drawFamily(ctx, store, places, row, lands, ink.accent, 1, scaleOf(places));
  if (chosen < query) {
    ctx.globalAlpha = 0.75;
    stroke(ctx, places, [chosen], plain, lands, ink.quiet, query, 1.2, scaleOf(places, BEHIND));
    ctx.globalAlpha = 1;
    stroke(ctx, places, [chosen], row, lands, ink.accent, query, 1.4, scaleOf(places));
    if (store.cursor !== null && places.x(query) - places.x(chosen) > 40) drawTag(ctx, places, chosen, query, row[chosen], lands, ink);
  }
}

/** Where each arc ends at the query: side by side, the nearest first. */
function landings(store, places, row) {
  const { query } = store, spread = Math.min(places.pitch * 0.7, 26), lands = new Float64Array(query);
  const rest = 1 - row[query] || 1;
  let before = 0;
  for (let j = query - 1; j >= 0; j -= 1) {
    lands[j] = places.x(query) - spread / 2 + spread * ((before + row[j] / 2) / rest);
    before += row[j];
  }
  return lands;
}

/** Arcs of equal width are one stroke. */
function drawFamily(ctx, store, places, row, lands, colour, strength, scale) {
  const groups = new Map(), { query } = store, every = Math.max(1, Math.ceil(APART / places.pitch));
  for (let j = 0; j < query; j += 1) {
    const level = row[j] < LEAST ? null : Math.round(LEVELS * Math.log2(row[j]));
    if (level === null && j % every) continue;
    if (!groups.has(level)) groups.set(level, []);
    groups.get(level).push(j);
  }
  for (const [level, keys] of groups) {
    const weight = level === null ? 0 : 2 ** (level / LEVELS), wide = weight * scale.full;
    const faint = 0.3 * clamp(places.pitch / 24, 0.1, 1); // a thousand dotted lines would be a surface
    ctx.globalAlpha = strength * (level === null ? faint : clamp(wide / THIN, 0.16, 1) * (0.4 + 0.6 * Math.sqrt(Math.min(1, 2 * weight))));
    stroke(ctx, places, keys, row, lands, colour, query, THIN, scale);
  }
  ctx.globalAlpha = 1;
}

function stroke(ctx, places, keys, row, lands, colour, query, least, { full, cap }) {
  const weight = row[keys[0]], wide = weight * full;
  Object.assign(ctx, { strokeStyle: colour, lineWidth: clamp(wide, least, cap) });
  ctx.setLineDash(weight < LEAST ? [1, 4] : []);
  ctx.beginPath();
  for (const j of keys) arc(ctx, places, lands[j], places.x(j), query - j, query);
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

function arc(ctx, places, from, to, distance, farthest) {
  const high = heightOf(places, distance, farthest), radius = (from - to) / 2, middle = to + radius, y = places.arcs, k = 0.5523;
  ctx.moveTo(from, y);
  ctx.bezierCurveTo(from, y - high * k * 1.1, middle + radius * k, y - high, middle, y - high);
  ctx.bezierCurveTo(middle - radius * k, y - high, to, y - high * k * 1.1, to, y);
}

function drawTag(ctx, places, key, query, weight, lands, ink) {
  const size = places.note + 1, text = percent(weight), x = (lands[key] + places.x(key)) / 2;
  const y = Math.max(12, places.arcs - heightOf(places, query - key, query));
  write(ctx, ink, text, x, y, { colour: ink.accent, size, weight: 700, align: "center" });
}

/** The words; where there is no room, ticks as high as their weight, and the names that fit. @param {Store} store */
export function drawWords(ctx, store, places, ink, row, plain) {
  const { query, count } = store, key = store.key(), named = places.ticks ? namesThatFit(ctx, store, places, ink, row) : null;
  let top = 0;
  for (let j = 0; j < query; j += 1) top = Math.max(top, row[j]);
  for (let i = 0; i < count; i += 1) {
    const share = i < query ? Math.sqrt(row[i] / (top || 1)) : 0;
    if (!named || named.shown.has(i)) drawWord(ctx, store, places, ink, i, share, i === key && key !== query, row, plain);
    else if (!named.taken.some(([from, to]) => places.x(i) > from && places.x(i) < to)) drawTick(ctx, places, ink, i, i > query ? 0 : share, i > query);
  }
  ctx.globalAlpha = 1;
}

/** The query's weight on itself: so much of the way around its word, and in grey without the bias. */
function drawRing(ctx, x, y, wide, high, weight, plain, ink) {
  const rings = /** @type {[number, number, string][]} */ ([[3.5, weight, ink.accent], [7.5, plain, ink.quiet]]);
  for (const [off, share, colour] of rings) {
    const [w, h, r] = [wide + 2 * off, high + 2 * off, 7 + off], around = 2 * (w + h) - 8 * r + 2 * Math.PI * r;
    Object.assign(ctx, { strokeStyle: colour, lineWidth: 2.5 });
    ctx.setLineDash([share * around, around]);
    ctx.beginPath();
    ctx.roundRect(x - off, y - off, w, h, r);
    ctx.stroke();
  }
  ctx.setLineDash([]);
}

function drawTick(ctx, places, ink, i, share, ahead) {
  const high = 4 + 12 * share;
  ctx.globalAlpha = ahead ? 0.25 : 0.45 + 0.55 * share;
  ctx.fillStyle = ink.text;
  ctx.fillRect(places.x(i) - Math.min(1, places.pitch * 0.3), places.middle + 8 - high, Math.min(2, places.pitch * 0.6), high);
}

function drawWord(ctx, store, places, ink, i, share, pointed, row, plain) {
  const { query } = store, word = store.word(i), isQuery = i === query, high = places.type;
  setFont(ctx, ink, isQuery || pointed ? 700 : 500, high);
  const wide = ctx.measureText(word).width, turned = places.upright;
  ctx.save();
  ctx.translate(places.ticks ? nameAt(places, i, wide) : places.x(i), places.middle);
  if (turned) ctx.rotate(-Math.PI / 2);
  Object.assign(ctx, { textBaseline: "middle", textAlign: turned ? "right" : "center" });
  ctx.globalAlpha = 1;
  if (isQuery) {
    ctx.fillStyle = ink.query;
    /** @type {[number, number, number, number]} */
    const box = turned ? [-wide - 6, -high / 2 - 3, wide + 12, high + 6] : [-wide / 2 - 6, -high / 2 - 4, wide + 12, high + 9];
    ctx.beginPath();
    ctx.roundRect(...box, 6);
    ctx.fill();
    if (store.count > 1) drawRing(ctx, ...box, row[i], plain[i], ink);
    ctx.fillStyle = ink.over;
  } else {
    ctx.globalAlpha = i > query ? 0.35 : pointed ? 1 : 0.66 + 0.34 * share; // the palest still has a contrast of 4.5 : 1
    ctx.fillStyle = ink.text;
  }
  ctx.fillText(word, 0, 0);
  if (pointed && turned) ctx.fillRect(-wide, high / 2 + 1, wide, 1.5);
  else if (pointed) ctx.fillRect(-wide / 2, high / 2 + 4, wide, 1.5);
  ctx.restore();
}

/** Where the middle of a name between ticks stands: over its tick, but neither outside nor under the rail's grip. */
const nameAt = (places, i, wide) => clamp(places.x(i), wide / 2 + 2, Math.max(wide / 2 + 2, places.rail.x - 24 - wide / 2));

/** The query, the key, the strongest words and the first: those that stand apart. */
function namesThatFit(ctx, store, places, ink, row) {
  const { query } = store, taken = [], shown = new Set();
  const put = (i) => {
    setFont(ctx, ink, i === query ? 700 : 500, places.type);
    const wide = ctx.measureText(store.word(i)).width, half = wide / 2 + (i === query ? 9 : 4), x = nameAt(places, i, wide);
    if (taken.some(([from, to]) => x + half > from && x - half < to)) return;
    taken.push([x - half, x + half]);
    shown.add(i);
  };
  const strongest = Array.from(row.keys()).filter((j) => row[j] > 0.012).sort((a, b) => row[b] - row[a]).slice(0, NAMED);
  for (const i of [query, store.key(), ...strongest, 0]) put(i);
  return { taken, shown };
}

/** @param {Store} store */
export function drawRail(ctx, store, places, ink, words) {
  const { rail, note, small } = places, y = rail.y, pulled = store.count > store.length;
  if (store.most <= 1) return;
  ctx.lineCap = "round";
  line(ctx, [[rail.x, y], [rail.to, y]], ink.quiet, 2, [1, 5]);
  ctx.lineCap = "butt";
  for (let times = 2; times <= store.most; times *= 2) {
    const x = rail.of(times);
    if (x < rail.x + 14 || (small && Math.log2(times) % 2)) continue;
    ctx.fillStyle = ink.quiet;
    ctx.beginPath();
    ctx.arc(x, y, 3, 0, 2 * Math.PI);
    ctx.fill();
    if (!pulled || !small) write(ctx, ink, `${times}×`, x, y + 17, { size: note, align: "center" });
  }
  if (pulled) write(ctx, ink, words.words.replace("{count}", String(store.count)), places.width, y + (small ? 30 : 34), { colour: ink.text, size: note, weight: 600, align: "right" });
  else if (!small) write(ctx, ink, words.pull, rail.x - 10, y - 22, { size: note });
  drawGrip(ctx, ink, rail.x, y, false);
}
