// Perplexity of the shipped models against the length that they read, and one line through all that the hand moves.

import {
  apart,
  drawDot,
  drawLevels,
  drawStops,
  line,
  perplexity,
  probe,
  scaleOf,
  setFont,
  sizeCanvas,
  write,
} from "../plot.js";
import { clamp } from "../shared.js";
import { frame } from "../heatmap.js";

/** @import { Line } from "./message.d.ts" */

const LEFT = 30, TOP = 9, BELOW = 22; // pixels
const LONGEST_DRAWN = 16; // training lengths

/** The measured length next to a number of lengths, in training lengths. @param {Line[]} lines */
export function measuredNear(lines, times) {
  const all = stopsOf(lines), far = (stop) => Math.abs(Math.log2(stop / times));
  return all.reduce((best, stop) => (far(stop) < far(best) ? stop : best), all[0]);
}

/** The measured lengths from the trained one on, up to the longest that a hand pulls to. @param {Line[]} lines */
function stopsOf(lines) {
  const all = new Set(lines.flatMap(({ times }) => [...times]));
  return [...all].filter((times) =>
    times >= 1 && times <= LONGEST_DRAWN && lines.every((other) => other.times.includes(times))
  )
    .sort((a, b) => a - b);
}

export const valueOf = ({ times, values }, at) => values[times.indexOf(at)];

/** Where lengths and perplexities stand: from half of the training length to 16 of them. @param {Line[]} lines */
function scalesOf(lines, width, height, theme, large) {
  setFont(probe, theme, 700, large ? 17 : 13);
  const beside = Math.max(...lines.map(({ name }) => probe.measureText(`${name}  00.00`).width)) + 18;
  const right = width - beside, bottom = height - BELOW;
  const all = lines.flatMap(({ times, values }) => values.filter((_, at) => times[at] <= LONGEST_DRAWN));
  const low = Math.min(...all) * 0.92, high = Math.max(...all) * 1.06;
  const x = scaleOf({ low: 0.5, high: LONGEST_DRAWN, log: true }, LEFT, right),
    y = scaleOf({ low, high, log: true }, bottom, TOP);
  return { right, bottom, x: x.to, times: x.from, y: y.to };
}

/** Training lengths at a pixel. @param {Line[]} lines */
export const timesAt = (lines, width, px, theme, large) => scalesOf(lines, width, 100, theme, large).times(px);

/** @param {HTMLCanvasElement} canvas @param {{ width: number, height: number }} size @param {Line[]} lines @param {number} at the measured length at which the line stands */
export function drawLines(canvas, { width, height }, lines, at, ink, ratio, large) {
  const ctx = sizeCanvas(canvas, width, height, ratio),
    size = large ? 17 : 13,
    { x, y, right, bottom } = scalesOf(lines, width, height, ink, large);
  const ticks = [3, 4, 10, 30, 100].filter((tick) => y(tick) >= TOP && y(tick) <= bottom);
  drawLevels(ctx, ink, ticks, y, { from: LEFT, to: right, at: LEFT - 6, size: size - 1 });
  drawStops(ctx, ink, [1, 2, 4, 8, 16], x, bottom + 12, size - 1, (times) => `${times}×`);
  frame(ctx, LEFT - 0.5, TOP - 0.5, x(1) - LEFT + 1, bottom - TOP + 1, ink.soft, 1, [4, 3]);
  const names = [];
  for (const method of lines) {
    const colour = method.colours[Number(ink.dark)], isStrong = method.is_strong;
    const points = method.times.map((times, k) => [x(times), y(method.values[k])]).filter((_, k) =>
      method.times[k] <= LONGEST_DRAWN
    );
    const wide = isStrong ? 3 : 2;
    ctx.globalAlpha = 0.28;
    line(ctx, points, colour, wide);
    ctx.globalAlpha = 1;
    line(ctx, points.filter(([px]) => px <= x(at) + 0.5), colour, wide);
    const value = valueOf(method, at);
    names.push({ text: method.name, value, y: clamp(y(value), TOP, bottom), colour, weight: isStrong ? 700 : 500 });
  }
  line(ctx, [[x(at), TOP - 6], [x(at), bottom + 3]], ink.text, 1.6);
  for (const name of names) drawDot(ctx, x(at), name.y, 4.5, name.colour, ink);
  apart(names, size + 4, TOP, bottom - 4).forEach((name) => {
    const { text, value, weight } = name;
    write(ctx, ink, text, right + 9, name.y, { colour: ink.text, size, weight });
    ctx.fillStyle = name.colour;
    ctx.fillRect(right + 1, name.y - size / 2, 3, size);
    write(ctx, ink, perplexity(value), width - 1, name.y, { colour: ink.text, size, weight, align: "right" });
  });
}
