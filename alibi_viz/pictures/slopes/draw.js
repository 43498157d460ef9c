// Canvas drawing of the slopes: the curves, and the ladder beside them. Every function takes a context already scaled to CSS pixels.

import { distanceTo, formatSlope } from "../attention.js";
import { TYPE } from "../canvas_picture.js";
import { area, crisp, drawAxes, drawDot, fitted, inPlot, Labels, line, plotOf, setFont, write } from "../plot.js";
import { clamp, formatExact, formatNumber } from "../shared.js";

const TITLE = 12.5; // pixels
const MANY = 16; // more curves than this are hairlines, which a browser draws three times as fast
const DENSE = 24; // of more curves than this, one in eight is drawn, and the others are a band
const LABELS_AT = 0.43; // the weight at which they stand: the grip is a little higher
const APART = 8; // pixels between two of them
const RUNG = 0.38; // of the way to the next head that a rung of the ladder takes to each side

/**
 * @import { Axis, Curve, Message } from "./curves.js"
 * @typedef {ReturnType<typeof computeLayout>} Layout
 */

/** Where everything stands, in CSS pixels. @param {Axis} across @param {Axis} up */
export function computeLayout(ctx, across, up, width, height, theme) {
  const widthOf = (text) => Math.ceil(ctx.measureText(text).width);
  setFont(ctx, theme, 400, TYPE);
  const left = 30 + Math.max(...up.ticks.map((tick) => widthOf(tickText(up, tick)))); // title, numbers, notch
  const right = width - Math.max(10, widthOf(formatExact(across.ticks[across.ticks.length - 1])) / 2 + 1);
  const top = 8, bottom = Math.max(top + 60, height - 42);
  return { ...plotOf({ left, right, top, bottom }, across, up), across, up, width, height: bottom + 42 };
}

/** The number at a tick: a slope on a logarithmic axis of height, which is the ladder's. @param {Axis} axis */
const tickText = ({ log }, value) => (log ? formatSlope(value, true) : formatExact(value));

/**
 * The curves, with their slopes on them. index: of the chosen one; ruled: its weights by the rule, if a hand has bent it;
 * point: the cursor, whose curve is thick.
 * @param {Layout} layout @param {Curve[]} curves @param {Message} message
 */
export function drawCurves(ctx, layout, curves, message, theme, { index, ruled, point }) {
  const isDense = curves.length > DENSE,
    drawn = isDense ? curves.filter((_, at) => at === index || at % 8 === 7) : curves;
  const draw = (weights, ...look) => drawCurve(ctx, layout, message.distances, weights, ...look);
  const colour = ({ family }) => colourOf(message, family, theme);
  drawGrid(ctx, layout, theme);
  inPlot(ctx, layout, () => {
    ctx.lineJoin = "round";
    if (isDense) drawBand(ctx, layout, curves, message, theme);
    for (const curve of drawn) draw(curve.weights, colour(curve), drawn.length > MANY ? 1 : 2);
    if (ruled) draw(ruled, theme.soft, 1.5, [8, 5]);
    if (!point) return;
    draw(point.curve.weights, theme.page, 7);
    draw(point.curve.weights, colour(point.curve), 3.5);
  });
  drawLabels(ctx, layout, drawn, theme, point);
}

const drawCurve = (ctx, { x, y }, distances, weights, ...look) =>
  line(ctx, Array.from(weights, (weight, at) => [x(distances[at]), clamp(y(weight), -1e4, 1e4)]), ...look);

/** From the lowest to the highest of many curves, as one quiet area. */
function drawBand(ctx, { x, y }, curves, { distances }, theme) {
  const edge = (pick) => Array.from(distances, (d, at) => [x(d), y(pick(...curves.map(({ weights }) => weights[at])))]);
  area(ctx, [...edge(Math.max), ...edge(Math.min).reverse()], theme.grid);
}

function drawGrid(ctx, layout, theme) {
  const { across, up, left, right, top, bottom, x } = layout,
    title = { colour: theme.text, size: TITLE, align: "center" };
  const numbers = { size: TYPE, levelText: (tick) => tickText(up, tick), stopText: formatExact };
  for (const tick of across.ticks) line(ctx, [[crisp(x(tick)), top], [crisp(x(tick)), bottom + 4]], theme.grid);
  drawAxes(ctx, theme, layout, { levels: up.ticks, stops: across.ticks, ...numbers });
  if (up.log) line(ctx, [[left, crisp(bottom)], [right, crisp(bottom)]], theme.line);
  setFont(ctx, theme, 400, TITLE);
  write(ctx, theme, fitted(ctx, across.name, right - left), (left + right) / 2, bottom + 34, title);
  ctx.save();
  ctx.translate(9, (top + bottom) / 2);
  ctx.rotate(-Math.PI / 2);
  write(ctx, theme, fitted(ctx, up.name, bottom - top), 0, 0, title);
  ctx.restore();
}

/** @param {Message} message */
export const colourOf = ({ colours }, family, theme) => colours[Number(theme.dark)][family];

/** The slopes on the curves of the first family, where there is room between them; the cursor's point takes their place. */
function drawLabels(ctx, { across: { low, high }, x: toX, y: toY, left, right }, curves, theme, point) {
  const taken = new Labels(), y = toY(LABELS_AT);
  const isUnder = (x, wide) =>
    point && Math.abs(x - toX(point.x)) < wide / 2 + APART + 1 && Math.abs(y - toY(point.y)) < TYPE + 8;
  setFont(ctx, theme, 400, TYPE);
  for (const { family, slope } of curves) {
    const distance = distanceTo(LABELS_AT, slope), x = toX(distance);
    const text = `${taken.boxes.length ? "" : "m = "}${formatSlope(slope, true)}`; // the first one says what the numbers are
    const wide = ctx.measureText(text).width, isInside = x - wide / 2 > left + 2 && x + wide / 2 <= right;
    if (family || distance < low || distance > high || !isInside || !taken.take(x, y, wide + APART, TYPE)) continue;
    if (!isUnder(x, wide)) textBox(ctx, text, x, y, wide, theme, theme.text);
  }
}

/** A text on the page's colour, so that no line runs through it; x and y are its middle. */
function textBox(ctx, text, x, y, wide, theme, colour) {
  ctx.fillStyle = theme.page;
  ctx.fillRect(x - wide / 2 - 2, y - TYPE / 2 - 2, wide + 4, TYPE + 4);
  Object.assign(ctx, { fillStyle: colour, textAlign: "center", textBaseline: "middle" });
  ctx.fillText(text, x, y + 0.5);
}

/** Hairlines from the cursor's point to both axes, and the distance there. @param {Layout} layout */
export function drawCursor(ctx, layout, { curve, x, y, locked }, message, theme) {
  const { left, right, top, bottom } = layout, atX = layout.x(x), atY = layout.y(y);
  const colour = locked ? theme.accent : theme.text;
  line(ctx, [[crisp(atX), top], [crisp(atX), bottom]], colour, 1, [3, 3]);
  if (atY >= top - 1 && atY <= bottom + 1) {
    line(ctx, [[left, crisp(atY)], [atX, crisp(atY)]], colour, 1, [3, 3]);
    drawDot(ctx, atX, atY, locked ? 5.5 : 4.5, colourOf(message, curve.family, theme), theme);
    if (locked) drawDot(ctx, atX, atY, 1.5, theme.page, theme); // locked is not told by colour alone
  }
  setFont(ctx, theme, 600, TYPE);
  const text = formatNumber(x, 9), wide = ctx.measureText(text).width + 6, half = wide / 2;
  textBox(ctx, text, clamp(atX, left + half, right + 8 - half), bottom + TYPE, wide, theme, colour);
}

/**
 * Where the ladder stands in a canvas of this size: the slope of every head on a log axis, where the paper's slopes are a
 * straight line. null where no slope is above zero.
 * @param {Curve[]} curves
 */
export function ladderLayout(ctx, curves, { words }, width, height, theme) {
  const slopes = curves.map(({ slope }) => slope).filter((slope) => slope > 0), heads = curves.length;
  if (!slopes.length) return null;
  const low = Math.floor(Math.log2(Math.min(...slopes))), high = Math.ceil(Math.log2(Math.max(...slopes)));
  const every = Math.max(1, Math.ceil((high - low) / 8)),
    apart = [1, 2, 4, 8, 16, 32].find((step) => heads / step <= 10) ?? 32;
  const ticks = Array.from({ length: Math.floor((high - low) / every) + 1 }, (_, at) => 2 ** (high - at * every));
  const numbers = Array.from({ length: Math.floor(heads / apart) }, (_, at) => (at + 1) * apart);
  const x = { name: words.head, low: 0.5, high: heads + 0.5, ticks: numbers, log: false };
  const y = { name: words.slope, low: 2 ** (low - 0.3), high: 2 ** (high + 0.3), ticks, log: true };
  return computeLayout(ctx, x, y, width, height, theme);
}

/** A rung for each head; the chosen one's is the thick one. @param {Layout} layout @param {Curve[]} curves @param {Message} message */
export function drawLadder(ctx, layout, curves, message, theme, chosen) {
  drawGrid(ctx, layout, theme);
  const { x, y } = layout, width = curves.length > MANY ? 1 : 2;
  for (const { head, slope, family } of curves) {
    if (!(slope > 0)) continue;
    const rung = [-RUNG, RUNG].map((side) => [x(head + side), y(slope)]);
    line(ctx, rung, colourOf(message, family, theme), head === chosen + 1 ? 2 * width : width);
  }
}
