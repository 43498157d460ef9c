// Canvas drawing of the curve view. Every function takes a context already scaled to CSS pixels.

import { fillTemplate } from "../core.js";
import { crossing, formatAlong, formatFact, formatTick, scaleOf } from "./core.js";
import { crisp, drawDot, fitted, hairline, setFont } from "../parts.js";
import { clamp, formatExact } from "../shared.js";

const TICK = 12, TITLE = 12.5, LABEL = 12; // font sizes
const MANY = 16; // more curves than this are hairlines, which a browser draws three times as fast
const FAINT = 0.4;
const DENSE = 24; // of more curves than this, one in eight is drawn, and the others are a band
const DASHES = {
  solid: [], dot: [1.5, 3.5], dash: [8, 5], longdash: [14, 5], dashdot: [8, 4, 1.5, 4], longdashdot: [14, 4, 1.5, 4],
};
const LEGEND = { line: 26, gap: 20, row: 19 };

/** Where everything stands, in CSS pixels. */
export function computeLayout(ctx, message, width, height, theme) {
  const { x, y, families, markers } = message, widthOf = (text) => Math.ceil(ctx.measureText(text).width);
  setFont(ctx, theme, 400, TICK);
  const left = 30 + Math.max(...y.ticks.map((tick) => widthOf(formatTick(y, tick)))); // title, numbers, notch
  const right = width - Math.max(10, widthOf(formatExact(x.ticks.at(-1))) / 2 + 1);
  const legend = families.length > 1 || markers ? legendPlaces(ctx, families, left, width) : [];
  const top = legend.length ? legend.at(-1).y + LEGEND.row : 8, bottom = Math.max(top + 60, height - 42);
  const toX = scaleOf(x, left, right), toY = scaleOf(y, bottom, top);
  const columns = new Map(); // computed once, not at every frame of a drag
  const columnsOf = (xs) => columns.get(xs) ?? columns.set(xs, Float64Array.from(xs, toX.to)).get(xs);
  return { width, height: bottom + 42, left, right, top, bottom, toX, toY, columnsOf, legend };
}

/** The entries of the legend, in rows. There is room for all families, so that the picture does not move under the hand. */
function legendPlaces(ctx, families, left, width) {
  let x = left, y = 10;
  return families.map(({ name }) => {
    const wide = LEGEND.line + 6 + ctx.measureText(name).width;
    if (x > left && x + wide > width) [x, y] = [left, y + LEGEND.row];
    const place = { x, y };
    x += wide + LEGEND.gap;
    return place;
  });
}

/** Everything but the cursor; returns the labels that stand on the curves. */
export function drawPicture(ctx, layout, curves, message, theme, chosen = 0) {
  drawAxes(ctx, layout, message, theme);
  const dense = curves.length > DENSE && !message.measured && Boolean(message.form);
  const drawn = dense ? curves.filter((_, at) => at === chosen || at % 8 === 7) : curves;
  inPlot(ctx, layout, () => {
    const width = drawn.length > MANY ? 1 : 2;
    if (dense) drawBand(ctx, layout, curves, theme);
    for (const curve of drawn) {
      ctx.globalAlpha = curve.faint ? FAINT : 1;
      drawCurve(ctx, layout, curve, message, theme, curve.bold ? 2 * width : width);
      if (message.markers) drawMarkers(ctx, layout, curve, message, theme);
    }
  });
  if (message.empty && !curves.some(({ values }) => values.length)) drawEmpty(ctx, layout, message.empty, theme);
  if (message.mark) drawMark(ctx, layout, message.mark, theme);
  drawLegend(ctx, layout, curves, message, theme);
  const labels = placeLabels(ctx, layout, drawn, message, theme);
  drawLabels(ctx, labels, theme);
  return labels;
}

/** From the lowest to the highest of many curves over the same x, as one quiet area. */
function drawBand(ctx, layout, curves, theme) {
  const columns = layout.columnsOf(curves[0].xs), edge = (pick) => Array.from(columns, (x, at) => (
    [x, layout.toY.to(curves.reduce((end, { values }) => pick(end, values[at]), curves[0].values[at]))]));
  ctx.beginPath();
  for (const [x, y] of [...edge(Math.max), ...edge(Math.min).reverse()]) ctx.lineTo(x, y);
  ctx.fillStyle = theme.grid;
  ctx.fill();
}

/** Draw inside the plot alone; a line on its edge is not cut in half. */
export function inPlot(ctx, { left, right, top, bottom }, draw) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(left - 1, top - 2, right - left + 2, bottom - top + 4);
  ctx.clip();
  draw();
  ctx.restore();
}

function drawAxes(ctx, layout, { x, y }, theme) {
  const { left, right, top, bottom, toX, toY } = layout;
  setFont(ctx, theme, 400, TICK);
  Object.assign(ctx, { textBaseline: "middle", textAlign: "right", fillStyle: theme.soft });
  for (const tick of y.ticks) {
    const at = crisp(toY.to(tick));
    hairline(ctx, left - 4, at, right, at, theme.grid);
    ctx.fillText(formatTick(y, tick), left - 8, at);
  }
  ctx.textAlign = "center";
  let free = -Infinity; // where the next number may begin
  for (const tick of x.ticks) {
    const at = crisp(toX.to(tick)), text = formatExact(tick), half = ctx.measureText(text).width / 2;
    hairline(ctx, at, top, at, bottom + 4, theme.grid);
    if (at - half < free) continue;
    ctx.fillText(text, at, bottom + 14);
    free = at + half + 6;
  }
  hairline(ctx, left, crisp(bottom), right, crisp(bottom), theme.line);
  setFont(ctx, theme, 400, TITLE);
  ctx.fillStyle = theme.text;
  ctx.fillText(fitted(ctx, x.name, right - left), (left + right) / 2, bottom + 34);
  ctx.save();
  ctx.translate(9, (top + bottom) / 2);
  ctx.rotate(-Math.PI / 2);
  ctx.fillText(fitted(ctx, y.name, bottom - top), 0, 0);
  ctx.restore();
}

const colourOf = (family, theme) => (theme.dark ? family.dark : family.light);

export function drawCurve(ctx, layout, curve, { families }, theme, width, colour = colourOf(families[curve.family], theme)) {
  const { toY } = layout, { values } = curve, columns = layout.columnsOf(curve.xs);
  Object.assign(ctx, { strokeStyle: colour, lineWidth: width, lineJoin: "round" });
  ctx.setLineDash(DASHES[families[curve.family].dash] ?? []);
  ctx.beginPath();
  for (let at = 0; at < values.length; at += 1) ctx.lineTo(columns[at], clamp(toY.to(values[at]), -1e4, 1e4));
  ctx.stroke();
  ctx.setLineDash([]);
}

// Markers as polygons: corners, the turn of the first from the top, and how far in the corners between them lie.
const POLYGONS = {
  square: [4, 0.125], diamond: [4, 0], "triangle-up": [3, 0], "triangle-down": [3, 0.5], pentagon: [5, 0], hexagon: [6, 0],
  star: [5, 0, 0.42], cross: [4, 0, 0.3], x: [4, 0.125, 0.3],
};

/** A method's own marker on some of the points. */
function drawMarkers(ctx, layout, curve, { families, markers }, theme) {
  const family = families[curve.family], { values } = curve, columns = layout.columnsOf(curve.xs);
  const last = values.length - 1, steps = Math.max(1, Math.min(markers, values.length) - 1);
  ctx.fillStyle = colourOf(family, theme);
  for (const at of new Set(Array.from({ length: last < 0 ? 0 : steps + 1 }, (_, step) => Math.floor((step / steps) * last)))) {
    drawMarker(ctx, columns[at], layout.toY.to(values[at]), family.marker);
  }
}

function drawMarker(ctx, x, y, marker, radius = 5.5) {
  const [corners, turn, inner = 0] = POLYGONS[marker] ?? [0, 0];
  ctx.beginPath();
  if (!corners) ctx.arc(x, y, 0.85 * radius, 0, 2 * Math.PI);
  for (let at = 0; at < 2 * corners; at += 1) {
    const angle = 2 * Math.PI * (turn + at / (2 * corners)), far = at % 2 ? inner * radius : radius;
    if (far) ctx.lineTo(x + far * Math.sin(angle), y - far * Math.cos(angle));
  }
  ctx.fill();
}

/** A sentence in the middle of a picture that has no point yet. */
function drawEmpty(ctx, { left, right, top, bottom }, text, theme) {
  setFont(ctx, theme, 400, 15);
  Object.assign(ctx, { fillStyle: theme.soft, textAlign: "center", textBaseline: "middle" });
  ctx.fillText(fitted(ctx, text, right - left - 16), (left + right) / 2, (top + bottom) / 2);
}

/** A dotted line across the picture, with its name at its top. */
function drawMark(ctx, layout, { at, name }, theme) {
  const { left, right, top, bottom, toX } = layout, x = crisp(toX.to(at));
  if (x < left || x > right) return;
  hairline(ctx, x, top, x, bottom, theme.soft, [2, 3]);
  setFont(ctx, theme, 400, LABEL);
  const wide = ctx.measureText(name).width, turned = x + 6 + wide > right;
  textBox(ctx, { text: name, x: turned ? x - 5 - wide / 2 : x + 5 + wide / 2, y: top + 10, wide }, theme, theme.soft);
}

function drawLegend(ctx, layout, curves, { families, markers }, theme) {
  const shown = new Set(curves.map(({ family }) => family));
  if (shown.size < 2 && !markers) return;
  setFont(ctx, theme, 400, TICK);
  Object.assign(ctx, { textAlign: "left", textBaseline: "middle" });
  layout.legend.forEach(({ x, y }, at) => {
    if (!shown.has(at)) return;
    Object.assign(ctx, { strokeStyle: colourOf(families[at], theme), lineWidth: 2, fillStyle: theme.text });
    ctx.setLineDash(DASHES[families[at].dash] ?? []);
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(x + LEGEND.line, y);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.fillText(families[at].name, x + LEGEND.line + 6, y + 0.5);
    ctx.fillStyle = colourOf(families[at], theme);
    if (markers) drawMarker(ctx, x + LEGEND.line / 2, y, families[at].marker);
  });
}

/** Labels on the curves of their family, thinned, at heights in turn; one that would touch another is left out. */
function placeLabels(ctx, layout, curves, message, theme) {
  const { labels } = message, placed = [];
  if (!labels) return placed;
  setFont(ctx, theme, 400, LABEL);
  const crossed = (curve) => labels.at.map((height) => ({ height, x: crossing(message, curve, height) }));
  const candidates = curves.filter(({ family }) => family === labels.family)
    .map((curve) => ({ curve, places: crossed(curve) }))
    .filter(({ places }) => places.some(({ x }) => x !== null));
  const every = Math.max(1, Math.ceil(candidates.length / labels.most));
  let turn = 0, first = labels.first; // the first that has room for it says what the numbers are
  candidates.filter((_, at) => at % every === every - 1).forEach(({ curve, places }) => {
    const inTurn = places.map((_, at) => places[(turn + at) % places.length]);
    const fits = (template) => template && inTurn.map((place) => labelAt(ctx, layout, curve, place, template))
      .find((box) => box && !placed.some((other) => touch(box, other)));
    const named = fits(first), label = named || fits(labels.text);
    if (named) first = "";
    if (!label) return;
    placed.push(label);
    turn = labels.at.indexOf(label.height) + 1;
  });
  return placed;
}

/** One label's box with its middle on the curve; null where it would leave the plot. */
function labelAt(ctx, { left, right, toX, toY }, curve, { height, x }, template) {
  if (x === null) return null;
  const pieces = fillTemplate(template, (name) => formatFact(name, curve.facts[name], true));
  const text = pieces.map(([piece]) => piece).join(""), wide = ctx.measureText(text).width, at = toX.to(x);
  if (at - wide / 2 < left + 2 || at + wide / 2 > right) return null;
  return { text, height, x: at, y: toY.to(height), wide };
}

const touch = (a, b) => Math.abs(a.x - b.x) < (a.wide + b.wide) / 2 + 8 && Math.abs(a.y - b.y) < LABEL + 8;

function drawLabels(ctx, labels, theme) {
  setFont(ctx, theme, 400, LABEL);
  for (const label of labels) textBox(ctx, label, theme, theme.text);
}

/** A text on the page's colour, so that no line runs through it; x and y are its middle. */
function textBox(ctx, { text, x, y, wide }, theme, colour) {
  ctx.fillStyle = theme.page;
  ctx.fillRect(x - wide / 2 - 2, y - LABEL / 2 - 2, wide + 4, LABEL + 4);
  Object.assign(ctx, { fillStyle: colour, textAlign: "center", textBaseline: "middle" });
  ctx.fillText(text, x, y + 0.5);
}

/** The chosen curve on top of the others, hairlines to both axes, and the numbers there. */
export function drawCursor(ctx, layout, { curve, x, y, locked }, labels, message, theme) {
  const { left, right, top, bottom, toX, toY } = layout, colour = locked ? theme.accent : theme.text;
  const own = colourOf(message.families[curve.family], theme), atX = toX.to(x), atY = toY.to(y);
  const seen = atY >= top - 1 && atY <= bottom + 1;
  const under = labels.filter((label) => touch(label, { x: atX, y: atY, wide: 2 })); // the point takes their place
  for (const label of under) textBox(ctx, { ...label, text: "" }, theme, colour);
  inPlot(ctx, layout, () => {
    drawCurve(ctx, layout, curve, message, theme, 7, theme.page);
    drawCurve(ctx, layout, curve, message, theme, 3.5);
    if (message.markers) drawMarkers(ctx, layout, curve, message, theme);
  });
  drawLabels(ctx, labels.filter((label) => !under.includes(label)), theme);
  hairline(ctx, crisp(atX), top, crisp(atX), bottom, colour, [3, 3]);
  if (seen) hairline(ctx, left, crisp(atY), atX, crisp(atY), colour, [3, 3]);
  if (seen) drawDot(ctx, atX, atY, locked ? 5.5 : 4.5, own, theme);
  if (seen && locked) drawDot(ctx, atX, atY, 1.5, theme.page, theme); // locked is not told by colour alone
  setFont(ctx, theme, 600, TICK);
  const across = formatAlong(message.x, x), wide = ctx.measureText(across).width + 6;
  textBox(ctx, { text: across, x: clamp(atX, left + wide / 2, right + 8 - wide / 2), y: bottom + 14, wide }, theme, colour);
}
