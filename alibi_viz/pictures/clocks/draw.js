// Canvas drawing of the clocks: one dial a pair of dimensions, the legend below.

import { fillTemplate } from "../core.js";
import { fitted, setFont } from "../parts.js";
import { clamp, formatNumber } from "../shared.js";
import { isPast } from "./core.js";

const GAP = 8, CAPTION = 20, LEGEND = 20, LARGEST = 220, NAMED = 80; // pixels; smaller dials have no room for their number
const RING = 4; // pixels that the ring of the focus stands below the canvas
const FULL = 2 * Math.PI, NOON = -FULL / 4;
const MARK = 11; // pixels: before an entry of the legend
const ENTRIES = ["of_training", "past", "part", "unscaled", "below"]; // of the legend

/** What is said of a dial. @param {Record<string, string>} words */
export const nameOf = (words, { turns }, pair) => (
  fillTemplate(words.dial, (name) => ({ pair: String(pair), wavelength: formatNumber(1 / turns[pair]) })[name]).map(([text]) => text).join(""));

/** Where everything stands: as many dials a row as make them largest. */
export function computeLayout(ctx, words, count, isScaled, width, height, theme) {
  const named = ENTRIES.filter((kind) => kind !== "unscaled" || isScaled).map((kind) => [kind, words[kind]]);
  const entries = legendPlaces(ctx, named, width, theme);
  const rows = entries.length ? entries[entries.length - 1].row + 1 : 0, free = height - LEGEND * rows - GAP - RING;
  let size = 0, across = 1;
  for (let columns = 1; columns <= count; columns += 1) {
    const down = Math.ceil(count / columns);
    const fits = Math.min((width - GAP * (columns - 1)) / columns, (free - GAP * (down - 1)) / down - CAPTION, LARGEST);
    if (fits > size) [size, across] = [fits, columns];
  }
  const bottom = Math.ceil(count / across) * (size + CAPTION + GAP);
  return { width, across, size, wide: (width + GAP) / across, high: size + CAPTION + GAP, bottom, entries, height: bottom + LEGEND * rows };
}

/** The entries of the legend, in rows. */
function legendPlaces(ctx, named, width, theme) {
  let x = 0, row = 0;
  setFont(ctx, theme, 400, 13);
  return named.map(([kind, text]) => {
    const wide = MARK + 6 + ctx.measureText(text).width;
    if (x && x + wide > width) [x, row] = [0, row + 1];
    const place = { kind, text, x, row };
    x += wide + 16;
    return place;
  });
}

/** The middle of a dial. */
export const middleOf = ({ across, size, wide, high }, pair) => [(pair % across + 0.5) * wide - GAP / 2, Math.floor(pair / across) * high + size / 2];

/** The dials at a position. @param {import("./core.js").Dials} dials */
export function drawPicture(ctx, layout, { colours }, dials, position, theme) {
  const tones = colours[Number(theme.dark)];
  dials.turns.forEach((_, pair) => drawDial(ctx, layout, dials, pair, position, tones, theme));
  drawLegend(ctx, layout, tones, theme);
}

/** A dial: shaded the angles of training; where the hand has passed them, what lies beyond is filled too. */
function drawDial(ctx, layout, dials, pair, position, [colour, beyond], theme) {
  const { size, wide } = layout, [x, y] = middleOf(layout, pair), unit = size / 40;
  const turns = position * dials.turns[pair], plain = position * dials.plain[pair], trained = dials.trained[pair];
  const past = isPast(turns, trained);
  const end = (share, radius) => [x + radius * unit * Math.sin(FULL * share), y - radius * unit * Math.cos(FULL * share)];
  sector(ctx, x, y, 18 * unit, 0, trained, theme.text, 0.11);
  if (past) sector(ctx, x, y, 18 * unit, trained, Math.min(turns, 1), beyond, 0.55);
  line(ctx, end(0, 18), end(0, 15.5), theme.soft, 0.8 * unit);
  Object.assign(ctx, { strokeStyle: colour, lineWidth: 0.9 * unit });
  ctx.setLineDash(trained < 1 ? [2 * unit, 1.6 * unit] : []);
  ctx.beginPath();
  ctx.arc(x, y, 18 * unit, 0, FULL);
  ctx.stroke();
  ctx.setLineDash([]);
  if (plain !== turns) line(ctx, [x, y], end(plain % 1, 16), theme.line, 1.4 * unit);
  line(ctx, [x, y], end(turns % 1, 16), past ? theme.text : colour, 1.8 * unit);
  dot(ctx, x, y, 1.5 * unit, colour);
  Object.assign(ctx, { fillStyle: theme.text, textAlign: "center", textBaseline: "middle" });
  setFont(ctx, theme, 400, clamp(0.16 * size, 8.5, 13));
  ctx.fillText(fitted(ctx, formatNumber(1 / dials.turns[pair]), wide - 2), x, y + size / 2 + CAPTION / 2);
  if (size < NAMED) return;
  setFont(ctx, theme, 400, Math.max(12, 4.8 * unit));
  Object.assign(ctx, { fillStyle: theme.soft, textAlign: "left" });
  ctx.fillText(String(pair), x - 19.5 * unit, y - 16.5 * unit);
}

/** The slice of a dial from one share of a turn to another. */
function sector(ctx, x, y, radius, from, to, colour, alpha) {
  Object.assign(ctx, { fillStyle: colour, globalAlpha: alpha });
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.arc(x, y, radius, NOON + FULL * from, NOON + FULL * to);
  ctx.fill();
  ctx.globalAlpha = 1;
}

function line(ctx, from, to, colour, width) {
  Object.assign(ctx, { strokeStyle: colour, lineWidth: width, lineCap: "round" });
  ctx.beginPath();
  ctx.moveTo(...from);
  ctx.lineTo(...to);
  ctx.stroke();
  ctx.lineCap = "butt";
}

function dot(ctx, x, y, radius, colour, alpha = 1) {
  sector(ctx, x, y, radius, 0, 1, colour, alpha);
}

function drawLegend(ctx, { entries, bottom }, [colour, beyond], theme) {
  setFont(ctx, theme, 400, 13);
  for (const { kind, text, x, row } of entries) {
    const y = bottom + (row + 0.5) * LEGEND, radius = MARK / 2;
    if (kind === "of_training") dot(ctx, x + radius, y, radius, theme.text, 0.25);
    if (kind === "past") dot(ctx, x + radius, y, radius, beyond);
    if (kind === "unscaled") line(ctx, [x, y + radius - 1], [x + MARK, y - radius + 1], theme.line, 3);
    if (kind === "part") {
      Object.assign(ctx, { strokeStyle: colour, lineWidth: 1.5 });
      ctx.setLineDash([2.5, 2]);
      ctx.beginPath();
      ctx.arc(x + radius, y, radius - 0.75, 0, FULL);
      ctx.stroke();
      ctx.setLineDash([]);
    }
    Object.assign(ctx, { fillStyle: theme.soft, textAlign: "left", textBaseline: "middle" });
    ctx.fillText(text, kind === "below" ? x : x + MARK + 6, y);
  }
}

/** A ring around the cursor's dial, and what it is called in the legend's place. */
export function drawCursor(ctx, layout, name, pair, theme) {
  const { bottom, width, height, size } = layout, [x, y] = middleOf(layout, pair);
  Object.assign(ctx, { strokeStyle: theme.accent, lineWidth: 2 });
  ctx.beginPath();
  ctx.arc(x, y, 0.475 * size, 0, FULL);
  ctx.stroke();
  ctx.fillStyle = theme.page;
  ctx.fillRect(0, bottom, width, height - bottom);
  setFont(ctx, theme, 500, 13);
  Object.assign(ctx, { fillStyle: theme.text, textAlign: "left", textBaseline: "middle" });
  ctx.fillText(fitted(ctx, name, width), 0, bottom + LEGEND / 2);
}
