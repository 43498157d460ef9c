// Canvas drawing of the matrices. Every function takes a context already scaled to CSS pixels.

import { shorten } from "../text.js";
import { drawHeatmap, drawScale } from "../heatmap.js";
import { sampleOf } from "./preview.js";
import { drawDot, fitted, setFont, STACKED, typeSize } from "../plot.js";
import { clamp } from "../shared.js";

export const SIZES = {
  thumb: { least: 92, most: 128, gap: 14 },
  normal: { least: 250, most: 340, gap: 28 },
  large: { least: 300, most: 640, gap: 32 },
  stage: { least: 100, most: 900, gap: 20 },
  beside: { least: 1, most: 320, gap: 6 },
};
const LABELS_MOST = 64;
const MATRIX_LEAST = 120; // pixels of a matrix on a low stage
const LABEL_LETTERS = 9; // the readout shows the whole label

/** Where everything of a panel's canvas stands, in whole CSS pixels, for panels `width` wide; `most`: the canvas's height. */
export function computeLayout(ctx, { rows, cols, size, fills }, width, theme, most = Infinity) {
  const named = size !== "thumb" && size !== "beside", type = typeSize(theme);
  const hasLabels = (axis) => named && axis.labels && axis.step === 1 && axis.count <= LABELS_MOST;
  const [rowLabels, colLabels] = [rows, cols].map((axis) =>
    hasLabels(axis) ? axis.labels.map((label) => shorten(label, LABEL_LETTERS)) : null
  );
  const widest = (texts, weight = 400) => {
    setFont(ctx, theme, weight, type);
    return Math.ceil(Math.max(...texts.map((text) => ctx.measureText(text).width)));
  };
  const last = String(rows.start + rows.count * rows.step - 1); // in bold, as the cursor writes it
  const beside = rowLabels ? widest(rowLabels) : widest([last], 600);
  const left = named ? 7 + Math.max(beside, widest([`${rows.name} ↓`, `${cols.name} →`])) : 1;
  const room = Math.max(named ? 40 : 8, width - left - 1);
  const square = Math.min(room, SIZES[size].most);
  const cellUnder = (axis) => { // the axis above the matrix takes some of the height
    const fitting = Math.max(MATRIX_LEAST, most - axis - 1);
    return Math.min(
      room / cols.count,
      Math.min((size === "normal" || size === "thumb" ? 1.2 : 1) * square, fitting) / rows.count,
    );
  };
  const axis = 2 * type + 9; // the names of both axes stand in the corner, one below the other
  const flat = cellUnder(axis), upright = colLabels && widest(colLabels) > flat - 6; // upright labels may be higher
  const cell = upright ? cellUnder(Math.max(axis, widest(colLabels) + 8)) : flat;
  const top = named ? upright ? Math.max(axis, widest(colLabels) + 8) : axis : 1;
  const free = fills && Number.isFinite(most), tall = free ? Math.max(MATRIX_LEAST, most - top - 1) : cell * rows.count;
  const plotWidth = Math.max(1, Math.round(free ? room : cell * cols.count)),
    plotHeight = Math.max(1, Math.round(tall));
  return {
    named,
    type,
    left,
    top,
    plotWidth,
    plotHeight,
    rowLabels,
    colLabels,
    upright,
    width: left + plotWidth + 1,
    height: top + plotHeight + 1,
    cellWidth: plotWidth / cols.count,
    cellHeight: plotHeight / rows.count,
  };
}

/** A token's number for a tick, short in very long windows. */
function tickText(token, axis) {
  if (axis.start + axis.count * axis.step < 20000) return String(token);
  if (token && token % 1000000 === 0) return `${token / 1000000}M`;
  return token && token % 1000 === 0 ? `${token / 1000}k` : String(token);
}

/** What of a panel no cursor changes. */
export function drawPanel(ctx, layout, image, message, theme, ratio) {
  const { left, top, plotWidth, plotHeight, type } = layout, { rows, cols, marks, models } = message;
  drawHeatmap(ctx, image, left, top, plotWidth, plotHeight, theme, ratio);
  Object.assign(ctx, { strokeStyle: theme.line, lineWidth: 1 });
  ctx.strokeRect(left - 0.5, top - 0.5, plotWidth + 1, plotHeight + 1);
  const total = models[0]?.total ?? Infinity;
  for (const mark of marks) if (mark.row0 || mark.row1 < total) drawMark(ctx, layout, mark, message, theme);
  if (!layout.named) return;
  setFont(ctx, theme, 400, type);
  Object.assign(ctx, { fillStyle: theme.soft, textBaseline: "middle", textAlign: "right" });
  ctx.fillText(`${cols.name} →`, left - 6, top - 1.5 * type - 6);
  ctx.fillText(`${rows.name} ↓`, left - 6, top - type / 2 - 4);
}

/** Over it labels or numbers along both sides, and the cursor, {i, j, locked} in tokens: what would touch its own label is left out. */
export function drawOver(ctx, layout, cursor, message, theme) {
  const at = cursor && { r: sampleOf(message.rows, cursor.i), c: sampleOf(message.cols, cursor.j) };
  const colour = cursor?.locked ? theme.accent : theme.text;
  if (layout.named) drawTicks(ctx, layout, message, theme, at);
  if (!at) return;
  drawCursor(ctx, layout, at, colour, cursor.locked, theme);
  if (!layout.named) return;
  setFont(ctx, theme, 600, layout.type);
  columnText(ctx, layout, at.c, layout.colLabels ? layout.colLabels[at.c] : String(cursor.j), colour);
  rowText(ctx, layout, at.r, layout.rowLabels ? layout.rowLabels[at.r] : String(cursor.i), colour);
}

function drawTicks(ctx, layout, { rows, cols }, theme, besides) {
  const { soft } = theme, { type } = layout, line = type + 3, wide = 3.4 * type;
  setFont(ctx, theme, 400, type);
  ctx.textBaseline = "middle";
  const clear = (sample, other, side, apart) => !besides || Math.abs(Math.floor(sample) - other) * side >= apart;
  for (const [at, text] of axisTexts(cols, layout.colLabels, layout.plotWidth, layout.upright ? line - 1 : wide)) {
    if (clear(at, besides?.c, layout.cellWidth, layout.upright ? line - 1 : wide)) {
      columnText(ctx, layout, at, text, soft);
    }
  }
  for (const [at, text] of axisTexts(rows, layout.rowLabels, layout.plotHeight, line)) {
    if (clear(at, besides?.r, layout.cellHeight, line)) rowText(ctx, layout, at, text, soft);
  }
}

/** Tokens at which numbered ticks stand: powers of two apart, or round thousands in a very long window. */
function ticks(axis, pixels, apart) {
  const span = axis.count * axis.step, least = (span * apart) / pixels;
  let step = 2 ** Math.ceil(Math.log2(Math.max(1, least)));
  if (step > 2048) {
    const ten = 10 ** Math.floor(Math.log10(least));
    step = [1, 2, 5].map((factor) => factor * ten).find((size) => size >= least) ?? 10 * ten;
  }
  const marks = [];
  for (let at = Math.ceil(axis.start / step) * step; at < axis.start + span; at += step) marks.push(at);
  return marks;
}

/** [sample, text] of an axis: labels thinned so that they stay readable, or numbered ticks. */
function axisTexts(axis, labels, pixels, apart) {
  if (labels) {
    const every = Math.ceil(apart / (pixels / axis.count));
    return labels.map((text, at) => [at, text]).filter(([at]) => at % every === 0);
  }
  const tokens = ticks(axis, pixels, Math.max(apart, 34));
  return tokens.map((token) => [(token - axis.start) / axis.step, tickText(token, axis)]);
}

/** The middle of a large cell, the beginning of a small one: where its tick stands. */
const tickAt = (sample, side) => (Math.floor(sample) + 0.5) * side;

function columnText(ctx, layout, sample, text, colour) {
  const x = layout.left + tickAt(sample, layout.cellWidth), y = layout.top - 4;
  ctx.fillStyle = colour;
  if (layout.upright && STACKED.test(text)) {
    ctx.textAlign = "center";
    [...text].reverse().forEach((letter, at) => ctx.fillText(letter, x, y - (at + 0.5) * layout.type));
    return;
  }
  if (layout.upright) {
    ctx.save();
    ctx.translate(x, y);
    ctx.rotate(-Math.PI / 2);
    ctx.textAlign = "left";
    ctx.fillText(text, 0, 1);
    ctx.restore();
    return;
  }
  const half = ctx.measureText(text).width / 2;
  ctx.textAlign = "center";
  ctx.fillText(text, clamp(x, layout.left + half - 3, layout.width - half - 1), y - layout.type / 2);
}

function rowText(ctx, layout, sample, text, colour) {
  const y = layout.top + tickAt(sample, layout.cellHeight);
  Object.assign(ctx, { fillStyle: colour, textAlign: "right" });
  ctx.fillText(text, layout.left - 6, clamp(y, layout.top + layout.type / 2, layout.height - layout.type / 2) + 0.5);
}

function drawMark(ctx, layout, mark, message, theme) {
  const { rows, cols } = message, { left, top, plotWidth, plotHeight } = layout;
  const x = (token) => left + clamp(((token - cols.start) / cols.step) * layout.cellWidth, 0, plotWidth);
  const y = (token) => top + clamp(((token - rows.start) / rows.step) * layout.cellHeight, 0, plotHeight);
  const x0 = x(mark.col0), y0 = y(mark.row0), width = x(mark.col1) - x0, height = y(mark.row1) - y0;
  if (width < 1 || height < 1) return;
  twoStrokes(ctx, theme, [5, 3], () => ctx.strokeRect(x0 + 0.5, y0 + 0.5, width - 1, height - 1));
  if (!mark.label || !layout.named) return;
  setFont(ctx, theme, 500, layout.type);
  const high = layout.type + 6, text = fitted(ctx, mark.label, plotWidth - 16);
  const wide = ctx.measureText(text).width + 10, inside = width > wide + 8 && height > 2 * high;
  // Inside its rectangle's upper right corner; where that is too small, in the upper right corner of the matrix.
  const boxX = left + clamp((inside ? x0 + width - left : plotWidth) - wide - 4, 0, plotWidth - wide - 1);
  const boxY = top + clamp((inside ? y0 - top : 0) + 5, 0, plotHeight - high - 1);
  ctx.fillStyle = theme.page;
  ctx.fillRect(boxX, boxY, wide, high);
  Object.assign(ctx, { fillStyle: theme.text, textAlign: "left", textBaseline: "middle" });
  ctx.fillText(text, boxX + 5, boxY + high / 2 + 0.5);
}

/** A thin line that shows on every colour: the page's colour under the text's. */
function twoStrokes(ctx, theme, dash, stroke, colour = theme.text) {
  Object.assign(ctx, { strokeStyle: theme.page, globalAlpha: 0.75, lineWidth: 3 });
  stroke();
  Object.assign(ctx, { strokeStyle: colour, globalAlpha: 1, lineWidth: 1 });
  ctx.setLineDash(dash);
  stroke();
  ctx.setLineDash([]);
}

/** Hairlines, and the outline of the cell. */
function drawCursor(ctx, layout, { r, c }, colour, locked, theme) {
  const { left, top, plotWidth, plotHeight } = layout;
  const width = Math.max(layout.cellWidth, 5), height = Math.max(layout.cellHeight, 5);
  const x = left + (c + 0.5) * layout.cellWidth - width / 2, y = top + (r + 0.5) * layout.cellHeight - height / 2;
  const midX = Math.round(x + width / 2) - 0.5, midY = Math.round(y + height / 2) - 0.5;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, plotWidth, plotHeight);
  ctx.clip();
  Object.assign(ctx, { strokeStyle: colour, globalAlpha: 0.55, lineWidth: 1 });
  const across = `M${left} ${midY}H${x}M${x + width} ${midY}H${left + plotWidth}`;
  ctx.stroke(new Path2D(`${across}M${midX} ${top}V${y}M${midX} ${y + height}V${top + plotHeight}`));
  ctx.restore();
  const box = [Math.round(x) - 0.5, Math.round(y) - 0.5, Math.round(width) + 1, Math.round(height) + 1];
  twoStrokes(ctx, theme, [], () => ctx.strokeRect(...box), colour);
  if (locked) drawDot(ctx, box[0] + box[2], box[1], 3, theme.accent, theme); // locked is not told by colour alone
}

/** The colour bar's strip with notches at the smallest and largest value. */
export function drawBar(ctx, x, y, width, height, panel, extent, theme) {
  drawScale(ctx, panel, theme.dark, x, y, width, height);
  Object.assign(ctx, { strokeStyle: theme.line, lineWidth: 1, fillStyle: theme.text });
  ctx.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
  for (const value of extent ?? []) {
    const t = clamp((value - panel.low) / (panel.high - panel.low), 0, 1);
    ctx.fillRect(Math.round(x + t * (width - 2)), y - 3, 2, height + 6);
  }
}
