// Perplexity of the shipped models against the length that they read, and one line through all that the hand moves.

import { crisp, drawDot, line, probe, setFont, sizeCanvas } from "../parts.js";
import { clamp } from "../shared.js";
import { write } from "./pen.js";

/** @import { Line } from "./message.d.ts" */

const LEFT = 30, TOP = 20, BELOW = 22;

/** The measured length next to a number of lengths, in training lengths. @param {Line[]} lines */
export function measuredNear(lines, times) {
  const all = stopsOf(lines), far = (stop) => Math.abs(Math.log2(stop / times));
  return all.reduce((best, stop) => (far(stop) < far(best) ? stop : best), all[0]);
}

/** The measured lengths from the trained one on, up to the longest that a hand pulls to. @param {Line[]} lines */
function stopsOf(lines) {
  const all = new Set(lines.flatMap(({ times }) => [...times]));
  return [...all].filter((times) => times >= 1 && times <= 16 && lines.every((other) => other.times.includes(times)))
    .sort((a, b) => a - b);
}

export const valueOf = ({ times, values }, at) => values[times.indexOf(at)];

/** Two decimals below 10, one above. */
export const perplexity = (value) => value.toFixed(value < 10 ? 2 : 1);

function scalesOf(lines, width, height, theme, large) {
  setFont(probe, theme, 700, large ? 17 : 13);
  const beside = Math.max(...lines.map(({ name }) => probe.measureText(`${name}  00.00`).width)) + 18;
  const right = width - beside, bottom = height - BELOW;
  const all = lines.flatMap(({ times, values }) => values.filter((_, at) => times[at] <= 16));
  const low = Math.log(Math.min(...all) * 0.92), high = Math.log(Math.max(...all) * 1.06);
  return {
    right,
    bottom,
    x: (times) => LEFT + ((right - LEFT) * (Math.log2(times) + 1)) / 5,
    y: (value) => bottom - ((bottom - TOP) * (Math.log(value) - low)) / (high - low),
    times: (px) => 2 ** (((px - LEFT) / (right - LEFT)) * 5 - 1),
  };
}

/** Training lengths at a pixel. @param {Line[]} lines */
export const timesAt = (lines, width, px, theme, large) => scalesOf(lines, width, 100, theme, large).times(px);

/** @param {HTMLCanvasElement} canvas @param {{ width: number, height: number }} size @param {Line[]} lines @param {number} at the measured length at which the line stands */
export function drawLines(canvas, { width, height }, lines, at, ink, words, ratio, large) {
  const ctx = sizeCanvas(canvas, width, height, ratio),
    size = large ? 17 : 13,
    { x, y, right, bottom } = scalesOf(lines, width, height, ink, large);
  for (const tick of [3, 4, 10, 30, 100]) {
    if (y(tick) < TOP || y(tick) > bottom) continue;
    line(ctx, [[LEFT, crisp(y(tick))], [right, crisp(y(tick))]], ink.grid);
    write(ctx, ink, String(tick), LEFT - 6, y(tick), { size: size - 1, align: "right" });
  }
  for (let times = 1; times <= 16; times *= 2) {
    write(ctx, ink, `${times}×`, x(times), bottom + 12, { size: size - 1, align: "center" });
  }
  line(ctx, [[LEFT, TOP], [x(1), TOP], [x(1), bottom], [LEFT, bottom], [LEFT, TOP]], ink.soft, 1, [4, 3]);
  write(ctx, ink, words.perplexity, 0, 8, { size: size - 1 });
  const names = [];
  for (const method of lines) {
    const colour = method.colours[Number(ink.dark)], isStrong = method.is_strong;
    const points = method.times.map((times, k) => [x(times), y(method.values[k])]).filter((_, k) =>
      method.times[k] <= 16
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

/** Names in the order of their values, none nearer to the next than a line of type. */
export function apart(names, gap, top, bottom) {
  const ordered = [...names].sort((a, b) => a.y - b.y);
  ordered.forEach((name, at) => {
    name.y = Math.max(name.y, at ? ordered[at - 1].y + gap : top);
  });
  for (let at = ordered.length - 1; at >= 0; at -= 1) {
    const below = ordered[at + 1];
    ordered[at].y = Math.min(ordered[at].y, below ? below.y - gap : bottom);
  }
  return ordered;
}
