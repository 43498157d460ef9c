// Every pair of words at once: content + bias = scores -> weights, four matrices with one cursor.

import { drawCursorCell, drawHeatmap, frame, lowerTriangle, paint } from "../heatmap.js";
import { line, sizeCanvas, write } from "../plot.js";
import { clamp, make } from "../shared.js";

/** @import { Store } from "./store.js" */

const MOST = 128; // samples along a side: a longer text is drawn by samples
const BETWEEN = ["+", "=", "→"];
/** @type {[string, { quantity: string, low: number, high: number, scale: string }][]} */
const KINDS = [
  ["content", { quantity: "content", low: -4, high: 4, scale: "linear" }],
  ["bias", { quantity: "bias", low: -8, high: 0, scale: "linear" }],
  ["scores", { quantity: "content", low: -8, high: 8, scale: "linear" }],
  ["weights", { quantity: "weight", low: 0, high: 1, scale: "sqrt" }],
];

/** The four panels: name, canvas, what it is and where its colours end. Returns the canvases with their kinds. */
export function buildMatrices(box, words) {
  return KINDS.map(([kind, colour], at) => {
    const canvas = make("canvas", "", { "aria-hidden": "true" }), { low, high, quantity } = colour;
    const end = quantity === "weight" ? "0–100%" : low < 0 && high > 0 ? `±${high}+` : `−${-low}+`;
    const ends = make("span", "ends", { title: words.saturates }, end);
    const caption = make("small", "", {}, words[`${kind}_caption`], ends);
    box.append(make("div", `mat ${kind}`, {}, make("b", "", {}, words[kind]), canvas, caption));
    if (BETWEEN[at]) box.append(make("div", "op", { "aria-hidden": "true" }, BETWEEN[at]));
    return { kind, canvas, image: make("canvas"), inset: make("canvas"), colour, drawn: "" };
  });
}

/** The query or key of a pixel along a side. */
export const cellAt = (px, side, count) => clamp(Math.floor((px / side) * count), 0, count - 1);

/** All four, [samples, samples] each; -Infinity: a key in the future. python: PyTorch's weights, or null. @param {Store} store */
function valuesOf(store, samples, python) {
  const { count } = store, rate = store.rate();
  const at = Array.from({ length: samples }, (_, s) => Math.floor(((s + 0.5) * count) / samples));
  const rows = at.map((i) => (python ? python.subarray(i * count, (i + 1) * count) : store.weights(i, rate)));
  const content = lowerTriangle(samples, (r, c) => store.content(at[r], at[c]));
  const bias = lowerTriangle(samples, (r, c) => -rate * (at[r] - at[c]));
  return [content, bias, content.map((score, k) => score + bias[k]), lowerTriangle(samples, (r, c) => rows[r][at[c]])];
}

/** @param {ReturnType<typeof buildMatrices>} canvases @param {Store} store @param {number} side in pixels */
export function drawMatrices(canvases, store, python, side, ink, words, ratio) {
  const { query, count } = store, samples = Math.min(count, MOST), values = valuesOf(store, samples, python);
  const place = [query, store.key(), count, side, ratio, ink.dark, ink.page].join();
  for (const [at, matrix] of canvases.entries()) {
    const { kind, canvas, image, inset, colour } = matrix;
    const drawn = kind === "content" ? `${place} ${store.words.join(" ")}` : "";
    if (drawn && drawn === matrix.drawn) continue; // a hand that moves the bias alone leaves it as it is
    matrix.drawn = drawn;
    paint(image, values[at], samples, samples, colour, ink.dark);
    const ctx = sizeCanvas(canvas, side, side, ratio);
    drawHeatmap(ctx, image, 0, 0, side, side, ink, ratio);
    if (kind === "bias") drawOwnText(ctx, store, inset, side, ink, words);
    frame(ctx, 0, 0, side, side, ink.line);
    drawCursorCell(ctx, ink, { side, count }, [query, store.key()]);
  }
}

/** The square of the reader's own text: the bias in it stays what it was; enlarged once it is small. @param {Store} store */
function drawOwnText(ctx, store, inset, side, ink, words) {
  const share = store.length / store.count, own = side * share;
  if (share === 1) return;
  const square = (x, y, size) => frame(ctx, x, y, size, size, ink.text, 1.2, [4, 3]);
  square(0, 0, own);
  const size = side * 0.42, x = side - size - 5, y = 5, small = share < 0.4;
  if (small) {
    line(ctx, [[own, 0.5], [x, y]], ink.soft);
    line(ctx, [[own, own], [x, y + size]], ink.soft);
    ctx.fillStyle = ink.page;
    ctx.fillRect(x, y, size, size);
    paintBias(inset, store, ink.dark);
    ctx.imageSmoothingEnabled = false;
    ctx.drawImage(inset, x, y, size, size);
    square(x, y, size);
  }
  const text = words.own.replace("{count}", String(store.length));
  const look = { colour: ink.text, size: 12, weight: 600, align: "right" };
  write(ctx, ink, text, side - 5, small ? y + size + 10 : 14, look);
}

/** The bias of the text's own words, or of samples of a long one. @param {Store} store */
function paintBias(image, store, dark) {
  const samples = Math.min(store.length, MOST), rate = (store.rate() * store.length) / samples;
  paint(image, lowerTriangle(samples, (r, c) => -rate * (r - c)), samples, samples, KINDS[1][1], dark);
}
