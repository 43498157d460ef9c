// Steps 4 and 5: each arc is a cell and each asking word a row; then the bias of a longer text, and beside it five methods.

import { colourAt, drawCursorCell, drawHatching, drawScale, frame, lowerTriangle, paint } from "../heatmap.js";
import { fitted, percent, setFont, signed, toRgb } from "../plot.js";
import { clamp, formatNumber, make, wholePercent } from "../shared.js";
import { ease, lerp, part } from "./arithmetic.js";
import { chartPlot } from "./chart.js";
import { alongRail, drawRail } from "./rail.js";
import { captionIn, drawRivals, rivalUnder } from "./rivals.js";
import { slopeText } from "./stage.js";

/** @import { Stage } from "./stage.js" */

/** What the three matrices show, in which colours. */
const SHOWN = [
  { name: "content", quantity: "content", low: -3, high: 3, scale: "linear" },
  { name: "bias", quantity: "bias", low: -4.5, high: 0, scale: "linear" },
  { name: "weights", quantity: "weight", low: 0, high: 1, scale: "sqrt" },
];
const LONGEST = 2.6; // of the type's size: a name below a narrow column
const LATER = 0.035; // of the unfolding: a row after the one below it

/** The three matrices of step 4, and the square of step 5. @param {Stage} stage */
function cellPlaces(stage) {
  const { small, width, height } = stage, type = stage.type(16) / 16, note = stage.type(15, 12);
  const square = small
    ? { x: 0, y: 2, side: Math.min(width - 4, height * 0.36) }
    : { x: stage.px(6), y: stage.px(6), side: Math.min(height - stage.px(64), width * 0.48) };
  if (small) {
    const side = Math.min((width - 30) / 2, height * 0.28), low = Math.min(width - 52, height - side - 116);
    const x = (width - low) / 2 + 18;
    return { matrices: [[0, 24, side], [width - side, 24, side], [x, side + 84, low]], sum: side + 44, square };
  }
  const label = stage.px(54) * type, gap = stage.px(42), high = height - stage.px(64) - note * 6.6;
  const side = Math.min((width - label - 2 * gap) / 3, high), left = label + (width - label - 3 * side - 2 * gap) / 2;
  const top = Math.max(stage.px(34), (height - side - note * 6.6) / 2);
  const matrices = [0, 1, 2].map((at) => [left + at * (side + gap), top, side]);
  return { matrices, sum: top + side + note * 5.4, square };
}

/** @param {Stage} stage */
export function drawCells(stage, row, asked) {
  const { v } = stage, places = cellPlaces(stage), weights = stage.weights(), alpha = 1 - part(v.longer, 0, 0.5);
  if (alpha > 0) {
    drawMatrix(stage, row, asked, places, 0, alpha, (i, j) => stage.content[i * stage.count + j]);
    drawMatrix(stage, row, asked, places, 2, alpha, (i, j) => weights[i * stage.count + j]);
  }
  if (v.longer < 1) drawMatrix(stage, row, asked, places, 1, 1, (i, j) => -v.slope * (i - j));
  else drawLonger(stage, places);
  if (alpha > 0) drawSum(stage, places, weights, alpha * part(v.cells, 0.7, 1));
  if (v.longer > 0) drawBeside(stage, places);
  stage.fade(1);
}

const mixed = (from, to, share) => `rgb(${from.map((part_, at) => Math.round(lerp(part_, to[at], share)))})`;

/** One of the three. Its last row flies here from the words above; the others unfold from it. */
function drawMatrix(stage, row, asked, places, which, alpha, valueOf) {
  const { ink, v, ctx, count } = stage, { square } = places, [x0, y0, size] = places.matrices[which];
  const glide = which === 1 ? ease(v.longer) : 0; // the bias becomes the longer text's
  const x = lerp(x0, square.x, glide), y = lerp(y0, square.y, glide), side = lerp(size, square.side, glide);
  const cell = side / count, last = count - 1, t = v.cells, from = toRgb([ink.page, ink.bias, ink.accent][which]);
  stage.fade(alpha * part(t, 0.55, 0.9));
  drawHatching(ctx, x, y, side, side, ink, devicePixelRatio || 1);
  for (let i = last; i >= 0; i -= 1) {
    const shown = i === last ? 1 : part(t, 0.42 + LATER * (last - i), 0.62 + LATER * (last - i));
    if (shown <= 0) continue;
    for (let j = 0; j <= i; j += 1) {
      const colour = colourAt(SHOWN[which], valueOf(i, j), ink.dark), to = { x: x + j * cell, y: y + i * cell };
      const flown = i === last ? part(t, 0.02 * j, 0.35 + 0.02 * j) : 1, one = asked[j];
      const begin = [row.y(one.plain) - 4, row.y(one.plain), row.row - row.size * 1.5][which];
      const wide = lerp([8, 5, Math.max(1, one.weight * 50)][which], cell, flown);
      const high = lerp([8, Math.max(1, row.y(one.score) - row.y(one.plain)), 22][which], cell, flown);
      stage.fade(alpha * shown);
      ctx.fillStyle = flown < 1 ? mixed(from, colour, flown) : `rgb(${colour})`;
      const left = lerp(one.x - wide / 2, to.x, flown), above = lerp(begin, lerp(to.y + cell, to.y, shown), flown);
      ctx.fillRect(left, above, wide + 0.4, high + 0.4);
    }
  }
  stage.fade(alpha * part(t, 0.6, 1) * (1 - glide));
  stage.box(x, y, side, side, 0, "", ink.line);
  drawCursorCell(ctx, ink, { x, y, side, count }, stage.cell, 1.35);
  stage.strong(stage.word(SHOWN[which].name), x, y - stage.type(15, 11), stage.type(16, 13));
  drawNames(stage, row, asked, which, x, y, side, alpha * (1 - glide));
  if (!stage.small) drawKey(stage, which, x, places.sum, side, alpha * part(t, 0.6, 1) * (1 - glide));
}

/** What the colours mean, below a matrix: from its least value to its most. */
function drawKey(stage, which, x, sum, side, alpha) {
  const { ctx, ink } = stage, size = stage.type(13), y = sum - size * 2.9, wide = side * 0.4;
  const left = x + stage.px(30), { low, high, quantity } = SHOWN[which];
  stage.fade(alpha);
  drawScale(ctx, SHOWN[which], ink.dark, left, y - size * 0.35, wide, size * 0.7);
  stage.say(formatNumber(low), left - 6, y, { size, align: "right" });
  stage.say(quantity === "weight" ? wholePercent(high) : formatNumber(high), left + wide + 6, y, { size });
}

/** Words below their columns, where they fly to, and beside their rows. */
function drawNames(stage, row, asked, which, x, y, side, alpha) {
  const { ink, v, ctx, count, small, cell: [query, key] } = stage, cell = side / count;
  const least = Math.max(ink.least, Math.min(cell * 0.5, stage.type(17, 13)));
  const shown = alpha * part(v.cells, 0.6, 1), flown = which === 2 ? part(v.cells, 0.05, 0.55) : 1;
  const size = lerp(row.size, least, flown), below = lerp(row.row, y + side + least * 0.95, flown);
  for (const [at, { text, x: from }] of asked.entries()) {
    const isHot = at === key || at === query, colour = at === query ? ink.query : isHot ? ink.text : ink.soft;
    const weight = isHot ? 700 : 400;
    setFont(ctx, ink, weight, size);
    const wide = ctx.measureText(text).width, room = cell * 1.05, middle = (at + 0.5) * cell;
    const most = lerp(row.pitch * 0.96, Math.max(room, LONGEST * size), flown);
    const isCut = flown === 1 && !isHot && wide > room;
    if ((!small || which === 2) && !isCut) { // else its row has the name
      stage.fade(which === 2 ? alpha : shown);
      stage.letters(fitted(ctx, text, most), lerp(from, x + middle, flown), below, { colour, size, weight });
    }
    if (which !== (small ? 2 : 0)) continue;
    const beside = Math.min(stage.px(52), x - 8);
    const fits = wide > beside ? Math.max(ink.least, (size * beside) / wide) : size;
    stage.fade(shown);
    setFont(ctx, ink, weight, fits);
    stage.letters(fitted(ctx, text, beside), x - 6, y + middle, { colour, size: fits, weight, align: "right" });
  }
}

/** The sum of the chosen cell, on one line. */
function drawSum(stage, places, weights, alpha) {
  const { ink, small, count, slope, v, content, cell: [query, key] } = stage, distance = query - key;
  const plain = content[query * count + key], size = stage.type(30, 17);
  const parts = [
    [signed(plain), ink.text],
    [` − ${slopeText(slope)} × ${distance}`, ink.bias],
    [` = ${signed(plain - v.slope * distance)}`, ink.text],
    [`  →  ${percent(weights[query * count + key])}`, ink.accent],
  ];
  const wide = parts.reduce((sum, [text]) => sum + stage.wide(text, size, 600), 0);
  let x = (stage.width - wide) / 2;
  stage.fade(alpha);
  for (const [text, colour] of parts) x += stage.say(text, x, places.sum, { colour, size, weight: 600 });
  for (const [at, sign] of (small ? ["+"] : ["+", "→"]).entries()) {
    const [left, top, side] = places.matrices[at], [next] = places.matrices[at + 1];
    stage.say(sign, (left + side + next) / 2, top + side / 2, { size: stage.type(26, 20), align: "center" });
  }
}

// Step 5.

const longer = make("canvas");

/** The bias of a longer text, whose last word may be cut. Its scale is that of the farthest pair. */
function drawLonger(stage, places) {
  const { ink, v, ctx, count } = stage, { x, y, side } = places.square, all = count * v.times, words = Math.ceil(all);
  const alpha = 1 - part(v.chart, 0, 0.7), most = Math.max(0.256, v.slope) * (4 * count - 1);
  if (alpha <= 0) return;
  const colours = { ...SHOWN[1], low: lerp(SHOWN[1].low, -most, ease(v.times - 1)) };
  paint(longer, lowerTriangle(words, (i, j) => -v.slope * (i - j)), words, words, colours, ink.dark);
  stage.fade(alpha);
  drawHatching(ctx, x, y, side, side, ink, devicePixelRatio || 1);
  ctx.imageSmoothingEnabled = false;
  ctx.drawImage(longer, 0, 0, all, all, x, y, side, side);
  stage.box(x, y, side, side, 0, "", ink.line);
}

/** The square of training, which becomes the trained part of the chart. @param {Stage} stage */
export function drawTrained(stage) {
  const { ink, v, ctx } = stage, { square } = cellPlaces(stage), chart = chartPlot(stage), share = ease(v.chart);
  const inner = square.side / v.times, at = (from, to) => lerp(from, to, share);
  stage.fade(v.longer * (1 - v.texts) * (1 - v.end));
  const [width, height] = [at(inner, chart.x(1) - chart.left), at(inner, chart.bottom - chart.top)];
  frame(ctx, at(square.x, chart.left), at(square.y, chart.top), width, height, ink.text, 2, [6, 4]);
}

/** Beside the longer text: its rail, and what three methods make of the length. */
function drawBeside(stage, places) {
  const { v, count } = stage, { square } = places, inner = square.side / v.times;
  const alpha = part(v.longer, 0.45, 1) * (1 - part(v.chart, 0, 0.4));
  if (alpha <= 0) return;
  stage.fade(alpha);
  const isInside = v.times < 1.6, text = stage.word("trained_on", { count });
  const at = isInside ? square.x + square.side - 8 : square.x + inner + 9;
  stage.strong(text, at, square.y + stage.type(16), stage.type(16, 13), isInside ? "right" : "left");
  const hint = stage.untouched ? stage.word("pull") : "";
  const stops = [1, 2, 4].map((times) => stage.word("ratio", { times }));
  drawRail(stage, railOf(stage, places), Math.log2(v.times) / 2, stops, hint);
  drawRivals(stage, besideSquare(stage, places), alpha);
}

/** The room beside the square; on a phone below it. @param {Stage} stage */
function besideSquare(stage, places = cellPlaces(stage)) {
  const { small, width, height } = stage, { square } = places;
  const x = small ? 0 : square.x + square.side + stage.px(64), top = small ? railOf(stage, places).y + 24 : square.y;
  return { x, top, width: width - x - (small ? 4 : stage.px(10)), height: height - top - stage.px(6) };
}

/** The rail of the length, from one to four times. */
function railOf(stage, places = cellPlaces(stage)) {
  const { square: { x, y, side } } = places;
  return { x: x + 14, width: side - 28, y: y + side + (stage.small ? 34 : stage.px(40)) };
}

// Hands.

/** The cell under a pointer, in any of the three matrices, as the address has it. @param {Stage} stage @returns {Record<string, string>} */
export function cellAt(stage, x, y) {
  const { count } = stage;
  for (const [left, top, side] of cellPlaces(stage).matrices) {
    if (x < left || x > left + side || y < top || y > top + side) continue;
    const query = clamp(Math.floor(((y - top) / side) * count), 0, count - 1);
    return { cell: `${query},${clamp(Math.floor(((x - left) / side) * count), 0, query)}` };
  }
  return {};
}

/** The rival under a pointer on its rail. @param {Stage} stage @param {number} [y] without it, wherever the pointer is */
export const rivalAt = (stage, x, y) => rivalUnder(stage, besideSquare(stage), x, y);

/** Where the caption of the rival stands. @param {Stage} stage */
export const captionPlace = (stage) => captionIn(besideSquare(stage));

/** The length under a pointer on the rail. */
export function timesUnder(stage, x) {
  return Number((4 ** alongRail(railOf(stage), x, 3)).toFixed(2));
}
