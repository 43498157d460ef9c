// How the pictures draw: type, lines and marks on a canvas, scales with their numbers, and names at the ends of lines.

import { shorten } from "./core.js";
import { make, penOf } from "./shared.js";

const FONT_SIZE = 11;
const HALO = 5; // pixels: of a line around a text, half of which is outside
const PALE = 0.19; // the luminance over which dark letters are read better than white ones
const DARK_LETTERS = "#15181c", WHITE_LETTERS = "#ffffff";
const GRIP = 10; // pixels: the radius of the sign of what can be dragged

export const probe = penOf(make("canvas"), { willReadFrequently: true });

// Colours.

/** Any CSS colour as [r, g, b], by painting it. @type {(colour: string) => number[]} */
export function toRgb(colour) {
  probe.fillStyle = "#ffffff";
  probe.fillStyle = colour;
  probe.fillRect(0, 0, 1, 1);
  return Array.from(probe.getImageData(0, 0, 1, 1).data.slice(0, 3));
}

/** Whether a colour is pale: dark letters are read better on it. @param {string} colour */
export function isPale(colour) {
  const [red, green, blue] = toRgb(colour).map((part) => (part / 255) ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > PALE;
}

/** The colour of letters on a colour. @param {string} colour */
export const lettersOn = (colour) => (isPale(colour) ? DARK_LETTERS : WHITE_LETTERS);

// Type.

/** The size of type for a size on a desk: where the page asks for more (presented), at least that. */
export const typeSize = (theme, size = FONT_SIZE) => Math.max(size, theme.least);

/** The smallest type of a canvas stands on it: data-type-size. */
export function setFont(ctx, theme, weight = 400, size = FONT_SIZE) {
  const { dataset } = ctx.canvas, seen = size * (Number(dataset.zoom) || 1);
  ctx.font = `${weight} ${size}px ${theme.font}`;
  if (!(seen >= Number(dataset.typeSize))) dataset.typeSize = String(seen);
}

/** Words that are written from top to bottom as they are, where others lie on their side: a few Han or kana. */
export const STACKED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}、。，！？：；]{1,4}$/u;

/** From here on all stands from right to left. Texts are still written as they are read (`upright`). */
export const mirror = (ctx, width) => ctx.transform(-1, 0, 0, 1, width, 0);

/** Draw at a place what is not mirrored, even if all else is: letters. @param {(x: number, y: number) => void} draw */
export function upright(ctx, x, y, draw) {
  if (ctx.getTransform().a >= 0) return draw(x, y);
  ctx.save();
  ctx.translate(x, y);
  ctx.scale(-1, 1);
  ctx.textAlign = { left: "right", right: "left" }[ctx.textAlign] ?? ctx.textAlign;
  draw(0, 0);
  ctx.restore();
}

/** A text with a halo in the page's colour, so that it can be read over lines. */
export function write(ctx, theme, text, x, y, { colour = theme.soft, size = 13, weight = 400, align = "left" } = {}) {
  setFont(ctx, theme, weight, size);
  Object.assign(ctx, { textAlign: align, textBaseline: "middle", lineJoin: "round", lineWidth: HALO });
  Object.assign(ctx, { strokeStyle: theme.page, fillStyle: colour });
  upright(ctx, x, y, (left, top) => {
    ctx.strokeText(text, left, top);
    ctx.fillText(text, left, top);
  });
}

/** A text cut to a width. */
export function fitted(ctx, text, width) {
  let most = Array.from(text).length;
  while (most > 1 && ctx.measureText(shorten(text, most)).width > width) most -= 1;
  return shorten(text, most);
}

// Lines and marks.

/** Give a canvas a size in CSS pixels; returns its context, scaled and (unless told otherwise) cleared. */
export function sizeCanvas(canvas, width, height, ratio, clear = true) {
  const wide = Math.round(width * ratio), high = Math.round(height * ratio);
  if (canvas.width !== wide || canvas.height !== high) {
    Object.assign(canvas, { width: wide, height: high });
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    delete canvas.dataset.typeSize;
  }
  const ctx = penOf(canvas);
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  if (clear) ctx.clearRect(0, 0, width, height);
  return ctx;
}

/** The middle of a pixel, so that a line there is one pixel wide. */
export const crisp = (at) => Math.round(at) + 0.5;

/** A line through points [x, y], which may be dashed. */
export function line(ctx, points, colour, width = 1, dash = []) {
  Object.assign(ctx, { strokeStyle: colour, lineWidth: width });
  ctx.setLineDash(dash);
  ctx.beginPath();
  for (const [x, y] of points) ctx.lineTo(x, y);
  ctx.stroke();
  ctx.setLineDash([]);
}

/** Add an arc over a line of words to the path: from one place to another, so high. */
export function arc(ctx, from, to, y, high) {
  const middle = (from + to) / 2, half = ((to - from) / 2) * 0.5523;
  ctx.moveTo(from, y);
  ctx.bezierCurveTo(from, y - 0.6 * high, middle - half, y - high, middle, y - high);
  ctx.bezierCurveTo(middle + half, y - high, to, y - 0.6 * high, to, y);
}

/** An area within points [x, y]. */
export function area(ctx, points, colour) {
  ctx.fillStyle = colour;
  ctx.beginPath();
  for (const [x, y] of points) ctx.lineTo(x, y);
  ctx.fill();
}

/** The slice of a disc from one share of a turn to another, from 12 o'clock on; without them, all of it. */
export function sector(ctx, x, y, radius, colour, from = 0, to = 1) {
  ctx.fillStyle = colour;
  ctx.beginPath();
  if (to - from < 1) ctx.moveTo(x, y);
  ctx.arc(x, y, radius, (from - 0.25) * 2 * Math.PI, (to - 0.25) * 2 * Math.PI);
  ctx.fill();
}

/** A dot in two colours: a pin, or a point on a line; the page's colour around it sets it off. */
export function drawDot(ctx, x, y, radius, colour, theme, rim = 1.5) {
  if (rim) sector(ctx, x, y, radius + rim, theme.page);
  sector(ctx, x, y, radius, colour);
}

/** The line around a box with round corners, as far as a share of it. */
export function drawRing(ctx, x, y, wide, high, radius, share, colour, width) {
  const around = 2 * (wide + high) - 8 * radius + 2 * Math.PI * radius;
  Object.assign(ctx, { strokeStyle: colour, lineWidth: width });
  ctx.setLineDash([share * around, around]);
  ctx.beginPath();
  ctx.roundRect(x, y, wide, high, radius);
  ctx.stroke();
  ctx.setLineDash([]);
}

/** The one sign of what can be dragged: a disc with two triangles, across or upright. isHint: two more beside it. */
export function drawGrip(
  ctx,
  theme,
  x,
  y,
  { radius = GRIP, colour = theme.accent, isUpright = false, isHint = false } = {},
) {
  const triangles = (base, tip, half, fill) => {
    for (const side of [-radius, radius]) {
      const corners = [[tip * side, 0], [base * side, -half * radius], [base * side, half * radius]];
      area(ctx, corners.map(([along, across]) => isUpright ? [x + across, y + along] : [x + along, y + across]), fill);
    }
  };
  drawDot(ctx, x, y, radius, colour, theme, 3);
  triangles(0.2, 0.6, 0.35, theme.page);
  if (isHint) triangles(1.9, 2.7, 0.6, colour);
}

/** Draw inside a plot alone; a line on its edge is not cut in half. */
export function inPlot(ctx, { left, right, top, bottom }, draw) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(left - 1, top - 2, right - left + 2, bottom - top + 4);
  ctx.clip();
  draw();
  ctx.restore();
}

// Scales, and what stands at them.

/**
 * A scale between two pixels: `to` a pixel, and `from` one.
 * @param {{ low: number, high: number, log?: boolean }} axis
 */
export function scaleOf({ low, high, log = false }, start, end) {
  const turn = log ? Math.log : (value) => value, back = log ? Math.exp : (value) => value;
  const first = turn(low), span = turn(high) - first;
  return {
    to: (value) => start + ((turn(value) - first) / span) * (end - start),
    from: (pixel) => back(first + ((pixel - start) / (end - start)) * span),
  };
}

/** Ticks of an axis: a round step apart, at most so many. */
export function roundTicks(low, high, most) {
  const step = [0.5, 1, 2, 4, 5, 10, 20, 50, 100, 200, 500].find((size) => (high - low) / size <= most) ?? 1000;
  const first = Math.ceil(low / step), last = Math.floor(high / step);
  return Array.from({ length: last - first + 1 }, (_, at) => (first + at) * step);
}

/** Lines across a plot at some values, with their numbers beside it. @param {(value: number) => string} textOf */
export function drawLevels(ctx, theme, values, y, { from, to, at, size, align = "right" }, textOf = String) {
  for (const value of values) {
    line(ctx, [[from, crisp(y(value))], [to, crisp(y(value))]], theme.grid);
    write(ctx, theme, textOf(value), at, y(value), { size, align });
  }
}

/** Numbers below a plot, but for those that would touch the one before. @param {(value: number) => string} textOf */
export function drawStops(ctx, theme, values, x, y, size, textOf = String) {
  let free = -Infinity; // where the next number may begin
  setFont(ctx, theme, 400, size);
  for (const value of [...values].sort((a, b) => x(a) - x(b))) {
    const text = textOf(value), half = ctx.measureText(text).width / 2;
    if (x(value) - half < free) continue;
    free = x(value) + half + 6;
    write(ctx, theme, text, x(value), y, { size, align: "center" });
  }
}

/** Names in the order of their heights y, none nearer to the next than a line of type. */
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

// Numbers.

/** A share for reading: 52%, 1.5%, < 0.1%. */
export function percent(share) {
  const value = 100 * share;
  if (value > 0 && value < 0.1) return "< 0.1%";
  return `${value >= 9.95 ? value.toFixed(0) : value.toFixed(1)}%`;
}

/** A perplexity: two decimals below 10, one above. */
export const perplexity = (value) => value.toFixed(value < 10 ? 2 : 1);

/** A number with two decimals, and with the sign that stands in formulas; none before 0.00. */
export const signed = (value, digits = 2) =>
  (value <= -(10 ** -digits) / 2 ? "−" : "") + Math.abs(value).toFixed(digits);
