// Canvas drawing of the clocks: one dial a pair of dimensions, and the legend.

import { circle, drawDial, drawHand, fitted, line, sector, setFont, sizeCanvas } from "../plot.js";
import { clamp, formatNumber, make } from "../shared.js";
import { isPast } from "./dials.js";

const GAP = 8, CAPTION = 20, LARGEST = 220, NAMED = 80; // pixels; smaller dials have no room for their number
const MARK = 11; // pixels: before an entry of the legend
const ENTRIES = ["of_training", "past", "part", "unscaled", "below", "drag"]; // of the legend

/** Where everything stands: as many dials a row as make them largest. */
export function computeLayout(count, width, height) {
  let size = 0, across = 1;
  for (let columns = 1; columns <= count; columns += 1) {
    const wide = (width - GAP * (columns - 1)) / columns, high = height / Math.ceil(count / columns) - CAPTION - GAP;
    const fits = Math.min(wide, high, LARGEST);
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

/** The dials at a position. @param {import("./dials.js").Dials} dials */
export function drawPicture(ctx, layout, { colours }, dials, position, theme) {
  const tones = colours[Number(theme.dark)];
  dials.turns.forEach((_, pair) => drawClock(ctx, layout, dials, pair, position, tones, theme));
}

/** A dial with its number and its wavelength; where the angles are scaled, the plain hand too. */
function drawClock(ctx, layout, dials, pair, position, [colour, beyond], theme) {
  const { size, wide } = layout, [x, y] = middleOf(layout, pair), unit = size / 40, trained = dials.trained[pair];
  const turns = position * dials.turns[pair], plain = position * dials.plain[pair];
  if (plain !== turns) drawHand(ctx, x, y, plain, [0, 16], unit, theme.line, 1.4);
  drawDial(ctx, theme, x, y, 18 * unit, { turns, trained, isPast: isPast(turns, trained), colour, beyond });
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
    if (kind === "part") circle(ctx, radius, radius, radius - 0.75, colour, 1.5, [2.5, 2]);
    entry.append(...(["below", "drag"].includes(kind) ? [] : [mark]), words[kind]);
    return entry;
  });
}

/** A ring around the cursor's dial. */
export function drawCursor(ctx, layout, pair, theme) {
  const [x, y] = middleOf(layout, pair);
  circle(ctx, x, y, 0.475 * layout.size, theme.accent, 2);
}
