// How the pictures draw: type, lines and marks on a canvas, scales with their numbers, and names at the ends of lines.

import { shorten } from "./text.js";
import { clamp, make, penOf } from "./shared.js";

const FONT_SIZE = 11;
const HALO = 5; // pixels: of a line around a text, half of which is outside
const HALF_EMPTY = /[\u3001\u3002\uff08-\uff1f]/; // signs beside whose ink a line behind them would be read as one of the text
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

/** How wide a text is. */
export function widthOf(theme, text, size, weight = 400) {
  setFont(probe, theme, weight, size);
  return probe.measureText(text).width;
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
  Object.assign(ctx, { strokeStyle: theme.page, fillStyle: theme.page });
  upright(ctx, x, y, (left, top) => {
    if (HALF_EMPTY.test(text)) {
      const { actualBoundingBoxLeft: before, actualBoundingBoxRight: after } = ctx.measureText(text);
      ctx.fillRect(left - before, top - size / 2, before + after, size);
    }
    ctx.fillStyle = colour;
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

/** Give a canvas a size in pixels, each as large as `zoom` of CSS; returns its context, scaled and cleared. */
export function sizeCanvas(canvas, width, height, ratio, zoom = 1) {
  const wide = Math.round(width * zoom * ratio), high = Math.round(height * zoom * ratio);
  if (canvas.width !== wide || canvas.height !== high) {
    Object.assign(canvas, { width: wide, height: high });
    Object.assign(canvas.style, { width: `${width * zoom}px`, height: `${height * zoom}px` });
    delete canvas.dataset.typeSize;
  }
  canvas.dataset.zoom = String(zoom);
  const ctx = penOf(canvas);
  ctx.setTransform(zoom * ratio, 0, 0, zoom * ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  return ctx;
}

/** The middle of a pixel, so that a line there is one pixel wide. */
export const crisp = (at) => Math.round(at) + 0.5;

/** A line that is drawn as `path` says, and may be dashed. @param {() => void} path */
export function stroke(ctx, path, colour, width = 1, dash = []) {
  Object.assign(ctx, { strokeStyle: colour, lineWidth: width });
  ctx.setLineDash(dash);
  ctx.beginPath();
  path();
  ctx.stroke();
  ctx.setLineDash([]);
}

/** A line through points [x, y]. */
export function line(ctx, points, colour, width = 1, dash = []) {
  stroke(ctx, () => points.forEach(([x, y]) => ctx.lineTo(x, y)), colour, width, dash);
}

/** Add an arc over a line of words to the path: from one place to another, so high. */
export function arc(ctx, from, to, y, high) {
  const middle = (from + to) / 2, half = ((to - from) / 2) * 0.5523;
  ctx.moveTo(from, y);
  ctx.bezierCurveTo(from, y - 0.6 * high, middle - half, y - high, middle, y - high);
  ctx.bezierCurveTo(middle + half, y - high, to, y - 0.6 * high, to, y);
}

/** The line around a disc. */
export function circle(ctx, x, y, radius, colour, width, dash = []) {
  stroke(ctx, () => ctx.arc(x, y, radius, 0, 2 * Math.PI), colour, width, dash);
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
  stroke(ctx, () => ctx.roundRect(x, y, wide, high, radius), colour, width, [share * around, around]);
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

/**
 * A plot: its edges and its scales, `x` and `y` of values, `xAt` and `yAt` of pixels. An axis whose low end is the larger one
 * runs the other way.
 */
export function plotOf({ left, right, top, bottom }, across, up) {
  const x = scaleOf(across, left, right), y = scaleOf(up, bottom, top);
  return { left, right, top, bottom, x: x.to, y: y.to, xAt: x.from, yAt: y.from };
}

/** Lines across a plot at its levels, with their numbers beside it, and below it the numbers at its stops, where they have room. */
export function drawAxes(
  ctx,
  theme,
  { left, right, bottom, x, y },
  { levels, stops, size, isRight = false, levelText = (value) => String(value), stopText = levelText },
) {
  for (const level of levels) {
    line(ctx, [[left, crisp(y(level))], [right, crisp(y(level))]], level ? theme.grid : theme.line);
    const align = isRight ? "left" : "right";
    write(ctx, theme, levelText(level), isRight ? right + 8 : left - 8, y(level), { size, align });
  }
  const labels = new Labels(), low = bottom + size;
  setFont(ctx, theme, 400, size);
  for (const stop of [...stops].sort((a, b) => x(a) - x(b))) {
    const text = stopText(stop), isFree = labels.take(x(stop), low, ctx.measureText(text).width + 6, size);
    if (isFree) write(ctx, theme, text, x(stop), low, { size, align: "center" });
  }
}

/** Labels that must not touch, each a box around its middle. */
export class Labels {
  /** @param {{ x: number, y: number, wide: number, high: number }[]} boxes what stands there already */
  constructor(boxes = []) {
    this.boxes = boxes;
  }

  isFree(x, y, wide, high) {
    return !this.boxes.some((box) =>
      Math.abs(box.x - x) < (box.wide + wide) / 2 && Math.abs(box.y - y) < (box.high + high) / 2
    );
  }

  /** Take a place, if it is free. */
  take(x, y, wide, high) {
    const isFree = this.isFree(x, y, wide, high);
    if (isFree) this.boxes.push({ x, y, wide, high });
    return isFree;
  }
}

/** What was measured at some places, between them: straight in the logarithms of both. @param {number[]} xs @param {number[]} ys */
export function measuredAt(xs, ys, x) {
  if (x >= xs[xs.length - 1]) return ys[ys.length - 1];
  const at = Math.max(1, xs.findIndex((other) => other >= x - 1e-9));
  const share = clamp(Math.log(x / xs[at - 1]) / Math.log(xs[at] / xs[at - 1]), 0, 1);
  return ys[at - 1] * (ys[at] / ys[at - 1]) ** share;
}

/** A measured line in a plot with logarithms, as far as a place, where its dot stands; and pale as far as another one. */
export function drawMeasured(ctx, theme, { x, y }, xs, ys, end, { colour, width, far = end }) {
  const alpha = ctx.globalAlpha;
  const lineTo = (last) => {
    const points = [...xs.filter((at) => at < last), last].map((at) => [x(at), y(measuredAt(xs, ys, at))]);
    line(ctx, points, colour, width);
    return points[points.length - 1];
  };
  ctx.lineJoin = "round";
  if (far !== end) {
    ctx.globalAlpha = 0.28 * alpha;
    lineTo(far);
    ctx.globalAlpha = alpha;
  }
  drawDot(ctx, ...lineTo(end), width + 2, colour, theme);
}

/** Names beside lines, { text, y, colour, weight } each, none nearer to the next than a line of type; they are where they stand. */
export function drawEnds(ctx, theme, names, x, { size, top, bottom, isLeft = false }) {
  const on = isLeft ? -1 : 1, align = isLeft ? "right" : "left";
  for (const { text, y, colour, weight } of apart(names, 1.3 * size, top, bottom)) {
    line(ctx, [[x + 3 * on, y - 0.45 * size], [x + 3 * on, y + 0.45 * size]], colour, 3);
    write(ctx, theme, text, x + 9 * on, y, { colour: theme.text, size, weight, align });
  }
}

/** Names in the order of their heights y, none nearer to the next than a gap. */
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

/** A dial: shaded what was seen in training, of a turn; past it what lies beyond; and the hand after so many turns. */
export function drawDial(ctx, theme, x, y, radius, { turns, trained, isPast, colour, beyond }) {
  const alpha = ctx.globalAlpha, unit = radius / 18;
  ctx.globalAlpha = 0.11 * alpha;
  sector(ctx, x, y, radius, theme.text, 0, trained);
  ctx.globalAlpha = 0.55 * alpha;
  if (isPast) sector(ctx, x, y, radius, beyond, trained, Math.min(turns, 1));
  ctx.globalAlpha = alpha;
  circle(ctx, x, y, radius, colour, 0.9 * unit, trained < 1 ? [2 * unit, 1.6 * unit] : []);
  drawHand(ctx, x, y, 0, [18, 15.5], unit, theme.soft, 0.8);
  drawHand(ctx, x, y, turns, [0, 16], unit, isPast ? theme.text : colour, 1.8);
  sector(ctx, x, y, 1.5 * unit, colour);
}

/** A line on a dial, between two distances from its middle. */
export function drawHand(ctx, x, y, turns, ends, unit, colour, width) {
  const [across, down] = [Math.sin(2 * Math.PI * turns), -Math.cos(2 * Math.PI * turns)];
  ctx.lineCap = "round";
  line(ctx, ends.map((far) => [x + far * unit * across, y + far * unit * down]), colour, width * unit);
  ctx.lineCap = "butt";
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
