// Canvas drawing of the clocks: one dial a pair of dimensions, and the legend.

import { fitted, line, sector, setFont, sizeCanvas } from "../plot.js";
import { clamp, formatNumber, make } from "../shared.js";
import { isPast } from "./core.js";

const GAP = 8, CAPTION = 20, LARGEST = 220, NAMED = 80; // pixels; smaller dials have no room for their number
const FULL = 2 * Math.PI;
const MARK = 11; // pixels: before an entry of the legend
const ENTRIES = ["of_training", "past", "part", "unscaled", "below", "drag"]; // of the legend

/** Where everything stands: as many dials a row as make them largest. */
export function computeLayout(count, width, height) {
  let size = 0, across = 1;
  for (let columns = 1; columns <= count; columns += 1) {
    const fits = Math.min(
      (width - GAP * (columns - 1)) / columns,
      height / Math.ceil(count / columns) - CAPTION - GAP,
      LARGEST,
    );
    if (fits > size) [size, across] = [fits, columns];
  }
  const high = size + CAPTION + GAP;
  return { width, height: Math.ceil(count / across) * high, across, size, wide: (width + GAP) / across, high };
}

/** The middle of a dial. */
export const middleOf = (
  { across, size, wide, high },
  pair,
) => [(pair % across + 0.5) * wide - GAP / 2, Math.floor(pair / across) * high + size / 2];

/** The dial whose place a point is in, with what stands around it. */
export function dialAt({ across, wide, high }, [left, top]) {
  const column = Math.floor((left + GAP / 2) / wide), row = Math.max(0, Math.floor(top / high));
  return column >= 0 && column < across ? row * across + column : -1;
}

/** The dials at a position. @param {import("./core.js").Dials} dials */
export function drawPicture(ctx, layout, { colours }, dials, position, theme) {
  const tones = colours[Number(theme.dark)];
  dials.turns.forEach((_, pair) => drawDial(ctx, layout, dials, pair, position, tones, theme));
}

/** A dial: shaded the angles of training; where the hand has passed them, what lies beyond is filled too. */
function drawDial(ctx, layout, dials, pair, position, [colour, beyond], theme) {
  const { size, wide } = layout, [x, y] = middleOf(layout, pair), unit = size / 40;
  const turns = position * dials.turns[pair], plain = position * dials.plain[pair], trained = dials.trained[pair];
  const past = isPast(turns, trained);
  const end = (
    share,
    radius,
  ) => [x + radius * unit * Math.sin(FULL * share), y - radius * unit * Math.cos(FULL * share)];
  ctx.globalAlpha = 0.11;
  sector(ctx, x, y, 18 * unit, theme.text, 0, trained);
  ctx.globalAlpha = 0.55;
  if (past) sector(ctx, x, y, 18 * unit, beyond, trained, Math.min(turns, 1));
  Object.assign(ctx, { strokeStyle: colour, lineWidth: 0.9 * unit, lineCap: "butt", globalAlpha: 1 });
  ctx.setLineDash(trained < 1 ? [2 * unit, 1.6 * unit] : []);
  ctx.beginPath();
  ctx.arc(x, y, 18 * unit, 0, FULL);
  ctx.stroke();
  ctx.setLineDash([]);
  ctx.lineCap = "round";
  line(ctx, [end(0, 18), end(0, 15.5)], theme.soft, 0.8 * unit);
  if (plain !== turns) line(ctx, [[x, y], end(plain % 1, 16)], theme.line, 1.4 * unit);
  line(ctx, [[x, y], end(turns % 1, 16)], past ? theme.text : colour, 1.8 * unit);
  sector(ctx, x, y, 1.5 * unit, colour);
  Object.assign(ctx, { fillStyle: theme.text, textAlign: "center", textBaseline: "middle" });
  setFont(ctx, theme, 400, clamp(0.16 * size, 8.5, 13));
  ctx.fillText(fitted(ctx, formatNumber(1 / dials.turns[pair]), wide - 2), x, y + size / 2 + CAPTION / 2);
  if (size < NAMED) return;
  setFont(ctx, theme, 400, Math.max(12, 4.8 * unit));
  Object.assign(ctx, { fillStyle: theme.soft, textAlign: "left" });
  ctx.fillText(String(pair), x - 19.5 * unit, y - 16.5 * unit);
}

/** What each sign on a dial means, one element each. @param {import("./message.d.ts").Message} message */
export function legendOf({ words, colours }, theme, ratio) {
  const [colour, beyond] = colours[Number(theme.dark)], radius = MARK / 2;
  return ENTRIES.map((kind) => {
    const entry = make("span", kind), mark = make("canvas"), ctx = sizeCanvas(mark, MARK, MARK, ratio);
    ctx.globalAlpha = kind === "of_training" ? 0.25 : 1;
    if (kind === "of_training") sector(ctx, radius, radius, radius, theme.text);
    if (kind === "past") sector(ctx, radius, radius, radius, beyond);
    if (kind === "unscaled") line(ctx, [[1, MARK - 1], [MARK - 1, 1]], theme.line, 3);
    if (kind === "part") {
      Object.assign(ctx, { strokeStyle: colour, lineWidth: 1.5 });
      ctx.setLineDash([2.5, 2]);
      ctx.beginPath();
      ctx.arc(radius, radius, radius - 0.75, 0, FULL);
      ctx.stroke();
    }
    entry.append(...(["below", "drag"].includes(kind) ? [] : [mark]), words[kind]);
    return entry;
  });
}

/** A ring around the cursor's dial. */
export function drawCursor(ctx, layout, pair, theme) {
  const [x, y] = middleOf(layout, pair);
  Object.assign(ctx, { strokeStyle: theme.accent, lineWidth: 2 });
  ctx.beginPath();
  ctx.arc(x, y, 0.475 * layout.size, 0, FULL);
  ctx.stroke();
}
