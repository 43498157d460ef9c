// How every picture draws a matrix: its values in colour, hatching where a key is hidden, the cursor's row and cell.

import { spread } from "./unpack.js";
import { make, penOf } from "./shared.js";

const COLOUR_TABLES = /*COLOUR TABLES*/ {};
const SIGNED = ["content", "added"]; // quantities whose 0 is in the middle of their colours

/** Smallest and largest finite value, or null when every cell is masked. */
export function range(matrix) {
  const values = matrix.diagonals ?? matrix;
  let low = Infinity, high = -Infinity;
  for (let at = 0; at < values.length; at += 1) { // not for ... of: twice as slow on a typed array
    const value = values[at];
    if (value === -Infinity) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low > high ? null : [low, high];
}

/** A matrix [samples, samples] of what a query reads: the keys up to itself; -Infinity behind them. */
export function lowerTriangle(samples, valueOf) {
  const values = new Float32Array(samples * samples).fill(-Infinity);
  for (let r = 0; r < samples; r += 1) {
    for (let c = 0; c <= r; c += 1) values[r * samples + c] = valueOf(r, c);
  }
  return values;
}

const colourCache = new Map();

/** The 256 colours of a quantity as little-endian RGBA words, ready for an ImageData. */
function colours(quantity, dark) {
  const name = `${quantity}-${dark ? "dark" : "light"}`;
  if (!colourCache.has(name)) {
    const raw = Uint8Array.from(atob(COLOUR_TABLES[name] ?? ""), (letter) => letter.charCodeAt(0));
    const table = new Uint32Array(raw.length / 3);
    for (let at = 0; at < table.length; at += 1) {
      table[at] = (255 << 24) | (raw[3 * at + 2] << 16) | (raw[3 * at + 1] << 8) | raw[3 * at];
    }
    colourCache.set(name, table);
  }
  return colourCache.get(name);
}

/** Colour every value into `out` (Uint32Array); a masked cell stays transparent, so the hatching shows. */
function colourize({ quantity, low, high, scale }, values, table, out) {
  const last = table.length - 1, signed = SIGNED.includes(quantity), root = scale === "sqrt";
  // A penalty deepens downwards wherever its domain lies, so that panels of one picture agree; 0 is a signed map's middle.
  const down = quantity === "bias";
  // t runs from 0 (signed: -1) to 1 over the domain; the colour is number t * gain + zero.
  const factor = signed ? 1 / Math.max(Math.abs(low), Math.abs(high)) : (down ? -1 : 1) / (high - low);
  const shift = signed ? 0 : -factor * (down ? high : low);
  const least = signed ? -1 : 0, gain = signed ? last / 2 : last, zero = signed ? last / 2 : 0;
  for (let at = 0; at < out.length; at += 1) {
    const value = values[at];
    let t = value * factor + shift;
    if (!(t > least)) t = least;
    else if (t > 1) t = 1;
    if (root) t = Math.sign(t) * Math.sqrt(Math.abs(t));
    out[at] = value === -Infinity ? 0 : table[(t * gain + zero + 0.5) | 0];
  }
}

/** The image of a matrix: values in colour, one pixel a sample. @param {HTMLCanvasElement} image */
export function paint(image, values, width, height, colour, dark) {
  if (image.width !== width || image.height !== height) Object.assign(image, { width, height });
  const pen = penOf(image), pixels = pen.createImageData(width, height), cells = new Uint32Array(pixels.data.buffer);
  const table = colours(colour.quantity, dark), { diagonals } = values;
  if (diagonals) {
    const coloured = new Uint32Array(diagonals.length);
    colourize(colour, diagonals, table, coloured);
    spread(coloured, cells, width);
  } else colourize(colour, values, table, cells);
  pen.putImageData(pixels, 0, 0);
}

/** A quantity's colours from the low end of its domain to the high one, one pixel high. @param {HTMLCanvasElement} image */
export function paintScale(image, colour, dark) {
  const { low, high } = colour, values = Float64Array.from({ length: 256 }, (_, at) => low + (at / 255) * (high - low));
  paint(image, values, 256, 1, colour, dark);
}

const oneColour = new Uint32Array(1);

/** The colour of one value, as [red, green, blue]. @returns {number[]} */
export function colourAt(colour, value, dark) {
  colourize(colour, [value], colours(colour.quantity, dark), oneColour);
  return [0, 8, 16].map((shift) => (oneColour[0] >> shift) & 255);
}

const gradient = make("canvas");

/** A bar of a quantity's colours. */
export function drawScale(ctx, colour, dark, x, y, width, height) {
  paintScale(gradient, colour, dark);
  ctx.drawImage(gradient, x, y, width, height);
}

const hatchings = new Map();

/** Diagonal lines for cells that no query may look at. */
export function drawHatching(ctx, x, y, width, height, theme, ratio) {
  const name = `${theme.hatch} ${ratio}`;
  if (!hatchings.has(name)) {
    const side = Math.max(6, Math.round(6 * ratio)), tile = make("canvas", "", { width: side, height: side });
    const pen = Object.assign(penOf(tile), { strokeStyle: theme.hatch, lineWidth: ratio });
    pen.stroke(new Path2D([-side, 0, side].map((shift) => `M${shift} ${side}L${shift + side} 0`).join("")));
    hatchings.set(name, tile);
  }
  const pattern = ctx.createPattern(hatchings.get(name), "repeat");
  pattern.setTransform(new DOMMatrix().scale(1 / ratio));
  ctx.fillStyle = pattern;
  ctx.fillRect(x, y, width, height);
}

/**
 * The cells of a matrix from its image. Enlarged ones keep sharp edges; an image with more samples than pixels is averaged, or
 * lines would vanish.
 */
export function drawHeatmap(ctx, image, x, y, width, height, theme, ratio) {
  drawHatching(ctx, x, y, width, height, theme, ratio);
  Object.assign(ctx, { imageSmoothingEnabled: (width / image.width) * ratio < 1, imageSmoothingQuality: "high" });
  ctx.drawImage(image, x, y, width, height);
}

/** A line inside the edges of a box, which may be dashed. */
export function frame(ctx, x, y, wide, high, colour, width = 1, dash = []) {
  Object.assign(ctx, { strokeStyle: colour, lineWidth: width });
  ctx.setLineDash(dash);
  ctx.strokeRect(x + width / 2, y + width / 2, Math.max(wide - width, 1), Math.max(high - width, 1));
  ctx.setLineDash([]);
}

/** The cursor: the query's row, and in it the key's cell, which shows on every colour. Both count samples, `count` a side. */
export function drawCursorCell(ctx, theme, { x = 0, y = 0, side, count }, [query, key], strength = 1) {
  const cell = side / count, high = Math.max(cell, 3), big = Math.max(cell, 7);
  const startOf = (at, size) => Math.min(side - size, Math.max(0, (at + 0.5) * cell - size / 2));
  const row = Math.min(query * cell, side - high);
  frame(ctx, x, y + row, Math.max(cell * (query + 1), 3), high, theme.query, 1.5 * strength);
  for (const [width, colour] of /** @type {[number, string][]} */ ([[3.6, theme.page], [1.8, theme.text]])) {
    frame(ctx, x + startOf(key, big), y + startOf(query, big), big, big, colour, width * strength);
  }
}
