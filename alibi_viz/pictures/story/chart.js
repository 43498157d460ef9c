// Steps 6 and 9: the chart that a reader draws on before it answers, and the curtain over the far text.

import { drawAxes, drawDot, drawEnds, drawMeasured, measuredAt, perplexity, plotOf } from "../plot.js";
import { clamp } from "../shared.js";
import { drawnTo, EVERY, FARTHEST, part, SAMPLES, timesOf } from "./arithmetic.js";

/** @import { Stage } from "./stage.js" */

const LEAST = 3, MOST = 80; // perplexities of the chart
const NAME_HEIGHT = 1.35; // of names below each other, times their type
export const PENS = /** @type {("alibi" | "rope")[]} */ (["alibi", "rope"]);

/** @param {Stage} stage */
export function chartPlot(stage) {
  const { small, width, height } = stage, px = (size) => stage.px(size);
  const left = small ? 30 : px(62), right = width - (small ? 108 : px(210));
  const edges = { left, right, top: small ? 26 : px(34), bottom: height - (small ? 42 : px(52)) };
  return plotOf(edges, { low: 0.5, high: FARTHEST, log: true }, { low: LEAST, high: MOST, log: true });
}

export const measured = (line, times) => measuredAt(line.times, line.values, times);
export const fromContext = (line, bytes) => measuredAt(line.contexts, line.context_values, bytes);

/** Axes, and what they are: in bold the number where training ended, if it is among them. */
function drawNamedAxes(stage, plot, { levels, stops, trained, nameOf, across, up }) {
  const { ctx, ink, small } = stage, size = stage.type(15, 12), { x, left, right, top, bottom } = plot;
  drawAxes(ctx, ink, plot, { levels, stops: stops.filter((stop) => stop !== trained), size, stopText: nameOf });
  if (stops.includes(trained)) stage.strong(nameOf(trained), x(trained), bottom + size, size, "center", 700);
  stage.say(up, small ? 2 : left, top - size * 1.1, { size });
  stage.say(across, right, bottom + size * 2.4, { size, align: "right" });
}

const lengthName = (times) => ({ 0.5: "½ L", 1: "L" }[times] ?? `${times} L`);

/** @param {Stage} stage */
export function drawChart(stage) {
  const { v, message: { trained, lines } } = stage, alpha = part(v.chart, 0.35, 1) * (1 - v.end);
  if (alpha <= 0) return;
  const plot = chartPlot(stage), size = stage.type(15, 12), reach = FARTHEST ** v.shown;
  stage.fade(alpha);
  const names = {
    nameOf: lengthName,
    up: stage.word("perplexity"),
    across: stage.word("in_sight", { length: trained }),
  };
  drawNamedAxes(stage, plot, { levels: [4, 8, 16, 32, 64], stops: [0.5, 1, 2, 4, 8, 16], trained: 1, ...names });
  const middle = (plot.left + plot.x(1)) / 2;
  stage.strong(stage.word("trained"), middle, plot.top + size, stage.type(16, 13), "center");
  if (v.shown > 0 || stage.message.drawing?.is_open) drawClass(stage, plot, alpha);
  for (const { method, times, values } of lines) {
    const look = { colour: stage.colourOf(method), width: (isLed(method) ? 3.5 : 2) * Math.max(0.8, stage.unit) };
    stage.fade(alpha * (isLed(method) ? 1 : 0.8));
    drawMeasured(stage.ctx, stage.ink, plot, times, values, reach, look);
  }
  for (const pen of PENS) drawGuess(stage, plot, pen, alpha);
  stage.fade(alpha);
  drawNames(stage, plot, reach);
  if (!stage.isShown && !stage.drawn[stage.pen]) askForLine(stage, plot, alpha);
  stage.fade(1);
}

const isLed = (method) => PENS.includes(method);

/** Both lines of one reader, from numbers after L: [times, perplexity] a place. @param {Stage} stage @returns {[number, number][][]} */
export function drawnLines(stage, numbers) {
  const count = numbers.length / PENS.length, of = (pen, place) => numbers[pen * count + place - 1];
  return PENS.map((method, pen) =>
    Array.from({ length: count + 1 }, (_, place) => {
      return place ? [FARTHEST ** (place / count), of(pen, place)] : [1, measured(stage.lineOf(method), 1)];
    })
  );
}

/** What a class has drawn: thin, behind what was measured; on a wall that shows votes without the answer, alone. */
function drawClass(stage, places, alpha) {
  const { message: { drawing }, v } = stage, every = drawing?.of_class ?? [];
  const count = (PENS.length * (SAMPLES - 1)) / EVERY;
  for (let at = 0; at < every.length; at += count) {
    drawnLines(stage, every.slice(at, at + count)).forEach((line, pen) => {
      stage.fade(alpha * 0.26 * (drawing?.is_open ? 1 : Math.min(1, 3 * v.shown)));
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
  drawDot(stage.ctx, x, y, 5, stage.colourOf(pen), stage.ink, 2);
  const size = stage.type(17, 13), isLate = x + stage.wide(name, size, 700) + 16 > stage.width;
  stage.strong(name, x + (isLate ? -12 : 12), y - (isLate ? size : 0), size, isLate ? "right" : "left", 700);
}

/** Where a drawn line ends, with no more digits than a hand can draw. @param {import("./stage.js").DrawnLine} line */
export function guessText(line) {
  const last = drawnTo(line), value = Number(line?.[last]);
  return last ? value.toFixed(value < 9.95 ? 1 : 0) : "?";
}

/** Names at the lines' ends, until somebody draws there; with their numbers when they have grown. */
function drawNames(stage, plot, reach) {
  const { ctx, ink, small, v, message: { lines } } = stage, size = stage.type(17, 12), isGrown = v.shown > 0;
  if (!isGrown && PENS.some((pen) => stage.drawn[pen])) return;
  const names = lines.map((line) => {
    const { method } = line, value = measured(line, reach), weight = isLed(method) ? 700 : 400;
    const name = stage.nameOf(method), text = isGrown ? `${name} ${perplexity(value)}` : name;
    return { method, text, y: plot.y(value), colour: stage.colourOf(method), weight };
  });
  const x = Math.min(plot.x(reach), plot.right) + stage.px(12);
  drawEnds(ctx, ink, names, x, { size, top: plot.top + size, bottom: plot.bottom - size * 0.7 });
  for (const { method, text, y, weight } of names) {
    const guess = stage.drawn[method];
    if (v.shown < 1 || !guess || small) continue;
    const after = x + 17 + stage.wide(text, size, weight);
    stage.say(stage.word("you", { value: guessText(guess) }), after, y, { size: stage.type(15) });
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
  const plot = chartPlot(stage), share = Math.log2(Math.max(1, plot.xAt(x))) / Math.log2(FARTHEST);
  const value = clamp(plot.yAt(y), LEAST * 1.03, MOST * 0.97);
  return { at: Math.round(clamp(share, 0, 1) * (SAMPLES - 1)), value };
}

// Step 9: the curtain.

/** @param {Stage} stage */
function curtainPlot(stage) {
  const { small, width, height } = stage, left = small ? 34 : stage.px(54), top = small ? 30 : stage.px(40);
  const right = width - (small ? 8 : Math.min(stage.px(440), width * 0.42));
  const bottom = small ? Math.max(height * 0.34, height - stage.endHeight - 46) : height - stage.px(52);
  const across = { low: 1, high: stage.farthest, log: true }, up = { low: LEAST * 1.1, high: 60, log: true };
  return plotOf({ left, right, top, bottom }, across, up);
}

/** @param {Stage} stage */
export function drawCurtain(stage) {
  const { ctx, ink, v, small, untouched, farthest, message: { words, trained, lines } } = stage;
  const alpha = part(v.end, 0.25, 1), bytes = 2 ** v.seen;
  if (alpha <= 0) return;
  const plot = curtainPlot(stage), size = stage.type(15, 12), { x, top, bottom } = plot, at = x(bytes);
  const powers = Array.from({ length: Math.log2(farthest) + 1 }, (_, power) => power);
  const stops = powers.filter((power) => !small || power % 2 === 0).map((power) => 2 ** power);
  stage.fade(alpha);
  const names = { nameOf: String, up: words.perplexity.split("|")[0], across: stage.word("counted_back") };
  drawNamedAxes(stage, plot, { levels: [4, 8, 16, 32], stops, trained, ...names });
  stage.line([[x(trained), top], [x(trained), bottom]], ink.text, 1.5, [6, 4]);
  const shown = lines.filter((line) => line.contexts.length);
  for (const { method, contexts, context_values: values } of shown) {
    const width = (method === "alibi" ? 4 : 3) * Math.max(0.8, stage.unit), colour = stage.colourOf(method);
    drawMeasured(ctx, ink, plot, contexts, values, bytes, { colour, width, far: farthest });
  }
  drawFolds(stage, plot, at, alpha);
  stage.strong(stage.word("trained"), x(trained), top + size * 0.9, size, "center");
  drawSeen(stage, plot, shown, bytes);
  stage.knob(at, (top + bottom) / 2, ink.text);
  if (untouched) stage.strong(stage.word("curtain"), at - 26, (top + bottom) / 2, stage.type(17, 14), "right", 700);
  stage.fade(1);
}

/** What the models make of the bytes in sight, beside the curtain. */
function drawSeen(stage, { x, y, top, right, bottom }, lines, bytes) {
  const at = x(bytes), size = stage.type(18, 14), isLeft = at > right - stage.px(130);
  const names = lines.map((line) => {
    const value = fromContext(line, bytes), text = `${line.name} ${perplexity(value)}`;
    return { text, value, y: y(value) - size, colour: stage.colourOf(line.method), weight: 700 };
  });
  for (const { value, colour } of names) drawDot(stage.ctx, at, y(value), 5.5, colour, stage.ink, 2);
  drawEnds(stage.ctx, stage.ink, names, at + (isLeft ? -6 : 6), { size, top, bottom: bottom - size, isLeft });
}

/** The curtain: folds over what is hidden, through which the curve is seen. */
function drawFolds(stage, { right, top, bottom }, at, alpha) {
  const { ink, ctx, small } = stage, wide = right - at, high = bottom - top, fold = stage.px(22);
  stage.fade(alpha * 0.55);
  ctx.fillStyle = ink.raised;
  if (wide > 0) ctx.fillRect(at, top, wide, high);
  stage.fade(alpha * 0.35);
  ctx.fillStyle = ink.line;
  for (let x = at; x < right - 1; x += fold) ctx.fillRect(x, top, Math.min(fold / 2, right - x), high);
  stage.fade(alpha);
  stage.line([[at, top - 4], [at, bottom]], ink.text, 2.5);
  const size = stage.type(17, 14), look = { size, weight: 600, align: "center" }, text = stage.word("hidden");
  if (wide < stage.wide(text, size, 600) + 20) return;
  stage.say(text, at + wide / 2, top + high * (small ? 0.35 : 0.3), look);
}

/** Bytes in sight under a pointer. */
export function seenUnder(stage, x) {
  const bytes = clamp(curtainPlot(stage).xAt(x), 1, stage.farthest), power = Math.log2(bytes), stop = Math.round(power);
  return Math.max(1, Math.round(Math.abs(power - stop) < 0.12 ? 2 ** stop : bytes));
}
