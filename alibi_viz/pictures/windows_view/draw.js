// Canvas drawing of the windows view. Every function takes a context already scaled to CSS pixels.

import { crisp, fitted, hairline, setFont } from "../parts.js";
import { kindOf } from "./core.js";

export const LEFT = 46, TOP = 34, BOTTOM = 26, BETWEEN = 16, GRID = 0.6; // pixels; the share of the windows in the height
const FEWEST_ROWS = 2; // with one window a row would be a wall
const TEXT = 14, SMALL = 12, LEGEND_GAP = 18;

/** Where everything stands, in CSS pixels. @typedef {[number, number, number, number]} Box */
export function computeLayout({ labels }, shown, width, height) {
  const cell = (width - LEFT - 2) / labels.length, free = Math.max(120, height - TOP - BOTTOM - BETWEEN);
  const rows = Math.max(shown.plan.read.length, FEWEST_ROWS), grid = free * GRID;
  const bars = { top: TOP + grid + BETWEEN, bottom: TOP + grid + BETWEEN + free * (1 - GRID) };
  return { width, height: bars.bottom + BOTTOM, cell, row: grid / rows, bars };
}

/** The box of a word in a window. @type {(layout: ReturnType<typeof computeLayout>, at: number, word: number) => Box} */
export const boxOf = ({ cell, row }, at, word) => [LEFT + word * cell + 1.5, TOP + at * row + 1.5, cell - 3, row - 3];

export function drawPicture(ctx, layout, message, shown, theme) {
  const [accent, second] = message.colours[theme.dark ? "dark" : "light"];
  const looks = { enough: [accent, theme.page], poor: [second, theme.page], read: [theme.grid, theme.text] };
  drawLegend(ctx, layout, message.names, { enough: accent, poor: second, read: theme.grid }, theme);
  shown.plan.read.forEach((_, at) => {
    message.labels.forEach((label, word) => {
      const [fill, colour] = looks[kindOf(shown, at, word)] ?? [null, theme.line];
      drawWord(ctx, boxOf(layout, at, word), label, fill, colour, theme);
    });
    setFont(ctx, theme, 400, SMALL);
    Object.assign(ctx, { fillStyle: theme.soft, textAlign: "right", textBaseline: "middle" });
    ctx.fillText(String(at + 1), LEFT - 8, TOP + (at + 0.5) * layout.row);
  });
  drawBars(ctx, layout, message, shown, [accent, second], theme);
  sideways(ctx, message.names.pass, (TOP + layout.bars.top - BETWEEN) / 2, theme);
  sideways(ctx, message.names.context, (layout.bars.top + layout.bars.bottom) / 2, theme);
}

function drawWord(ctx, [x, y, width, height], label, fill, colour, theme) {
  if (fill) {
    ctx.fillStyle = fill;
    ctx.fillRect(x, y, width, height);
  }
  setFont(ctx, theme, 400, TEXT);
  Object.assign(ctx, { fillStyle: colour, textAlign: "center", textBaseline: "middle" });
  ctx.fillText(fitted(ctx, label, width - 2), x + width / 2, y + height / 2);
}

/** A bar a word, the other protocol's as an outline, and the line of enough context. */
function drawBars(ctx, { cell, bars }, { labels, names }, { plan: { context, other }, settings: { least } }, fills, theme) {
  const scale = (bars.bottom - bars.top - 18) / labels.length, right = LEFT + cell * labels.length;
  const top = (value) => bars.bottom - value * scale;
  context.forEach((value, at) => {
    const x = LEFT + (at + 1) * cell + 3, width = cell - 6;
    ctx.fillStyle = fills[value >= least ? 0 : 1];
    ctx.fillRect(x, top(value), width, value * scale);
    Object.assign(ctx, { strokeStyle: theme.soft, lineWidth: 1.5 });
    ctx.strokeRect(x, top(other[at]), width, other[at] * scale);
    setFont(ctx, theme, 500, SMALL);
    Object.assign(ctx, { fillStyle: theme.text, textAlign: "center", textBaseline: "bottom" });
    ctx.fillText(String(value), x + width / 2, top(Math.max(value, other[at])) - 2);
  });
  hairline(ctx, LEFT, crisp(top(least)), right, crisp(top(least)), theme.soft, [2, 3]);
  setFont(ctx, theme, 400, SMALL);
  Object.assign(ctx, { fillStyle: theme.soft, textAlign: "left", textBaseline: "bottom" });
  ctx.fillText(fitted(ctx, names.least.replace("{least}", least), 2 * cell), LEFT + 2, top(least) - 2);
  Object.assign(ctx, { textAlign: "center", textBaseline: "middle" });
  labels.forEach((label, word) => ctx.fillText(fitted(ctx, label, cell - 2), LEFT + (word + 0.5) * cell, bars.bottom + 13));
}

function drawLegend(ctx, { width }, names, fills, theme) {
  setFont(ctx, theme, 400, SMALL);
  let x = LEFT;
  for (const name of ["enough", "poor", "read", "other"]) {
    const room = 20 + ctx.measureText(names[name]).width;
    if (x + room > width) break; // on a phone the readout says it
    Object.assign(ctx, { fillStyle: fills[name] ?? "transparent", strokeStyle: theme.soft, lineWidth: 1.5 });
    if (fills[name]) ctx.fillRect(x, 6, 13, 13);
    else ctx.strokeRect(x + 1, 7, 11, 11);
    Object.assign(ctx, { fillStyle: theme.text, textAlign: "left", textBaseline: "middle" });
    ctx.fillText(names[name], x + 19, 13);
    x += room + LEGEND_GAP;
  }
}

/** The name of an axis, beside it. */
function sideways(ctx, text, y, theme) {
  setFont(ctx, theme, 400, SMALL);
  Object.assign(ctx, { fillStyle: theme.text, textAlign: "center", textBaseline: "middle" });
  ctx.save();
  ctx.translate(9, y);
  ctx.rotate(-Math.PI / 2);
  ctx.fillText(text, 0, 0);
  ctx.restore();
}

/** The cursor's cell, or its bar. */
export function drawCursor(ctx, layout, { row, word }, rows, theme) {
  const { cell, bars } = layout, bar = [LEFT + word * cell + 1, bars.top, cell - 2, bars.bottom - bars.top];
  Object.assign(ctx, { strokeStyle: theme.text, lineWidth: 2 });
  ctx.strokeRect(...(row < rows ? boxOf(layout, row, word) : bar));
}
