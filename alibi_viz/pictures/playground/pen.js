// How the playground draws: its colours beside the theme's, texts with a halo, and numbers for reading.

import { formatSlope } from "../core.js";
import { setFont } from "../parts.js";
import { formatNumber } from "../shared.js";

const HALO = 5; // pixels: of a line around a text, half of which is outside

// Orange is the query, magenta the bias, blue ALiBi, in every part of the picture.
const LIGHT = { query: "#b8500c", bias: "#8a3a86", quiet: "#b3aea4", over: "#ffffff" };
const DARK = { query: "#e8935a", bias: "#da8fd3", quiet: "#5d656e", over: "#15181c" };

/** @param {import("../parts.js").Theme} theme */
export const inkOf = (theme) => ({ ...theme, ...(theme.dark ? DARK : LIGHT) });

/** A text with a halo in the page's colour, so that it can be read over lines. */
export function write(ctx, ink, text, x, y, { colour = ink.soft, size = 13, weight = 400, align = "left" } = {}) {
  setFont(ctx, ink, weight, size);
  Object.assign(ctx, {
    textAlign: align,
    textBaseline: "middle",
    lineJoin: "round",
    lineWidth: HALO,
    strokeStyle: ink.page,
    fillStyle: colour,
  });
  ctx.strokeText(text, x, y);
  ctx.fillText(text, x, y);
}

/** Lines of a text that are no wider than so many pixels, where it has blanks to part at. */
export function linesOf(ctx, text, wide) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines[lines.length - 1]} ${word}`.trim();
    if (ctx.measureText(longer).width <= wide || longer === word) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** The chosen slope as it acts: “1/4”, and with another strength of ALiBi “2 × 1/4”. @param {import("./store.js").Store} store */
export function slopeInForce(store) {
  const slope = formatSlope(store.slope(), true);
  return store.strength === 1 ? slope : `${formatNumber(store.strength)} × ${slope}`;
}

/** A share for reading: 52 %, 1.5 %, < 0.1 %. */
export function percent(share) {
  const value = 100 * share;
  if (value > 0 && value < 0.1) return "< 0.1 %";
  return `${value >= 9.95 ? value.toFixed(0) : value.toFixed(1)} %`;
}
