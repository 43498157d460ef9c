// How the playground draws: its colours beside the theme's, lines, and texts with a halo.

import { noteSize, probe, setFont, sizeCanvas } from "../parts.js";
import { make } from "../shared.js";

const HALO = 5; // pixels around a text
const PRINTS = 400; // texts that are kept

// Orange is the query, magenta the bias, blue ALiBi, in every part of the picture.
const LIGHT = { query: "#b8500c", bias: "#8a3a86", quiet: "#b3aea4", over: "#ffffff" };
const DARK = { query: "#e8935a", bias: "#da8fd3", quiet: "#5d656e", over: "#15181c" };

/** @param {import("../parts.js").Theme} theme */
export const inkOf = (theme) => ({ ...theme, ...(theme.dark ? DARK : LIGHT) });

/** A text with a halo in the page's colour, so that it can be read over lines. */
export function write(ctx, ink, text, x, y, { colour = ink.soft, size = 13, weight = 400, align = "left" } = {}) {
  const ratio = ctx.getTransform().a, { image, wide } = printed(ink, text, colour, size, weight, ratio);
  noteSize(ctx.canvas, size);
  const left = x - { left: 0, center: wide / 2, right: wide }[align] - HALO, top = y - image.height / (2 * ratio);
  const [px, py] = [left, top].map((at) => Math.round(at * ratio) / ratio); // on whole pixels it stays sharp
  ctx.drawImage(image, px, py, image.width / ratio, image.height / ratio);
}

/**
 * Texts as they have been printed: a halo takes long to draw, and most texts stay while a hand moves.
 * @type {Map<string, { image: HTMLCanvasElement, wide: number }>}
 */
const prints = new Map();

function printed(ink, text, colour, size, weight, ratio) {
  const name = [text, colour, size, weight, ratio, ink.page, ink.font].join("\n"), before = prints.get(name);
  if (before) return before;
  setFont(probe, ink, weight, size);
  const wide = probe.measureText(text).width, image = make("canvas"), high = 1.6 * size + 2 * HALO;
  const ctx = sizeCanvas(image, Math.ceil(wide) + 2 * HALO, Math.ceil(high), ratio);
  setFont(ctx, ink, weight, size);
  Object.assign(ctx, { textBaseline: "middle", lineJoin: "round", lineWidth: HALO, strokeStyle: ink.page, fillStyle: colour });
  ctx.strokeText(text, HALO, high / 2);
  ctx.fillText(text, HALO, high / 2);
  if (prints.size >= PRINTS) prints.delete(String(prints.keys().next().value));
  prints.set(name, { image, wide });
  return { image, wide };
}

/** A dashed or dotted line through points [x, y]. */
export function line(ctx, points, colour, width = 1, dash = []) {
  Object.assign(ctx, { strokeStyle: colour, lineWidth: width });
  ctx.setLineDash(dash);
  ctx.beginPath();
  for (const [x, y] of points) ctx.lineTo(x, y);
  ctx.stroke();
  ctx.setLineDash([]);
}

/** A share for reading: 52 %, 1.5 %, < 0.1 %. */
export function percent(share) {
  const value = 100 * share;
  if (value > 0 && value < 0.1) return "< 0.1 %";
  return `${value >= 9.95 ? value.toFixed(0) : value.toFixed(1)} %`;
}
