// Steps 1 to 3: the words in a row, arcs as thick as the weights, and the scores below with ALiBi's line and its fan.

import { halving } from "../attention.js";
import { arc, crisp, drawDot, drawRing, fitted, mirror, percent, scaleOf, setFont, signed, stroke } from "../plot.js";
import { clamp, formatNumber, wholePercent } from "../shared.js";
import { lerp, part, placeOfEach, worthAt } from "./arithmetic.js";
import { drawBend } from "./rail.js";
import { slopeText, wordCount } from "./stage.js";

/** @import { Stage } from "./stage.js" */

const WIDEST = 270; // pixels between two words of a short sentence
const HIGHEST = 2.6, LOWEST_PLAIN = -1.15, LOWEST_BENT = -5.7; // scores on the axis
const WHOLE = 1.1; // of the highest weight: the axis of weights
const THINNEST = 0.7;
const RING = 5; // pixels around the asking word that are its ring's

/** Where everything of the row stands. @param {Stage} stage */
export function rowPlaces(stage) {
  const { count, small, width, height, v } = stage, ink = stage.type(14) / 14;
  const left = lerp(small ? 6 : stage.px(60), small ? 70 : stage.px(226), v.fan), right = small ? 4 : stage.px(20);
  const pitch = Math.min((width - left - right) / count, stage.px(WIDEST));
  const x0 = left + (width - left - right - pitch * count) / 2;
  const row = height * (lerp(small ? 0.52 : 0.56, small ? 0.44 : 0.46, v.line) - (small ? 0.06 : 0.05) * v.rail);
  const top = row + (small ? 62 : stage.px(60) * Math.max(1, ink / stage.unit));
  const bottom = height - lerp(small ? 24 : stage.px(28), small ? 88 : stage.px(92), v.rail);
  const low = lerp(LOWEST_PLAIN, LOWEST_BENT, v.line), yOfWeight = scaleOf({ low: 0, high: WHOLE }, bottom, top).to;
  const { to: y, from: scoreAt } = scaleOf({ low, high: HIGHEST }, bottom, top);
  const x = (at) => x0 + (at + 0.5) * pitch, at = (px) => clamp(Math.floor((px - x0) / pitch), 0, count - 1);
  const size = stage.type(23, lerp(14.5, 13.5, v.fan));
  return { count, pitch, row, top, bottom, low, left: x0, size, x, y, yOfWeight, scoreAt, at };
}

/** Where a score stands: on its axis; bent, what e to its power is beside the asking word’s own, and then its share. */
function heightOf({ v, query }, { y, yOfWeight }, asked, score) {
  const own = asked[query], whole = lerp(1, own.weight, clamp(v.bent - 1, 0, 1));
  return lerp(y(score), yOfWeight(worthAt(whole, 1, own.score - score)), clamp(v.bent, 0, 1));
}

/** Where the line is, so far back. It hangs at the score 0; bent, at the asking word. */
const lineAt = (stage, places, asked, distance, slope = stage.v.slope) =>
  heightOf(stage, places, asked, lerp(0, asked[stage.query].score, clamp(stage.v.bent, 0, 1)) - slope * distance);

/** What the asking word makes of each word; and where the word stands by now, on its way to its place. @param {Stage} stage */
export function askedOf(stage, row) {
  const { query, count, content, v, isCausal, turns } = stage, places = placeOfEach(stage.order);
  const weights = stage.weights().subarray(query * count, (query + 1) * count);
  return stage.words.map((shown, word) => {
    const place = places[word], distance = Math.abs(places[query] - place), plain = content[query * count + word];
    const isHidden = isCausal && place > places[query], held = stage.held?.word === word ? stage.held : null;
    const to = held?.x ?? row.x(place), share = turns.fan || turns.line ? 0.5 : held ? 0.7 : 0.22;
    shown.x = stage.follow(shown.x ?? to, to, share, 0.3);
    shown.alpha = stage.follow(shown.alpha, isHidden ? 0.3 : 1, 0.2, 0.01);
    const score = plain - v.slope * distance, { x, alpha } = shown;
    return { word, text: shown.text, x, alpha, place, distance, plain, score, weight: weights[word], isHidden };
  });
}

/** @param {Stage} stage */
export function drawRow(stage, places, asked) {
  const rest = 1 - part(stage.v.cells, 0, 0.25), below = 1 - part(stage.v.cells, 0, 0.35);
  stage.ctx.save();
  if (stage.isLeftward) mirror(stage.ctx, stage.width);
  if (rest > 0) drawArcs(stage, places, asked, rest);
  if (below > 0) {
    drawAxis(stage, places, below);
    if (stage.v.line > 0) drawLine(stage, places, asked, below);
    for (const one of asked) drawScore(stage, places, asked, one, below);
    if (stage.v.line > 0.5) drawProduct(stage, places, asked, below);
    if (stage.v.rail > 0) drawBend(stage, below);
  }
  if (rest > 0) { for (const one of asked) drawWord(stage, places, one, asked, rest); }
  stage.ctx.restore();
  stage.fade(1);
}

/** The arcs share the foot on the asking word by their weights, and are as thick. */
function drawArcs(stage, places, asked, alpha) {
  const { ink, ctx, small, query } = stage, from = asked[query].x, far = (one) => Math.abs(one.x - from);
  const foot = places.row - places.size * 0.95 - 4, full = small ? 40 : stage.px(66), cap = places.pitch * 0.5;
  const most = mostOf(asked, query), farthest = Math.max(places.pitch, places.x(places.count - 1) - places.x(0));
  const top = foot - 8 - Math.min(cap, most * full) / 2; // the thickest arc is whole
  const spread = Math.min(places.pitch * 0.55, small ? 22 : stage.px(44));
  for (const side of [-1, 1]) {
    const isHere = (one) => one.word !== query && !one.isHidden && Math.sign(one.x - from || side) === side;
    const arcs = asked.filter(isHere).sort((a, b) => far(a) - far(b));
    const all = arcs.reduce((sum, one) => sum + one.weight, 0) || 1;
    let before = 0;
    for (const one of arcs) {
      const land = from + side * (spread / 2) * (1 - (before + one.weight / 2) / all);
      before += one.weight;
      const wide = Math.min(cap, one.weight * full), share = 0.1 + 0.9 * (far(one) / farthest) ** 0.6;
      const high = Math.min(top - wide / 2, Math.max(stage.px(16), top * share));
      const strength = clamp(0.25 + 0.75 * Math.sqrt(one.weight / most), 0.16, 1) * Math.min(1, wide / THINNEST);
      stage.fade(alpha * one.alpha * strength);
      stroke(ctx, () => arc(ctx, one.x, land, foot, high), ink.accent, Math.max(THINNEST, wide));
    }
  }
}

function drawAxis(stage, places, alpha) {
  const { small, v } = stage, bent = clamp(v.bent, 0, 1), right = places.x(places.count - 1) + places.pitch / 2;
  const level = (y, name, share, above = 9) => {
    const size = stage.type(14);
    stage.fade(alpha * share);
    stage.line([[places.left, crisp(y)], [right, crisp(y)]], stage.ink.grid);
    stage.fade(alpha * share * (1 - v.fan));
    if (small) stage.say(name, 2, y - above, { size });
    else stage.say(name, places.left - stage.px(8), y, { size, align: "right" });
  };
  for (const value of [2, 0, -2, -4]) {
    if (value < places.low || bent > 0.5) continue;
    const isTop = value === 2, above = 9 + (isTop ? 1.9 * stage.type(14) : 0); // of the numbers that stand over the words
    level(places.y(value), isTop ? `${stage.word("score")} 2` : signed(value, 0), 1 - 2 * bent, above);
  }
  for (const weight of bent > 0.5 ? [1, 0.5, 0] : []) {
    const name = v.bent > 1.5 ? wholePercent(weight) : weight === 1 ? stage.word("itself") : String(weight);
    level(places.yOfWeight(weight), name, 2 * bent - 1);
  }
}

/** ALiBi's line from the asking word; in step 3 those of all heads, with their names. */
function drawLine(stage, places, asked, alpha) {
  const { ink, small, v, message: { slopes }, head } = stage, far = asked[stage.query].place;
  const x = (distance) => places.x(far) - distance * places.pitch, gone = alpha * v.line;
  for (const [at, slope] of v.fan > 0 ? slopes.entries() : []) {
    if (at + 1 === head) continue;
    stage.fade(gone * v.fan * 0.5);
    stage.line([[x(0), places.y(0)], [x(far), places.y(-lerp(v.slope, slope, v.fan) * far)]], ink.bias, 1.4);
  }
  stage.fade(gone);
  const stops = Array.from({ length: 4 * far + 1 }, (_, at) => at / 4), y = (at) => lineAt(stage, places, asked, at);
  stage.line(stops.map((at) => [x(at), y(at)]), ink.bias, small ? 2.5 : stage.px(3));
  if (v.fan > 0) drawHeads(stage, places, x(far), far, gone * v.fan);
  if (stage.step !== 2 || far < 1) return;
  const held = heldDistance(stage, far);
  stage.fade(gone * (1 - v.fan) * (stage.untouched ? stage.pulse() : 1));
  stage.knob(x(held), y(held), ink.bias, true);
}

/** The distance at which the line is held: the reader's, else a little beyond the middle. */
const heldDistance = (stage, far) => clamp(stage.grip ?? Math.ceil(far * 0.6), 1, far);

function drawHeads(stage, places, end, far, alpha) {
  const { ink, ctx, small, message: { slopes }, head } = stage, high = (places.bottom - places.top) / slopes.length;
  const left = small ? 2 : stage.px(18), right = small ? 58 : stage.px(186);
  const size = Math.max(ink.least, Math.min(stage.type(15, 13), high));
  slopes.forEach((slope, at) => {
    const isOn = at + 1 === head, y = places.bottom - (at + 0.5) * high, to = places.y(-slope * far);
    stage.fade(alpha * (isOn ? 1 : 0.35));
    Object.assign(ctx, { strokeStyle: ink.bias, lineWidth: isOn ? 2 : 1 });
    ctx.beginPath();
    ctx.moveTo(end, to);
    ctx.bezierCurveTo((end + right) / 2, to, (end + right) / 2, y, right, y);
    ctx.stroke();
    stage.fade(alpha);
    if (isOn) stage.box(left, y - high * 0.47, right - left, high * 0.94, 5, ink.bias);
    const look = { size, weight: isOn ? 700 : 500 };
    stage.letters(slopeText(slope), left + 7, y, { ...look, colour: isOn ? ink.page : ink.text, align: "left" });
    if (small) return;
    const half = stage.word("half_after", { words: wordCount(halving(slope)) });
    stage.letters(half, right - 7, y, { ...look, colour: isOn ? ink.page : ink.soft, align: "right" });
  });
}

/** A score: from the content down by the bias. Bent, a weight: what is left of it. */
function drawScore(stage, places, asked, { x, alpha: own, distance, plain, score, isHidden }, alpha) {
  const { ink, ctx, small, v } = stage, bent = clamp(v.bent, 0, 1);
  if (isHidden) {
    const text = stage.word("hidden"), fontSize = stage.type(14);
    const hasRoom = stage.wide(text, fontSize) < places.pitch - 4;
    stage.fade(alpha);
    if (hasRoom || distance === 1) {
      stage.say(text, x, places.y(0), { size: fontSize, align: hasRoom ? "center" : "left" });
    }
    return;
  }
  const height = (value) => heightOf(stage, places, asked, value), size = stage.type(15), y = height(score);
  const isLost = v.line > 0 && distance && v.slope > 0, foot = lerp(places.y(0), places.bottom, bent);
  const plainY = lerp(height(plain), y, clamp(v.bent - 1, 0, 1));
  stage.fade(alpha * own);
  stage.line([[x, foot], [x, plainY]], ink.quiet, 1.2);
  if (isLost) {
    stage.line([[x, plainY], [x, y]], ink.bias, small ? 3 : stage.px(5));
    if (v.bent < 2) stage.box(x - 4, plainY - 4, 8, 8, 4, ink.page, ink.soft, 1.5);
  }
  drawDot(ctx, x, y, small ? 4.5 : stage.px(6.5), ink.accent, ink);
  if (v.fan > 0.5 || bent === 1 || (small && v.line > 0.5)) return;
  stage.fade(alpha * own * (1 - 2 * v.fan) * (1 - bent));
  const isBelow = v.line > 0.5 || plain < 0.6;
  stage.strong(signed(score), x, y + (isBelow ? 1 : -1) * (size + 4), size, "center", 500);
}

/** What a hand sets of the word at which the line is held: its bias; bent, what that leaves of it; and its share. */
function productOf(stage, asked, far) {
  const { step, slopeInForce, v } = stage, count = step === 3 ? far : heldDistance(stage, far);
  const slope = slopeText(slopeInForce), bias = -(Number(slope) || slopeInForce) * count; // of the slope as it is written
  if (v.bent < 0.5) return [stage.word("product"), `− ${slope} × ${count}`, ` = ${signed(bias)}`];
  const left = worthAt(1, 1, -bias).toFixed(2);
  if (v.bent < 1.5) return [stage.word("left_at", { count }), `exp(${signed(bias)})`, ` = ${left}`];
  const { score, weight } = asked[stage.order[far - count]], sum = formatNumber(Math.exp(score) / weight);
  return [stage.word("of_all"), `exp(${signed(score)}) ÷ ${sum}`, ` = ${percent(weight)}`];
}

/** The product that a hand sets: − 1/4 × 6 = −1.50. */
function drawProduct(stage, places, asked, alpha) {
  const { ink, small, step, height, v } = stage, far = asked[stage.query].place, size = stage.type(25, 17);
  if (step > 3 || far < 1) return;
  const right = places.x(places.count - 1) + places.pitch / 2, [name, product, end] = productOf(stage, asked, far);
  // From left to right in either case.
  const [before, after, last] = stage.isLeftward ? ["left", "right", product] : ["right", "left", end];
  const x = right - stage.wide(last, size, 600), inOneRow = small && v.rail > 0.5;
  const y = lerp(places.bottom - stage.type(14, 8), height - (small ? 14 : stage.px(26)), v.rail);
  stage.fade(alpha);
  stage.strong(product, x, y, size, before, 600, ink.bias);
  stage.strong(end, x, y, size, after);
  const look = { size: stage.type(15, 12), align: inOneRow ? "left" : "right" };
  stage.say(name, inOneRow ? places.left : right, inOneRow ? y : y - size - 4, look);
}

/** A word, and its weight below; around the asking word so much of a ring as it keeps for itself. */
function drawWord(stage, places, { word, text: whole, x, alpha: own, weight, isHidden }, asked, alpha) {
  const { ink, small, v, ctx, query, held, step } = stage, { pitch, row, size: type } = places;
  const isQuery = word === query, isHeld = held?.word === word, fat = isQuery ? 700 : 500;
  const y = row - (isHeld ? 4 : 0), high = type + (small ? 12 : stage.px(15));
  setFont(ctx, ink, fat, type);
  const text = fitted(ctx, whole, pitch * 0.96);
  const wide = Math.min(ctx.measureText(text).width + (small ? 8 : stage.px(20)), pitch * 0.98);
  const strength = v.line > 0.5 ? clamp(0.5 + 0.6 * Math.sqrt(weight / mostOf(asked, query)), 0.62, 1) : 1;
  const box = (...looks) => stage.box(x - wide / 2, y - high / 2, wide, high, 7, ...looks);
  if (v.cells === 0) {
    stage.fade(alpha * own * (isQuery ? 1 : 1 - v.line));
    if (isQuery) box(ink.query);
    else box(ink.raised, isHeld ? ink.accent : ink.line, isHeld ? 2 : 1);
    stage.fade(alpha * (isQuery ? 1 : own * strength));
    stage.letters(text, x, y + 1, { colour: isQuery ? ink.over : ink.text, size: type, weight: fat });
    if (isQuery) drawRing(ctx, x - wide / 2 - 2, y - high / 2 - 2, wide + 4, high + 4, 9, weight, ink.accent, 3);
    if (step === 1 && stage.untouched && word === stage.swap[1]) {
      stage.fade(alpha * stage.pulse());
      box("", ink.accent, 2);
    }
  }
  if (isHidden) return;
  stage.fade(alpha * own);
  const size = stage.type(15, 12), share = percent(weight), isTight = stage.wide(share, size, 700) > pitch - 4;
  const said = isTight ? share.replace("%", "") : share, below = row + high / 2 + RING + size * 0.8;
  stage.strong(said, x, below, size, "center", 700, ink.accent);
}

/** The largest weight on another word. */
const mostOf = (asked, query) => Math.max(...asked.filter((one) => one.word !== query).map((one) => one.weight), 1e-9);

// Hands.

/** The word under a pointer, -1 where there is none. @param {Stage} stage */
export function wordAt(stage, x, y) {
  const { at, pitch, row } = rowPlaces(stage), word = stage.order[at(x)];
  const isNear = Math.abs(Number(stage.words[word].x) - x) < pitch * 0.6;
  return isNear && y > row - 46 && y < row + 56 ? word : -1;
}

/** The slope with which the line passes below a pointer, at the distance at which it is held. @param {Stage} stage */
export const slopeThrough = (stage, y) => -rowPlaces(stage).scoreAt(y) / heldDistance(stage, stage.count - 1);

/** The distance, in words, of a pointer from the asking word. @param {Stage} stage */
export function distanceAt(stage, x) {
  const places = rowPlaces(stage), last = stage.count - 1;
  return clamp(Math.round((places.x(last) - x) / places.pitch), 1, last);
}

/** The head in whose band a pointer stands. @param {Stage} stage */
export function headAt(stage, y) {
  const { top, bottom } = rowPlaces(stage), heads = stage.message.slopes.length;
  return 1 + clamp(Math.floor(((bottom - y) / (bottom - top)) * heads), 0, heads - 1);
}
