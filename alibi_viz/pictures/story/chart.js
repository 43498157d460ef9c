// Steps 6 and 9: the chart that a reader draws on before it answers, and the curtain over the far text.

import { apart, drawLevels, drawStops, perplexity, scaleOf } from "../plot.js";
import { clamp } from "../shared.js";
import { between, drawnTo, EVERY, FARTHEST, part, SAMPLES, timesOf } from "./core.js";

/** @import { Stage } from "./stage.js" */

const LEAST = 3, MOST = 80; // perplexities of the chart
const NAME_HEIGHT = 1.35; // of names below each other, times their type
export const PENS = /** @type {("alibi" | "rope")[]} */ (["alibi", "rope"]);

/** @param {Stage} stage */
export function chartPlaces(stage) {
  const { small, width, height } = stage, px = (size) => stage.px(size);
  const left = small ? 30 : px(62), right = width - (small ? 108 : px(210));
  const top = small ? 26 : px(34), bottom = height - (small ? 42 : px(52));
  const x = scaleOf({ low: 0.5, high: FARTHEST, log: true }, left, right);
  const y = scaleOf({ low: LEAST, high: MOST, log: true }, bottom, top);
  const value = (py) => clamp(y.from(py), LEAST * 1.03, MOST * 0.97);
  return { left, right, top, bottom, x: x.to, y: y.to, times: x.from, value };
}

export const measured = (line, times) => between(line.times, line.values, times);
export const fromContext = (line, bytes) => between(line.contexts, line.context_values, bytes);

/** A measured line as far as a place, on the chart. */
const pathTo = (end, xs, ys, { x, y }) =>
  [...xs.filter((at) => at < end), end].map((at) => [x(at), y(between(xs, ys, at))]);

/** Perplexities beside a chart, and numbers below it: in bold the one where training ended, if it is among them. */
function drawAxes(stage, { x, y, left, right, top, bottom }, { levels, stops, trained, nameOf, across, up }) {
  const { ctx, ink, small } = stage, size = stage.type(15, 12), below = bottom + size;
  drawLevels(ctx, ink, levels, y, { from: left, to: right, at: left - 8, size });
  drawStops(ctx, ink, stops.filter((stop) => stop !== trained), x, below, size, nameOf);
  if (stops.includes(trained)) stage.strong(nameOf(trained), x(trained), below, size, "center", 700);
  stage.say(up, small ? 2 : left, top - size * 1.1, { size });
  stage.say(across, right, bottom + size * 2.4, { size, align: "right" });
}

const lengthName = (times) => ({ 0.5: "½ L", 1: "L" }[times] ?? `${times} L`);

/** @param {Stage} stage */
export function drawChart(stage) {
  const { v, message: { trained, lines } } = stage, alpha = part(v.chart, 0.35, 1) * (1 - v.texts) * (1 - v.end);
  if (alpha <= 0) return;
  const places = chartPlaces(stage), size = stage.type(15, 12), reach = FARTHEST ** v.shown;
  stage.fade(alpha);
  const names = {
    nameOf: lengthName,
    up: stage.word("perplexity"),
    across: stage.word("in_sight", { length: trained }),
  };
  drawAxes(stage, places, { levels: [4, 8, 16, 32, 64], stops: [0.5, 1, 2, 4, 8, 16], trained: 1, ...names });
  const middle = (places.left + places.x(1)) / 2;
  stage.strong(stage.word("trained"), middle, places.top + size, stage.type(16, 13), "center");
  if (v.shown > 0) drawClass(stage, places, alpha);
  for (const line of lines) drawMeasured(stage, places, line, reach, alpha);
  for (const pen of PENS) drawGuess(stage, places, pen, alpha);
  stage.fade(alpha);
  drawEnds(stage, places, reach);
  if (!stage.isShown && !stage.drawn[stage.pen]) askForLine(stage, places, alpha);
  stage.fade(1);
}

const isLed = (method) => PENS.includes(method);

function drawMeasured(stage, places, line, reach, alpha) {
  const points = pathTo(reach, line.times, line.values, places);
  stage.fade(alpha * (isLed(line.method) ? 1 : 0.8));
  stage.ctx.lineJoin = "round";
  stage.line(points, stage.colourOf(line.method), (isLed(line.method) ? 3.5 : 2) * Math.max(0.8, stage.unit));
  stage.dot(...points[points.length - 1], isLed(line.method) ? 5 : 4, stage.colourOf(line.method), 2);
}

/**
 * Both lines of one reader, from numbers after L: each begins where it is measured. [times, perplexity] a place.
 * @param {Stage} stage @param {ArrayLike<number>} numbers @returns {[number, number][][]}
 */
export function drawnLines(stage, numbers) {
  const count = numbers.length / PENS.length, of = (pen, place) => numbers[pen * count + place - 1];
  return PENS.map((method, pen) =>
    Array.from({ length: count + 1 }, (_, place) => {
      return place ? [FARTHEST ** (place / count), of(pen, place)] : [1, measured(stage.lineOf(method), 1)];
    })
  );
}

/** What a class has drawn: thin, behind what was measured. */
function drawClass(stage, places, alpha) {
  const { message: { drawing }, v } = stage, every = drawing?.of_class ?? [];
  const count = (PENS.length * (SAMPLES - 1)) / EVERY;
  for (let at = 0; at < every.length; at += count) {
    drawnLines(stage, every.slice(at, at + count)).forEach((line, pen) => {
      stage.fade(alpha * 0.26 * Math.min(1, 3 * v.shown));
      stage.line(line.map(([times, value]) => [places.x(times), places.y(value)]), stage.colourOf(PENS[pen]), 1.5);
    });
  }
}

function drawGuess(stage, places, pen, alpha) {
  const line = stage.drawn[pen], last = drawnTo(line);
  if (!line || !last) return;
  const points = line.flatMap((value, at) => (value === null ? [] : [[places.x(timesOf(at)), places.y(value)]]));
  stage.fade(alpha);
  Object.assign(stage.ctx, { lineCap: "round", lineJoin: "round" });
  stage.line(points, stage.colourOf(pen), 2.6, [2, 6]);
  stage.ctx.lineCap = "butt";
  if (stage.v.shown > 0) return;
  const [x, y] = points[points.length - 1], name = `${stage.lineOf(pen).name} ${guessText(line)}`;
  stage.dot(x, y, 5, stage.colourOf(pen), 2);
  const size = stage.type(17, 13), isLate = x + stage.wide(name, size, 700) + 16 > stage.width;
  stage.strong(name, x + (isLate ? -12 : 12), y - (isLate ? size : 0), size, isLate ? "right" : "left", 700);
}

/** Where a drawn line ends, with no more digits than a hand can draw. @param {import("./stage.js").DrawnLine} line */
export function guessText(line) {
  const last = drawnTo(line), value = Number(line?.[last]);
  return last ? value.toFixed(value < 9.95 ? 1 : 0) : "?";
}

/** Names at the lines' ends, until somebody draws there; with their numbers when they have grown. */
function drawEnds(stage, places, reach) {
  const { ink, small, v, message: { lines } } = stage, size = stage.type(17, 12), isGrown = v.shown > 0;
  if (!isGrown && PENS.some((pen) => stage.drawn[pen])) return;
  const x = Math.min(places.x(reach) + stage.px(14), places.right + stage.px(12));
  const names = lines.map((line) => {
    const value = measured(line, reach), isLong = small && line.method === "sinusoidal";
    const name = isLong ? stage.word("sine") : line.name;
    return { line, y: places.y(value), text: isGrown ? `${name} ${perplexity(value)}` : name };
  });
  for (const { line, text, y } of apart(names, size * NAME_HEIGHT, places.top + size, places.bottom - size * 0.7)) {
    const colour = ink.text, weight = isLed(line.method) ? 700 : 400;
    stage.ctx.fillStyle = stage.colourOf(line.method);
    stage.ctx.fillRect(x - 1, y - size * 0.45, 4, size * 0.9);
    const after = x + 9 + stage.say(text, x + 9, y, { colour, size, weight }), guess = stage.drawn[line.method];
    if (v.shown < 1 || !guess || small) continue;
    stage.say(stage.word("you", { value: guessText(guess) }), after + 8, y, { size: stage.type(15) });
  }
}

function askForLine(stage, places, alpha) {
  const { pen, message: { lines } } = stage, line = stage.lineOf(pen), x = places.x(1), y = places.y(measured(line, 1));
  const colour = stage.colourOf(pen), size = stage.type(20, 15), names = NAME_HEIGHT * stage.type(17, 12);
  const high = Math.min(y - stage.px(70), places.bottom - names * lines.length - size); // above the names
  stage.fade(alpha * stage.pulse());
  Object.assign(stage.ctx, { strokeStyle: colour, lineWidth: 2 });
  stage.ctx.beginPath();
  stage.ctx.moveTo(x + stage.px(64), high);
  stage.ctx.quadraticCurveTo(x + stage.px(8), high, x + 3, y - 14);
  stage.ctx.stroke();
  stage.strong(stage.word("draw", { method: line.name }), x + stage.px(70), high, size, "left", 700);
}

/** The place on the line that is drawn, under a pointer: a sample and a perplexity. */
export function guessAt(stage, x, y) {
  const places = chartPlaces(stage), share = Math.log2(Math.max(1, places.times(x))) / Math.log2(FARTHEST);
  return { at: Math.round(clamp(share, 0, 1) * (SAMPLES - 1)), value: places.value(y) };
}

// Step 9: the curtain.

/** @param {Stage} stage */
function curtainPlaces(stage) {
  const { small, width, height } = stage, left = small ? 34 : stage.px(54), top = small ? 30 : stage.px(40);
  const right = width - (small ? 8 : Math.min(stage.px(440), width * 0.42));
  const bottom = small ? Math.max(height * 0.34, height - stage.endHeight - 46) : height - stage.px(52);
  const most = stage.farthest;
  const x = scaleOf({ low: 1, high: most, log: true }, right, left);
  const y = scaleOf({ low: LEAST * 1.1, high: 60, log: true }, bottom, top);
  return { left, right, top, bottom, most, x: x.to, y: y.to, bytes: (px) => clamp(x.from(px), 1, most) };
}

/** @param {Stage} stage */
export function drawCurtain(stage) {
  const { ink, v, small, untouched, message: { words, trained, lines } } = stage, alpha = part(v.end, 0.25, 1);
  if (alpha <= 0) return;
  const places = curtainPlaces(stage), size = stage.type(15, 12), bytes = 2 ** v.seen, { x, top, bottom } = places;
  const powers = Array.from({ length: Math.log2(places.most) + 1 }, (_, power) => power);
  const stops = powers.filter((power) => !small || power % 2 === 0).map((power) => 2 ** power);
  stage.fade(alpha);
  const names = { nameOf: String, up: words.perplexity.split("|")[0], across: words.counted_back };
  drawAxes(stage, places, { levels: [4, 8, 16, 32], stops, trained, ...names });
  stage.line([[x(trained), top], [x(trained), bottom]], ink.text, 1.5, [6, 4]);
  const shown = lines.filter((line) => line.contexts.length);
  for (const { method, contexts, context_values } of shown) {
    const colour = stage.colourOf(method), wide = (method === "alibi" ? 4 : 3) * Math.max(0.8, stage.unit);
    stage.fade(alpha * 0.3);
    stage.line(pathTo(places.most, contexts, context_values, places), colour, 2);
    stage.fade(alpha);
    stage.line(pathTo(bytes, contexts, context_values, places), colour, wide);
  }
  const at = x(bytes), middle = (top + bottom) / 2;
  drawFolds(stage, places, at, alpha);
  stage.strong(stage.word("trained"), x(trained), top + size * 0.9, size, "center");
  drawSeen(stage, places, shown, bytes);
  stage.knob(at, middle, ink.text);
  if (untouched) stage.strong(stage.word("curtain"), at + 26, middle, stage.type(17, 14), "left", 700);
  stage.fade(1);
}

/** What the models make of the bytes in sight, beside the curtain. */
function drawSeen(stage, { x, y, top, right, bottom }, lines, bytes) {
  const at = x(bytes),
    isLate = at > right - stage.px(130),
    size = stage.type(18, 14),
    beside = at + (isLate ? -14 : 14);
  const ends = lines.map((line) => {
    const value = fromContext(line, bytes);
    return { line, value, y: y(value) - size };
  });
  for (const { line, value, y: height } of apart(ends, size * 1.5, top, bottom - size)) {
    stage.dot(at, y(value), 5.5, stage.colourOf(line.method), 2);
    stage.strong(`${line.name} ${perplexity(value)}`, beside, height, size, isLate ? "right" : "left", 700);
  }
}

/** The curtain: folds over what is hidden, through which the curve is seen. */
function drawFolds(stage, { left, top, bottom }, at, alpha) {
  const { ink, ctx, small } = stage, wide = at - left, high = bottom - top, fold = stage.px(22);
  stage.fade(alpha * 0.55);
  ctx.fillStyle = ink.raised;
  if (wide > 0) ctx.fillRect(left, top, wide, high);
  stage.fade(alpha * 0.35);
  ctx.fillStyle = ink.line;
  for (let x = left; x < at - 1; x += fold) ctx.fillRect(x, top, Math.min(fold / 2, at - x), high);
  stage.fade(alpha);
  stage.line([[at, top - 4], [at, bottom]], ink.text, 2.5);
  const size = stage.type(17, 14), look = { size, weight: 600, align: "center" }, text = stage.word("hidden");
  if (wide < stage.wide(text, size, 600) + 20) return;
  stage.say(text, left + wide / 2, top + high * (small ? 0.35 : 0.3), look);
}

/** Bytes in sight under a pointer. */
export function seenUnder(stage, x) {
  const bytes = curtainPlaces(stage).bytes(x), power = Math.log2(bytes), stop = Math.round(power);
  return Math.max(1, Math.round(Math.abs(power - stop) < 0.12 ? 2 ** stop : bytes));
}
