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

/** @param {Stage} stage */
export function drawChart(stage) {
  const { ink, v, small, message: { words, trained, lines } } = stage,
    alpha = part(v.chart, 0.35, 1) * (1 - v.texts) * (1 - v.end);
  if (alpha <= 0) return;
  const places = chartPlaces(stage), size = stage.type(15, 12), { left, right, top, bottom } = places;
  stage.fade(alpha);
  const name = (times) => (times === 0.5 ? "½ L" : `${times} L`);
  drawLevels(stage.ctx, ink, [4, 8, 16, 32, 64], places.y, { from: left, to: right, at: left - 8, size });
  drawStops(stage.ctx, ink, [0.5, 2, 4, 8, 16], places.x, bottom + size, size, name);
  stage.strong("L", places.x(1), bottom + size, size, "center", 700);
  const [brief, long] = words.perplexity.split("|"), [x_brief, x_long] = words.in_sight.split("|");
  stage.say(small ? brief : long, small ? 2 : left, top - size * 1.1, { size });
  stage.say((small ? x_brief : x_long).replace("{length}", String(trained)), right, bottom + size * 2.4, {
    size,
    align: "right",
  });
  stage.strong(words.trained, (left + places.x(1)) / 2, top + size, stage.type(16, 13), "center");
  const reach = FARTHEST ** v.shown;
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
  const points = [...line.times.filter((times) => times < reach), reach].map((
    times,
  ) => [places.x(times), places.y(measured(line, times))]);
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
  const { message: { drawing }, v } = stage,
    every = drawing?.of_class ?? [],
    count = (PENS.length * (SAMPLES - 1)) / EVERY;
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
  const [x, y] = points[points.length - 1],
    value = Number(line[last]),
    name = `${stage.lineOf(pen).name} ${roughly(value)}`;
  stage.dot(x, y, 5, stage.colourOf(pen), 2);
  const size = stage.type(17, 13), isLate = x + stage.wide(name, size, 700) + 16 > stage.width;
  stage.strong(name, x + (isLate ? -12 : 12), y - (isLate ? size : 0), size, isLate ? "right" : "left", 700);
}

/** A guess: no more digits than a hand can draw. */
export const roughly = (value) => value.toFixed(value < 9.95 ? 1 : 0);

/** Names at the lines' ends, until somebody draws there; with their numbers when they have grown. */
function drawEnds(stage, places, reach) {
  const { ink, small, v, message: { lines, words } } = stage, size = stage.type(17, 12), isGrown = v.shown > 0;
  if (!isGrown && PENS.some((pen) => stage.drawn[pen])) return;
  const x = Math.min(places.x(reach) + stage.px(14), places.right + stage.px(12));
  const names = lines.map((line) => {
    const value = measured(line, reach), name = small && line.method === "sinusoidal" ? words.sine : line.name;
    return { line, y: places.y(value), text: isGrown ? `${name} ${perplexity(value)}` : name };
  });
  for (const { line, text, y } of apart(names, size * NAME_HEIGHT, places.top + size, places.bottom - size * 0.7)) {
    const colour = ink.text, weight = isLed(line.method) ? 700 : 400;
    stage.ctx.fillStyle = stage.colourOf(line.method);
    stage.ctx.fillRect(x - 1, y - size * 0.45, 4, size * 0.9);
    const after = x + 9 + stage.say(text, x + 9, y, { colour, size, weight }), guess = stage.drawn[line.method];
    if (v.shown < 1 || !guess || small) continue;
    stage.say(words.you.replace("{value}", roughly(Number(guess[SAMPLES - 1]))), after + 8, y, {
      size: stage.type(15),
    });
  }
}

function askForLine(stage, places, alpha) {
  const { pen, message: { words } } = stage,
    line = stage.lineOf(pen),
    x = places.x(1),
    y = places.y(line.values[line.times.indexOf(1)]);
  const colour = stage.colourOf(pen), size = stage.type(20, 15), names = NAME_HEIGHT * stage.type(17, 12);
  const high = Math.min(y - stage.px(70), places.bottom - names * stage.message.lines.length - size); // above the names
  stage.fade(alpha * stage.pulse());
  Object.assign(stage.ctx, { strokeStyle: colour, lineWidth: 2 });
  stage.ctx.beginPath();
  stage.ctx.moveTo(x + stage.px(64), high);
  stage.ctx.quadraticCurveTo(x + stage.px(8), high, x + 3, y - 14);
  stage.ctx.stroke();
  stage.strong(words.draw.replace("{method}", line.name), x + stage.px(70), high, size, "left", 700);
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
  const bottom = small ? Math.max(height * 0.34, height - (stage.endHeight ?? 230) - 46) : height - stage.px(52);
  const most = stage.message.lines.reduce((all, line) => Math.max(all, ...line.contexts), 1);
  const x = scaleOf({ low: 1, high: most, log: true }, right, left);
  const y = scaleOf({ low: LEAST * 1.1, high: 60, log: true }, bottom, top);
  return { left, right, top, bottom, most, x: x.to, y: y.to, bytes: (px) => clamp(x.from(px), 1, most) };
}

export const fromContext = (line, bytes) => between(line.contexts, line.context_values, bytes);

/** @param {Stage} stage */
export function drawCurtain(stage) {
  const { ink, v, small, untouched, message: { words, trained, lines } } = stage, alpha = part(v.end, 0.25, 1);
  if (alpha <= 0) return;
  const places = curtainPlaces(stage),
    size = stage.type(15, 12),
    bytes = 2 ** v.seen,
    at = places.x(bytes),
    { left, right, top, bottom } = places;
  stage.fade(alpha);
  const stops = Array.from({ length: Math.log2(places.most) + 1 }, (_, power) => 2 ** power);
  const named = stops.filter((_, power) => !small || power % 2 === 0),
    others = named.filter((stop) => stop !== trained);
  drawLevels(stage.ctx, ink, [4, 8, 16, 32], places.y, { from: left, to: right, at: left - 8, size });
  drawStops(stage.ctx, ink, others, places.x, bottom + size, size);
  if (others.length < named.length) {
    stage.strong(String(trained), places.x(trained), bottom + size, size, "center", 700);
  }
  stage.say(words.perplexity.split("|")[0], small ? 2 : left, top - size * 1.1, { size });
  stage.say(words.counted_back, right, bottom + size * 2.4, { size, align: "right" });
  stage.line([[places.x(trained), top], [places.x(trained), bottom]], ink.text, 1.5, [6, 4]);
  const shown = lines.filter((line) => line.contexts.length);
  for (const line of shown) {
    const all = line.contexts.map((context) => [places.x(context), places.y(fromContext(line, context))]);
    const seen = [...line.contexts.filter((context) => context < bytes), bytes].map((
      context,
    ) => [places.x(context), places.y(fromContext(line, context))]);
    stage.fade(alpha * 0.3);
    stage.line(all, stage.colourOf(line.method), 2);
    stage.fade(alpha);
    stage.line(seen, stage.colourOf(line.method), (line.method === "alibi" ? 4 : 3) * Math.max(0.8, stage.unit));
  }
  drawFolds(stage, places, at, alpha);
  stage.strong(words.trained, places.x(trained), top + size * 0.9, size, "center");
  const isLate = at > right - stage.px(130), type = stage.type(18, 14);
  const ends = shown.map((line) => ({
    line,
    value: fromContext(line, bytes),
    y: places.y(fromContext(line, bytes)) - type,
  }));
  for (const { line, value, y } of apart(ends, type * 1.5, top, bottom - type)) {
    stage.dot(at, places.y(value), 5.5, stage.colourOf(line.method), 2);
    const text = `${line.name} ${perplexity(value)}`;
    stage.strong(text, at + (isLate ? -14 : 14), y, type, isLate ? "right" : "left", 700);
  }
  const middle = (top + bottom) / 2;
  stage.knob(at, middle, ink.text);
  if (untouched) stage.strong(words.curtain, at + 26, middle, stage.type(17, 14), "left", 700);
  stage.fade(1);
}

/** The curtain: folds over what is hidden, through which the curve is seen. */
function drawFolds(stage, places, at, alpha) {
  const { ink, ctx, small, message: { words } } = stage,
    { left, top, bottom } = places,
    wide = at - left,
    fold = stage.px(22);
  stage.fade(alpha * 0.55);
  ctx.fillStyle = ink.raised;
  if (wide > 0) ctx.fillRect(left, top, wide, bottom - top);
  for (let x = left; x < at - 1; x += fold) {
    stage.fade(alpha * 0.35);
    ctx.fillStyle = ink.line;
    ctx.fillRect(x, top, Math.min(fold / 2, at - x), bottom - top);
  }
  stage.fade(alpha);
  stage.line([[at, top - 4], [at, bottom]], ink.text, 2.5);
  const size = stage.type(17, 14);
  if (wide > stage.wide(words.hidden, size, 600) + 20) {
    stage.say(words.hidden, left + wide / 2, top + (bottom - top) * (small ? 0.35 : 0.3), {
      size,
      weight: 600,
      align: "center",
    });
  }
}

/** Bytes in sight under a pointer. */
export function seenUnder(stage, x) {
  const bytes = curtainPlaces(stage).bytes(x), power = Math.log2(bytes), stop = Math.round(power);
  return Math.max(1, Math.round(Math.abs(power - stop) < 0.12 ? 2 ** stop : bytes));
}
