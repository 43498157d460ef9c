// What the columns draw: matrices under one cursor, measured lines, and what each method adds, against distance.

import { shorten } from "../text.js";
import { drawCursorCell, drawHeatmap, frame, lowerTriangle } from "../heatmap.js";
import {
  crisp,
  drawAxes,
  drawDot,
  drawEnds,
  drawMeasured,
  inPlot,
  line,
  measuredAt,
  perplexity,
  plotOf,
  roundTicks,
  sizeCanvas,
  typeSize,
  write,
} from "../plot.js";
import { clamp, formatNumber } from "../shared.js";

const LETTERS = 9; // of a word at a matrix
export const DEEPEST = 8; // what is added is clipped there, by the colours and by the curves
/** @type {Record<"added" | "weights", { quantity: string, low: number, high: number, scale: string }>} */
export const COLOURS = {
  added: { quantity: "added", low: -DEEPEST, high: DEEPEST, scale: "sqrt" },
  weights: { quantity: "weight", low: 0, high: 1, scale: "sqrt" },
};

/**
 * @import { Theme } from "../parts.js"
 * @typedef {{ ink: Theme, ratio: number, side: number, samples: number, once: number, query: number, key: number, names: [string, string] }} Place
 *   of every matrix. In samples: how many stand along a side, how many the text has once, the query and the key.
 * @typedef {{ name: string, colour: string, wide: number, points: [number, number][], at: number | null }} Curve
 *   points: distance, and what is added; at: what is added for the key.
 */

/** Of all pairs of a column: what it adds and the weights, [samples, samples] each, -Infinity where there is none. */
export function imagesOf({ cells, logsum }, content, samples) {
  const of = (valueOf) =>
    lowerTriangle(samples, (r, c) => (r < logsum.length ? valueOf((r * (r + 1)) / 2 + c, r) : -Infinity));
  const addedTo = (pair) => (cells.length ? cells[pair] : 0);
  return { added: of(addedTo), weights: of((pair, r) => Math.exp(content[pair] + addedTo(pair) - logsum[r])) };
}

/** A matrix with its cursor. @param {HTMLCanvasElement} canvas @param {Place} place @param {boolean} named whether the words stand at it */
export function drawMatrix(canvas, image, place, named) {
  const { ink, ratio, side, samples, once } = place, ctx = sizeCanvas(canvas, side, side, ratio), cell = side / samples;
  drawHeatmap(ctx, image, 0, 0, side, side, ink, ratio);
  if (once < samples) frame(ctx, 0, 0, once * cell, once * cell, ink.text, 1.2, [4, 3]);
  frame(ctx, 0, 0, side, side, ink.line);
  const high = Math.max(cell, 3), [x, y] = [place.key, place.query].map((at) => clamp(at * cell, 0, side - high));
  if (named) drawNames(ctx, place, x, y, high);
  frame(ctx, x, x, high, y - x + high, ink.text);
  drawCursorCell(ctx, ink, { side, count: samples }, [place.query, place.key]);
}

/** The words of the query's row and of the key's column, where the future is hatched. */
function drawNames(ctx, { ink, side, names }, x, y, cell) {
  const size = typeSize(ink, 12), high = size + 2, [query, key] = names.map((name) => shorten(name, LETTERS));
  const widths = [query, key].map((name) => 0.54 * size * name.length + 4), right = side - 3;
  const hasRoom = y + cell + widths[0] + 4 < side; // to the right of the row
  const rowX = hasRoom ? y + cell + 4 : right - widths[0];
  const rowY = clamp(y + cell / 2, high / 2, hasRoom ? side : side - widths[0] - high / 2 - 4);
  if (!hasRoom) line(ctx, [[right - 2, rowY + high / 2], [right - 2, y]], ink.query, 1.2);
  const above = Math.max(x - high / 2 - 1, high / 2);
  const left = clamp(Math.max(x, above + high / 2 + 2), 2, right - widths[1]);
  const free = Math.min(above, left - 2), isOver = Math.abs(free - rowY) < high && left + widths[1] > rowX;
  write(ctx, ink, query, rowX, rowY, { colour: ink.query, size, weight: 600 });
  write(ctx, ink, key, left, isOver ? Math.max(rowY - high, high / 2) : free, { colour: ink.text, size, weight: 600 });
}

/** Perplexity by times the training length, from 1 to 16, with its number at one of them, and at the last.
 * @param {HTMLCanvasElement} canvas @param {{ wide: number, high: number, ink: Theme, ratio: number, colour: string }} place @param {Record<string, number>} values
 * @param {[number, number]} ends @param {number} times */
export function drawPerplexity(canvas, { wide, high, ink, ratio, colour }, values, [low, most], times, words) {
  const ctx = sizeCanvas(canvas, wide, high, ratio), size = typeSize(ink, 12), right = wide - 2.7 * size;
  const edges = { left: 5, right, top: size + 6, bottom: high - 5 };
  const plot = plotOf(edges, { low: 1, high: 16, log: true }, { low, high: most, log: true }), { x, y, bottom } = plot;
  const xs = Object.keys(values).map(Number), ys = Object.values(values), last = xs[xs.length - 1];
  line(ctx, [[5, crisp(bottom + 3)], [right, crisp(bottom + 3)]], ink.grid);
  line(ctx, [[x(times), size + 2], [x(times), bottom + 3]], ink.line);
  if (!last) return;
  const end = Math.min(times, last), isShort = last < 16;
  drawMeasured(ctx, ink, plot, xs, ys, end, { colour, width: 2, far: last });
  const number = (at, left, up, align) => {
    const value = measuredAt(xs, ys, at), look = { colour: ink.text, size, weight: at === times ? 700 : 400, align };
    write(ctx, ink, perplexity(value), left, y(value) - up, look);
  };
  if (isShort) write(ctx, ink, words.ends, x(last) + 8, y(ys[ys.length - 1]), { size });
  else number(last, right + 6, 0, "left");
  if (isShort || end < last) number(end, Math.max(x(end), 1.2 * size), size * 0.85, "center");
}

/** The plot of the curves: distances run to the left. @param {Curve[]} curves */
function plotFor(curves, query, wide, high, ink) {
  const size = typeSize(ink, 13), all = curves.flatMap(({ points }) => points.map(([, value]) => value));
  const lengthOf = ({ name, points }) => name.length + (Math.abs(points.at(-1)?.[1] ?? 0) > DEEPEST ? 6 : 0);
  const left = Math.max(5.6, 0.56 * Math.max(...curves.map(lengthOf))) * size + 12;
  const [low, most] = [Math.min(-2, ...all) - 0.3, Math.max(0.5, ...all) + 0.3].map((end) =>
    clamp(end, -DEEPEST, DEEPEST)
  );
  const edges = { left, right: wide - 2.6 * size, top: size / 2 + 2, bottom: high - 1.6 * size };
  const plot = plotOf(edges, { low: Math.max(query, 1), high: 0 }, { low, high: most });
  return { ...plot, size, low, most };
}

/** Returns their plot. @param {HTMLCanvasElement} canvas @param {Curve[]} curves @param {{ query: number, key: number, once: number, marked: string, wide: number, high: number, ink: Theme, ratio: number }} place */
export function drawCurves(canvas, curves, { query, key, once, marked, wide, high, ink, ratio }, words) {
  const ctx = sizeCanvas(canvas, wide, high, ratio), plot = plotFor(curves, query, wide, high, ink);
  const { x, y, size, left, right, top, bottom, low, most } = plot, small = { size: typeSize(ink, 12) };
  if (query >= once) {
    ctx.fillStyle = ink.grid;
    ctx.fillRect(left, top, x(once - 1) - left, bottom - top);
    const isLow = curves.some(({ points }) => Math.abs((points.at(-1)?.[1] ?? 0) - low) < (most - low) / 4); // a line ends where the words would stand
    write(ctx, ink, words.beyond, isLow ? x(once - 1) - 4 : left + 4, bottom - size, {
      ...small,
      align: isLow ? "right" : "left",
    });
  }
  const stops = roundTicks(0, query, (right - left) / (4 * size));
  drawAxes(ctx, ink, plot, {
    levels: roundTicks(low, most, (bottom - top) / (1.5 * size)),
    stops: stops.filter((stop) => Number.isInteger(stop) && x(stop) > left + size),
    isRight: true,
    levelText: formatNumber,
    ...small,
  });
  write(ctx, ink, words.back, left - 8, bottom + small.size, { ...small, align: "right" });
  line(ctx, [[x(query - key), top], [x(query - key), bottom]], ink.text);
  const ordered = [...curves].sort((a, b) => Number(a.name === marked) - Number(b.name === marked));
  const drawCurve = (curve) => {
    const { name, colour, points, at } = curve, isMarked = marked ? name === marked : curve.wide > 2;
    ctx.globalAlpha = marked && !isMarked ? 0.25 : 1;
    line(
      ctx,
      points.map(([distance, value]) => [x(distance), y(clamp(value, low - 1, most + 1))]),
      colour,
      isMarked ? 3 : curve.wide,
    );
    if (at !== null) drawDot(ctx, x(query - key), y(clamp(at, low, most)), 4, colour, ink);
  };
  inPlot(ctx, plot, () => ordered.forEach(drawCurve));
  ctx.globalAlpha = 1;
  const names = ordered.filter(({ points }) => points.length).map(({ name, points, wide: width, colour }) => {
    const end = points[points.length - 1][1], arrow = end < low ? "↓" : end > most ? "↑" : "";
    const text = arrow ? `${name} ${arrow}${formatNumber(end)}` : name;
    return { text, y: y(clamp(end, low, most)), colour, weight: width > 2 ? 700 : 500 };
  });
  drawEnds(ctx, ink, names, left, { size, top: top + 3, bottom: bottom - 3, isLeft: true });
  return plot;
}
