// A curve that a hand bends: how near it is grabbed, which slopes a hand can set, and the sign of it.

import { clamp } from "./shared.js";

export const REACH = { mouse: 18, pen: 18, touch: 30 }; // pixels
export const STARTS = 3; // pixels after which a press is a drag
export const OCTAVE = 1 / 8; // of a key press
const GENTLEST = 1 / 1024, STEEPEST = 2; // slopes that a hand can set

export const settable = (slope) => clamp(slope, GENTLEST, STEEPEST);

/** The rate with which e^(-rate d) passes through a share at a distance. */
export const rateThrough = (d, share) => -Math.log(clamp(share, 0.002, 0.995)) / Math.max(0.3, d);

/** The one sign of what can be dragged: a disc with two triangles. `hint`: two more beside it. */
export function drawGrip(ctx, ink, x, y, hint) {
  const triangle = (at, side, wide, high) => {
    ctx.beginPath();
    ctx.moveTo(at + side * wide, y);
    ctx.lineTo(at, y - high);
    ctx.lineTo(at, y + high);
    ctx.fill();
  };
  for (const [radius, colour] of /** @type {[number, string][]} */ ([[13, ink.page], [10, ink.accent]])) {
    ctx.beginPath();
    ctx.arc(x, y, radius, 0, 2 * Math.PI);
    ctx.fillStyle = colour;
    ctx.fill();
  }
  ctx.fillStyle = ink.page;
  for (const side of [-1, 1]) triangle(x + side * 2, side, 4, 3.5);
  ctx.fillStyle = ink.accent;
  if (hint) { for (const side of [-1, 1]) triangle(x + side * 19, side, 8, 6); }
}
