// What the columns draw: matrices under one cursor, measured lines, and what each method adds, against distance.

import { shorten } from "../core.js";
import { drawCursorCell, drawHeatmap, frame } from "../heatmap.js";
import {
  apart,
  crisp,
  drawDot,
  drawLevels,
  drawStops,
  inPlot,
  line,
  perplexity,
  roundTicks,
  scaleOf,
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
 * @import { Column as Sent } from "./message.d.ts"
 * @import { Numbers } from "../core.js"
 * @import { Theme } from "../parts.js"
 * @typedef {Omit<Sent, "cells" | "logsum" | "row"> & { cells: Numbers, logsum: Numbers, row: Numbers, light: string, dark: string, is_strong: boolean }} Column
 * @typedef {{ ink: Theme, ratio: number, side: number, samples: number, once: number, query: number, key: number, names: [string, string] }} Place
 *   of every matrix. In samples: how many stand along a side, how many the text has once, the query and the key.
 * @typedef {{ name: string, colour: string, wide: number, points: [number, number][], at: number | null }} Curve
 *   points: distance, and what is added; at: what is added for the key.
 */

/** Of all pairs of a column: what it adds and the weights, [samples, samples] each, -Infinity where there is none. */
export function imagesOf({ cells, logsum }, content, samples) {
  const added = new Float32Array(samples * samples).fill(-Infinity), weights = added.slice();
  for (let r = 0, pair = 0; r < logsum.length; r += 1) {
    for (let c = 0; c <= r; c += 1, pair += 1) {
      const at = r * samples + c;
      added[at] = cells.length ? cells[pair] : 0;
      weights[at] = Math.exp(content[pair] + added[at] - logsum[r]);
    }
  }
  return { added, weights };
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
  const rowX = hasRoom ? y + cell + 4 : right - widths[0],
    rowY = clamp(y + cell / 2, high / 2, hasRoom ? side : side - widths[0] - high / 2 - 4);
  if (!hasRoom) line(ctx, [[right - 2, rowY + high / 2], [right - 2, y]], ink.query, 1.2);
  const above = Math.max(x - high / 2 - 1, high / 2),
    left = clamp(Math.max(x, above + high / 2 + 2), 2, right - widths[1]);
  const free = Math.min(above, left - 2), isOver = Math.abs(free - rowY) < high && left + widths[1] > rowX;
  write(ctx, ink, query, rowX, rowY, { colour: ink.query, size, weight: 600 });
  write(ctx, ink, key, left, isOver ? Math.max(rowY - high, high / 2) : free, { colour: ink.text, size, weight: 600 });
}

/** Perplexity by times the training length, from 1 to 16: the whole line, a dot and a number at one of them, and the last.
 * @param {HTMLCanvasElement} canvas @param {{ wide: number, high: number, ink: Theme, ratio: number, colour: string }} place @param {Record<string, number>} values
 * @param {[number, number]} ends @param {number} times */
export function drawMeasured(canvas, { wide, high, ink, ratio, colour }, values, ends, times, words) {
  const ctx = sizeCanvas(canvas, wide, high, ratio), size = typeSize(ink, 12), [low, top] = ends;
  const points = Object.entries(values).map(([at, value]) => ({ times: Number(at), value })), last = points.at(-1);
  const right = wide - 2.7 * size, base = high - 5, { to: x } = scaleOf({ low: 1, high: 16, log: true }, 5, right);
  const { to: y } = scaleOf({ low, high: top, log: true }, base, size + 6);
  line(ctx, [[5, crisp(base + 3)], [right, crisp(base + 3)]], ink.grid);
  line(ctx, [[x(times), size + 2], [x(times), base + 3]], ink.line);
  if (!last) return;
  line(ctx, points.map((point) => [x(point.times), y(point.value)]), colour, 2);
  const isShort = last.times < 16, now = points.find((point) => point.times === times), marked = isShort ? last : now;
  const number = (point, left, up, align) => (
    write(ctx, ink, perplexity(point.value), left, y(point.value) - up, {
      colour: ink.text,
      size,
      weight: point === now ? 700 : 400,
      align,
    })
  );
  if (isShort) write(ctx, ink, words.ends, x(last.times) + 8, y(last.value), { size });
  else number(last, right + 6, 0, "left");
  if (!marked) return;
  drawDot(ctx, x(marked.times), y(marked.value), 3.6, colour, ink);
  if (isShort || marked !== last) number(marked, Math.max(x(marked.times), 1.2 * size), size * 0.85, "center");
}

/** Where distances and numbers stand on the canvas of the curves. @param {Curve[]} curves */
function curvePlaces(curves, query, wide, high, ink) {
  const size = typeSize(ink, 13), top = size / 2 + 2, bottom = high - 1.6 * size, right = wide - 2.6 * size;
  const lengthOf = ({ name, points }) => name.length + (Math.abs(points.at(-1)?.[1] ?? 0) > DEEPEST ? 6 : 0);
  const left = Math.max(5.6, 0.56 * Math.max(...curves.map(lengthOf))) * size + 12;
  const all = curves.flatMap(({ points }) => points.map(([, value]) => value));
  const [low, most] = [Math.min(-2, ...all) - 0.3, Math.max(0.5, ...all) + 0.3].map((end) =>
    clamp(end, -DEEPEST, DEEPEST)
  );
  const x = scaleOf({ low: 0, high: Math.max(query, 1) }, right, left), y = scaleOf({ low, high: most }, bottom, top);
  return { size, left, right, top, bottom, low, high: most, x: x.to, y: y.to, distance: x.from };
}

/** Returns where distances stand. @param {HTMLCanvasElement} canvas @param {Curve[]} curves @param {{ query: number, key: number, once: number, marked: string, wide: number, high: number, ink: Theme, ratio: number }} place */
export function drawCurves(canvas, curves, { query, key, once, marked, wide, high, ink, ratio }, words) {
  const ctx = sizeCanvas(canvas, wide, high, ratio), places = curvePlaces(curves, query, wide, high, ink);
  const { x, y, size, left, right, top, bottom, low, high: most } = places;
  const small = { size: typeSize(ink, 12) };
  if (query >= once) {
    ctx.fillStyle = ink.grid;
    ctx.fillRect(left, top, x(once - 1) - left, bottom - top);
    const isLow = curves.some(({ points }) => Math.abs((points.at(-1)?.[1] ?? 0) - low) < (most - low) / 4); // a line ends where the words would stand
    write(ctx, ink, words.beyond, isLow ? x(once - 1) - 4 : left + 4, bottom - size, {
      ...small,
      align: isLow ? "right" : "left",
    });
  }
  const levels = roundTicks(low, most, (bottom - top) / (1.5 * size));
  const place = { from: left, to: right, at: right + 7, align: "left", ...small };
  drawLevels(ctx, ink, levels.filter(Boolean), y, place, formatNumber);
  drawLevels(ctx, { ...ink, grid: ink.line }, [0], y, place);
  const distances = roundTicks(0, query, (right - left) / (4 * size)).filter((tick) =>
    Number.isInteger(tick) && x(tick) > left + size
  );
  drawStops(ctx, ink, distances, x, bottom + 0.8 * size, small.size);
  write(ctx, ink, words.back, left - 8, bottom + 0.8 * size, { ...small, align: "right" });
  line(ctx, [[x(query - key), top], [x(query - key), bottom]], ink.text);
  const names = [], ordered = [...curves].sort((a, b) => Number(a.name === marked) - Number(b.name === marked));
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
    const [, end] = points.at(-1) ?? [0, null];
    if (end !== null) names.push({ curve, end, y: y(clamp(end, low, most)) });
  };
  inPlot(ctx, places, () => ordered.forEach(drawCurve));
  ctx.globalAlpha = 1;
  apart(names, size + 2, top + 3, bottom - 3).forEach(({ curve, end, y: to }) => {
    const from = y(clamp(end, low, most)), weight = curve.wide > 2 ? 700 : 500;
    const beyond = end < low ? ` ↓${formatNumber(end)}` : end > most ? ` ↑${formatNumber(end)}` : "";
    line(ctx, [[left - 7, to], [left - 1, from]], curve.colour, 2);
    write(ctx, ink, curve.name + beyond, left - 10, to, { colour: ink.text, size, weight, align: "right" });
  });
  return places;
}
