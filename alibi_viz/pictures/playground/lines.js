// Perplexity of the shipped models against the length that they read, and one line through all that the hand moves.

import { drawAxes, drawEnds, drawMeasured, line, perplexity, plotOf, sizeCanvas, widthOf, write } from "../plot.js";
import { clamp } from "../shared.js";
import { frame } from "../heatmap.js";

/** @import { Line } from "../story/message.d.ts" */

const LEFT = 30, TOP = 9, BELOW = 22; // pixels
const LONGEST_DRAWN = 16; // training lengths

/** The type: larger where the page is presented. */
const sizeFor = (theme) => (theme.least ? 17 : 13);

/** The measured length next to a number of lengths, in training lengths, from the trained one on. @param {Line[]} lines */
export function measuredNear(lines, times) {
  const isMeasured = (stop) => lines.every(({ times: all }) => all.includes(stop));
  const stops = lines[0].times.filter((stop) => stop >= 1 && stop <= LONGEST_DRAWN && isMeasured(stop));
  const far = (stop) => Math.abs(Math.log2(stop / times));
  return stops.reduce((best, stop) => (far(stop) < far(best) ? stop : best));
}

export const valueOf = ({ times, values }, at) => values[times.indexOf(at)];

/** Where lengths and perplexities stand: from half of the training length to 16 of them. @param {Line[]} lines */
function plotFor(lines, width, height, theme) {
  const beside = Math.max(...lines.map(({ name }) => widthOf(theme, `${name}  00.00`, sizeFor(theme), 700))) + 18;
  const all = lines.flatMap(({ times, values }) => values.filter((_, at) => times[at] <= LONGEST_DRAWN));
  const edges = { left: LEFT, right: width - beside, top: TOP, bottom: height - BELOW };
  const up = { low: Math.min(...all) * 0.92, high: Math.max(...all) * 1.06, log: true };
  return plotOf(edges, { low: 0.5, high: LONGEST_DRAWN, log: true }, up);
}

/** Training lengths at a pixel. @param {Line[]} lines */
export const timesAt = (lines, width, px, theme) => plotFor(lines, width, 100, theme).xAt(px);

/** @param {HTMLCanvasElement} canvas @param {{ width: number, height: number }} size @param {{ lines: Line[], words: Record<string, string> }} message @param {number} at the measured length at which the line stands */
export function drawLines(canvas, { width, height }, { lines, words }, at, ink, ratio) {
  const ctx = sizeCanvas(canvas, width, height, ratio), size = sizeFor(ink);
  const plot = plotFor(lines, width, height, ink), { left, right, top, bottom, x, y } = plot;
  const levels = [3, 4, 10, 30, 100].filter((tick) => y(tick) >= top && y(tick) <= bottom);
  const stopText = (times) => words.ratio.replace("{times}", String(times));
  drawAxes(ctx, ink, plot, { levels, stops: [1, 2, 4, 8, 16], size: size - 1, stopText });
  frame(ctx, left - 0.5, top - 0.5, x(1) - left + 1, bottom - top + 1, ink.soft, 1, [4, 3]);
  line(ctx, [[x(at), top - 6], [x(at), bottom + 3]], ink.text, 1.6);
  const names = lines.map(({ name, times, values, colours, is_strong: isStrong }) => {
    const colour = colours[Number(ink.dark)], value = values[times.indexOf(at)];
    drawMeasured(ctx, ink, plot, times, values, at, { colour, width: isStrong ? 3 : 2, far: LONGEST_DRAWN });
    return { text: name, value, y: clamp(y(value), top, bottom), colour, weight: isStrong ? 700 : 500 };
  });
  const look = { colour: ink.text, size, align: "right" };
  drawEnds(ctx, ink, names, right, { size, top, bottom: bottom - 4 });
  for (const { value, weight, y: place } of names) {
    write(ctx, ink, perplexity(value), width - 1, place, { ...look, weight });
  }
}
