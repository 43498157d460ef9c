// The hero: the words with the arcs over them, the decay curves e^(-m d) that hang from the query under them, and the rail
// at the end of the text.

import { distanceTo, formatSlope, halving, weightAt } from "../attention.js";
import {
  arc,
  area,
  crisp,
  drawGrip,
  drawRing,
  fitted,
  line,
  percent,
  sector,
  setFont,
  STACKED,
  write,
} from "../plot.js";
import { clamp, formatNumber } from "../shared.js";
import { gripOf } from "./gestures.js";

/** @import { Store } from "./store.js" */

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
const LONGEST_STEP = 24; // pixels between two points of a curve; one that falls steeply has them closer

/** How wide an arc is for its weight: proportional, up to a cap that is marked. `share`: of that width. */
const widthsOf = (places, share = 1) => ({
  full: share * (places.full ?? (places.large ? 104 : places.small ? 52 : 76)),
  cap: Math.max(3, places.pitch * 0.9),
});

/**
 * places.full: pixels of an arc with all of the weight; places.behind: of that width an arc without the bias, where these are
 * not the usual ones. places.isPlain: there are no dotted arcs.
 * @param {Store} store
 */
export function drawArcs(ctx, store, places, ink, row, plain) {
  const { query } = store, chosen = store.key(), lands = landings(store, places, row), thin = places.behind ?? BEHIND;
  ctx.lineCap = "butt";
  drawFamily(ctx, store, places, plain, lands, ink.quiet, places.ticks ? 0.5 : 0.8, widthsOf(places, thin));
  drawFamily(ctx, store, places, row, lands, ink.accent, 1, widthsOf(places));
  if (chosen < query) {
    ctx.globalAlpha = 0.75;
    stroke(ctx, places, [chosen], plain, lands, ink.quiet, query, 1.2, widthsOf(places, thin));
    ctx.globalAlpha = 1;
    stroke(ctx, places, [chosen], row, lands, ink.accent, query, 1.4, widthsOf(places));
    if (store.cursor !== null && places.x(query) - places.x(chosen) > 40) {
      drawTag(ctx, store, places, ink, chosen, row, percent(row[chosen]));
    }
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
    ctx.globalAlpha = strength *
      (level === null ? faint : clamp(wide / THIN, 0.16, 1) * (0.4 + 0.6 * Math.sqrt(Math.min(1, 2 * weight))));
    stroke(ctx, places, keys, row, lands, colour, query, THIN, scale);
  }
  ctx.globalAlpha = 1;
}

function stroke(ctx, places, keys, row, lands, colour, query, least, { full, cap }) {
  const weight = row[keys[0]], wide = weight * full;
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

/** A text on top of a key's arc. @param {Store} store */
export function drawTag(ctx, store, places, ink, key, row, text) {
  const { query } = store, x = (landings(store, places, row)[key] + places.x(key)) / 2;
  const y = Math.max(12, places.arcs - heightOf(places, query - key, query));
  write(ctx, ink, text, x, y, { colour: ink.accent, size: places.note + 1, weight: 700, align: "center" });
}

/**
 * The words; where there is no room, ticks as high as their weight, and the names that fit. places.drop: pixels by which every
 * second word stands lower. places.isPlain: the query has no ring.
 * @param {Store} store
 */
export function drawWords(ctx, store, places, ink, row, plain) {
  const { query, count } = store,
    key = store.key(),
    named = places.ticks ? namesThatFit(ctx, store, places, ink, row) : null;
  let top = 0;
  for (let j = 0; j < query; j += 1) top = Math.max(top, row[j]);
  for (let i = 0; i < count; i += 1) {
    const share = i < query ? Math.sqrt(row[i] / (top || 1)) : 0;
    if (!named || named.names.has(i)) {
      drawWord(ctx, store, places, ink, i, share, i === key && key !== query, row, plain);
    } else if (!named.taken.some(([from, to]) => places.x(i) > from && places.x(i) < to)) {
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
  const high = 4 + 12 * share;
  ctx.globalAlpha = ahead ? 0.25 : 0.45 + 0.55 * share;
  ctx.fillStyle = ink.text;
  ctx.fillRect(
    places.x(i) - Math.min(1, places.pitch * 0.3),
    places.middle + 8 - high,
    Math.min(2, places.pitch * 0.6),
    high,
  );
}

function drawWord(ctx, store, places, ink, i, share, pointed, row, plain) {
  const { query } = store, isQuery = i === query, high = places.type;
  setFont(ctx, ink, isQuery || pointed ? 700 : 500, high);
  const word = nameOf(ctx, store, places, i),
    wide = ctx.measureText(word).width,
    stacked = places.upright && STACKED.test(word);
  const turned = places.upright && !stacked;
  ctx.save();
  ctx.translate(places.ticks ? nameAt(places, i, wide) : places.x(i), places.middle + (i % 2) * (places.drop ?? 0));
  if (store.isLeftward) {
    ctx.scale(-1, 1); // letters are not mirrored
    ctx.direction = "rtl";
  }
  if (turned) ctx.rotate(-Math.PI / 2);
  Object.assign(ctx, { textBaseline: "middle", textAlign: turned ? "right" : "center" });
  ctx.globalAlpha = 1;
  if (isQuery) {
    ctx.fillStyle = ink.query;
    const free = roomBeside(ctx, store, places, wide), pad = clamp(free - RING - 0.5, 0.5, places.upright ? 3 : 6);
    /** @type {[number, number, number, number]} */
    const box = turned
      ? [-wide - 6, -high / 2 - pad, wide + 12, high + 2 * pad]
      : stacked
      ? [-high / 2 - pad, -6, high + 2 * pad, wide + 12]
      : [-wide / 2 - pad, -high / 2 - 4, wide + 2 * pad, high + 9];
    ctx.beginPath();
    ctx.roundRect(...box, 6);
    ctx.fill();
    if (store.count > 1 && !places.isPlain) drawOwnWeight(ctx, ...box, row[i], plain[i], ink, free - pad);
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
const nameOf = (ctx, store, places, i) =>
  fitted(ctx, store.word(i), places.flat ? Infinity : places.upright ? places.row - 18 : LONGEST_NAME);

/** Pixels between the query's letters and those of the words beside it: its box and its ring must not cover them. */
function roomBeside(ctx, store, places, wide) {
  const { query, count } = store, { type, pitch } = places, next = places.drop ? 2 : 1;
  if (places.ticks) return CLEAR;
  if (places.upright) return pitch - LETTERS * type;
  const beside = [query - next, query + next].filter((i) => i >= 0 && i < count).map((i) =>
    ctx.measureText(store.word(i)).width
  );
  return Math.min(CLEAR, next * pitch - wide / 2 - Math.max(0, ...beside) / 2);
}

/** Where the middle of a name between ticks stands: over its tick, but neither outside nor under the rail's grip. */
const nameAt = (places, i, wide) =>
  clamp(places.x(i), wide / 2 + 2, Math.max(wide / 2 + 2, places.rail.x - 24 - wide / 2));

/** The query, the key, the strongest words and the first: those that stand apart. */
function namesThatFit(ctx, store, places, ink, row) {
  const { query } = store, taken = [], names = new Set();
  const put = (i) => {
    setFont(ctx, ink, i === query ? 700 : 500, places.type);
    const wide = ctx.measureText(nameOf(ctx, store, places, i)).width,
      half = wide / 2 + (i === query ? 9 : 4),
      x = nameAt(places, i, wide);
    if (taken.some(([from, to]) => x + half > from && x - half < to)) return;
    taken.push([x - half, x + half]);
    names.add(i);
  };
  const strongest = Array.from(row.keys()).filter((j) => row[j] > 0.012).sort((a, b) => row[b] - row[a]).slice(
    0,
    NAMED,
  );
  for (const i of [query, store.key(), ...strongest, 0]) put(i);
  return { taken, names };
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
    sector(ctx, x, y, 3, ink.quiet);
    if (!pulled || !small) write(ctx, ink, `${times}×`, x, y + 17, { size: note, align: "center" });
  }
  if (pulled) {
    write(ctx, ink, words.words.replace("{count}", String(store.count)), places.width, y + (small ? 30 : 34), {
      colour: ink.text,
      size: note,
      weight: 600,
      align: "right",
    });
  } else {
    setFont(ctx, ink, 400, note);
    linesOf(ctx, words.pull, places.width - places.end).forEach((text, at) =>
      write(ctx, ink, text, places.width, y + 34 + at * (note + 2), { size: note, align: "right" })
    );
  }
  drawGrip(ctx, ink, rail.x, y);
}

/** Lines of a text that are no wider than so many pixels, where it has blanks to part at. */
function linesOf(ctx, text, wide) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines[lines.length - 1]} ${word}`.trim();
    if (ctx.measureText(longer).width <= wide || longer === word) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** @param {Store} store @param {number} over the head that is pointed at; 0: none */
export function drawCurves(ctx, store, places, ink, words, over, untouched) {
  const { query, heads, head } = store, x = places.x(query), rate = store.rate();
  line(ctx, [[places.left, crisp(places.bottom)], [x, crisp(places.bottom)]], ink.line);
  drawDistances(ctx, store, places, ink, words);
  if (query < 1) return;
  drawArea(ctx, store, places, ink, rate);
  drawText(ctx, store, places, ink, words);
  for (let other = 1; other <= heads; other += 1) {
    if (other === head) continue;
    ctx.globalAlpha = other === over ? 1 : heads > 8 ? 0.32 : 0.45;
    line(ctx, curve(places, x, store.rate(other)), ink.accent, other === over ? 2.4 : 1.3);
  }
  ctx.globalAlpha = 1;
  if (store.isBent()) line(ctx, curve(places, x, store.rule() * store.strength * store.fade), ink.soft, 1.3, [5, 4]);
  line(ctx, curve(places, x, rate), ink.accent, 3.5);
  const grip = gripOf(store, places, rate), taken = drawPointed(ctx, store, places, ink, rate);
  if (!grip) return;
  taken.push([grip.x, grip.y, 26], drawGripWithWords(ctx, store, places, ink, words, rate, grip, untouched));
  drawSlopes(ctx, store, places, ink, taken);
}

function curve(places, x, rate) {
  const fall = rate / places.pitch, step = clamp(1 / (12 * fall), 2, LONGEST_STEP), points = [];
  for (let px = x; px > places.left; px -= step) points.push([px, places.height(weightAt(fall, x - px))]);
  points.push([places.left, places.height(weightAt(fall, x - places.left))]);
  return points;
}

/** The area under the chosen curve, and its height at each word. */
function drawArea(ctx, store, places, ink, rate) {
  const { query } = store, x = places.x(query);
  ctx.globalAlpha = ink.dark ? 0.2 : 0.11;
  area(ctx, [[x, places.bottom], ...curve(places, x, rate), [places.left, places.bottom]], ink.accent);
  ctx.globalAlpha = 0.3;
  if (!places.ticks) {
    for (let j = 0; j < query; j += 1) {
      line(
        ctx,
        [[places.x(j), places.bottom], [places.x(j), places.height(weightAt(rate, query - j))]],
        ink.accent,
      );
    }
  }
  ctx.globalAlpha = 1;
}

/** Distances on the axis: as many as there is room for. */
function drawDistances(ctx, store, places, ink, words) {
  const { query } = store, least = places.note * 2.6, x = places.x(query), y = places.bottom + places.note * 0.5 + 4;
  let step = 1;
  while (step * places.pitch < least) step *= 2;
  for (let d = 0; d <= query; d += step) {
    write(ctx, ink, String(d), x - d * places.pitch, y, { size: places.note, align: "center" });
  }
  // What the axes mean stands beside the curves, in their free corner.
  const lines = [...(places.small ? [] : words.height.split(" | ")), words.distance], high = places.note + 5;
  setFont(ctx, ink, 400, places.note);
  if (places.width - x < Math.max(...lines.map((text) => ctx.measureText(text).width)) + 18) return;
  lines.forEach((text, at) => write(ctx, ink, text, x + 16, y - (lines.length - 1 - at) * high, { size: places.note }));
}

/** Where the text itself ends, once it is pulled: nothing was trained on it. */
function drawText(ctx, store, places, ink, words) {
  const { query, count, length } = store, from = count - length;
  if (count === length || query < from) return;
  const x = crisp(places.left + from * places.pitch);
  line(ctx, [[x, places.arcs + 2], [x, places.bottom]], ink.text, 1, [4, 3]);
  const text = words.own.replace("{count}", String(length));
  write(ctx, ink, text, x - 5, places.top + 26, { colour: ink.text, size: places.note, align: "right" });
}

/** The height of the curve at the key that is pointed at. */
function drawPointed(ctx, store, places, ink, rate) {
  const { query, cursor } = store, key = store.key();
  if (key >= query) return [];
  const share = weightAt(rate, query - key), x = places.x(key), y = places.height(share);
  line(ctx, [[x, places.bottom], [x, y]], ink.text, 1.4);
  sector(ctx, x, y, 4, ink.text);
  if (cursor === null) return [];
  const at = Math.max(places.top + 10, y - 12);
  write(ctx, ink, `× ${formatNumber(share, 2)}`, x + 8, at, { colour: ink.text, size: places.note, weight: 600 });
  return [[x + 30, at, 34]];
}

/** The grip, and what the slope means beside it; nothing while the bias comes on: then the curve belongs to no slope. */
function drawGripWithWords(ctx, store, places, ink, words, rate, grip, untouched) {
  const { note, small } = places;
  drawGrip(ctx, ink, grip.x, grip.y, { isHint: untouched });
  if (store.fade < 1) return [grip.x, grip.y, 0];
  const said = rate <= 0 ? words.no_bias : small ? words.halves_short : words.halves;
  const text = said.replace("{slope}", store.slopeText).replace("{words}", formatNumber(halving(rate), 2));
  setFont(ctx, ink, 600, note + 1);
  const wide = ctx.measureText(text).width, fits = grip.x - 36 - wide > places.left;
  const x = fits ? grip.x - 36 - wide : Math.min(grip.x + 36, places.x(store.query) - 8 - wide);
  const y = fits ? Math.max(places.top + 10, grip.y - 14) : Math.min(grip.y + 24, places.bottom - 12);
  write(ctx, ink, text, x, y, { colour: ink.accent, size: note + 1, weight: 600 });
  return [x + wide / 2, y, wide / 2 + 6];
}

/** The slope of each other head on its curve, where there is room: far up those that hardly fall, lower the others. */
function drawSlopes(ctx, store, places, ink, taken) {
  const { query, heads, head } = store, right = places.x(query), size = places.note;
  for (let other = 1; other <= heads; other += 1) {
    if (other === head) continue;
    const rate = store.rate(other), at = 0.34;
    const d = Math.min(distanceTo(at, rate), (right - places.left - 22) / places.pitch);
    const x = right - d * places.pitch,
      y = places.height(weightAt(rate, d)),
      text = formatSlope(store.slope(other), true);
    const wide = 4 + text.length * size * 0.26;
    if (
      d * places.pitch < 14 ||
      taken.some(([tx, ty, half]) => Math.abs(tx - x) < half + wide && Math.abs(ty - y) < size + 1)
    ) continue;
    taken.push([x, y, wide]);
    write(ctx, ink, text, x, y, { size, align: "center" });
  }
}
