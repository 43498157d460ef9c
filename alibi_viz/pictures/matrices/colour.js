// Colours of matrices.

import { penOf } from "../shared.js";

const COLOUR_TABLES = /*COLOUR TABLES*/ {};

/** Smallest and largest finite value, or null when every cell is masked. */
export function range(values) {
  let low = Infinity, high = -Infinity;
  for (let at = 0; at < values.length; at += 1) { // not for ... of: twice as slow on a typed array
    const value = values[at];
    if (value === -Infinity) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low > high ? null : [low, high];
}

const colourCache = new Map();

/** The 256 colours of a quantity as little-endian RGBA words, ready for an ImageData. */
export function colours(quantity, dark) {
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
  const last = table.length - 1, signed = quantity === "content", root = scale === "sqrt";
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
  const pen = penOf(image), pixels = pen.createImageData(width, height);
  colourize(colour, values, colours(colour.quantity, dark), new Uint32Array(pixels.data.buffer));
  pen.putImageData(pixels, 0, 0);
}

/** A quantity's colours from the low end of its domain to the high one, one pixel high. @param {HTMLCanvasElement} image */
export function paintScale(image, colour, dark) {
  const { low, high } = colour, values = Float64Array.from({ length: 256 }, (_, at) => low + (at / 255) * (high - low));
  paint(image, values, 256, 1, colour, dark);
}
