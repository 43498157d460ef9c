// The hero but for its words and arcs (words_row.js): the decay curves e^(-m d) that hang from the query, and the rail.

import { distanceTo, formatSlope, halving, weightAt } from "../attention.js";
import { area, crisp, drawGrip, Labels, line, sector, widthOf, write } from "../plot.js";
import { clamp, formatNumber } from "../shared.js";
import { gripOf } from "./gestures.js";

/** @import { Store } from "./store.js" */

const LONGEST_STEP = 24; // pixels between two points of a curve; one that falls steeply has them closer

/** @param {Store} store */
export function drawRail(ctx, store, places, ink, words) {
  const { rail: { x: from, y, to, of }, note: size, small, width, end } = places, pulled = store.count > store.length;
  if (store.most <= 1) return;
  ctx.lineCap = "round";
  line(ctx, [[from, y], [to, y]], ink.quiet, 2, [1, 5]);
  ctx.lineCap = "butt";
  const textOf = (times) => words.ratio.replace("{times}", String(times));
  const isTight = small || widthOf(ink, textOf(store.most), size) + 6 > of(4) - of(2);
  for (let times = 2; times <= store.most; times *= 2) {
    const x = of(times);
    if (x < from + 14 || (isTight && Math.log2(times) % 2)) continue;
    sector(ctx, x, y, 3, ink.quiet);
    if (!pulled || !small) write(ctx, ink, textOf(times), x, y + 17, { size, align: "center" });
  }
  const look = pulled ? { colour: ink.text, weight: 600 } : {}, low = y + (pulled && small ? 30 : 34);
  const hasRoom = (text) => widthOf(ink, text, size) <= width - end;
  const said = pulled ? [words.words.replace("{count}", String(store.count))] : linesOf(words.pull, hasRoom);
  said.forEach((text, at) => write(ctx, ink, text, width, low + at * (size + 2), { size, align: "right", ...look }));
  drawGrip(ctx, ink, from, y);
}

/** A text in lines that have room, where it has blanks to part at. */
function linesOf(text, hasRoom) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines[lines.length - 1]} ${word}`.trim();
    if (hasRoom(longer) || longer === word) lines[lines.length - 1] = longer;
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
  const grip = gripOf(store, places, rate), pointed = drawPointed(ctx, store, places, ink, rate);
  if (!grip) return;
  const said = drawGripWithWords(ctx, store, places, ink, words, rate, grip, untouched), high = places.note + 1;
  drawSlopes(ctx, store, places, ink, new Labels([...pointed, { ...grip, wide: 52, high }, said]));
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
  for (let j = 0; j < query && !places.ticks; j += 1) {
    const at = places.x(j);
    line(ctx, [[at, places.bottom], [at, places.height(weightAt(rate, query - j))]], ink.accent);
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
  if (places.width - x < Math.max(...lines.map((text) => widthOf(ink, text, places.note))) + 18) return;
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
  return [{ x: x + 30, y: at, wide: 68, high: places.note + 1 }];
}

/** The grip, and what the slope means beside it; nothing while the bias comes on: then the curve belongs to no slope. */
function drawGripWithWords(ctx, store, places, ink, words, rate, grip, untouched) {
  const { note, small } = places;
  drawGrip(ctx, ink, grip.x, grip.y, { isHint: untouched });
  if (store.fade < 1) return { ...grip, wide: 0, high: 0 };
  const said = rate <= 0 ? words.no_bias : small ? words.halves_short : words.halves;
  const text = said.replace("{slope}", store.slopeText).replace("{words}", formatNumber(halving(rate), 2));
  const wide = widthOf(ink, text, note + 1, 600), fits = grip.x - 36 - wide > places.left;
  const x = fits ? grip.x - 36 - wide : Math.min(grip.x + 36, places.x(store.query) - 8 - wide);
  const y = fits ? Math.max(places.top + 10, grip.y - 14) : Math.min(grip.y + 24, places.bottom - 12);
  write(ctx, ink, text, x, y, { colour: ink.accent, size: note + 1, weight: 600 });
  return { x: x + wide / 2, y, wide: wide + 12, high: note + 1 };
}

/** The slope of each other head on its curve, where there is room: far up those that hardly fall, lower the others. */
function drawSlopes(ctx, store, places, ink, labels) {
  const { query, heads, head } = store, right = places.x(query), size = places.note;
  for (let other = 1; other <= heads; other += 1) {
    if (other === head) continue;
    const rate = store.rate(other), text = formatSlope(store.slope(other), true);
    const d = Math.min(distanceTo(0.34, rate), (right - places.left - 22) / places.pitch);
    const x = right - d * places.pitch, y = places.height(weightAt(rate, d));
    const isFree = d * places.pitch >= 14 && labels.take(x, y, 8 + text.length * size * 0.52, size + 1);
    if (isFree) write(ctx, ink, text, x, y, { size, align: "center" });
  }
}
