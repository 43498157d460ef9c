// A rail that a hand runs along: its stops with their names, and the knob. That of step 2 bends the line.

import { sector } from "../plot.js";
import { clamp } from "../shared.js";

/** @import { Stage } from "./stage.js" @typedef {{ x: number, y: number, width: number }} Rail */

const KNOB = 13; // pixels at 1280 × 800: its radius

/** share: how far the knob is. names: of the stops. hint: beside the knob at the begin. @param {Stage} stage @param {Rail} rail @param {string[]} names */
export function drawRail(stage, { x, y, width }, share, names, hint = "", colour = stage.ink.accent) {
  const at = x + width * share, size = stage.type(13), above = y - KNOB * Math.max(1, stage.unit) - 0.6 * size;
  stage.line([[x, y], [x + width, y]], stage.ink.line, 4);
  stage.line([[x, y], [at, y]], colour, 4);
  for (const [stop, name] of names.entries()) {
    const to = stop / (names.length - 1), isNear = Math.abs(to - share) < 0.05;
    const align = to === 0 ? "left" : to === 1 ? "right" : "center";
    const place = x + width * to + { left: -KNOB, right: KNOB, center: 0 }[align];
    sector(stage.ctx, x + width * to, y, 3.5, stage.ink.quiet);
    if (isNear) stage.strong(name, place, above, size, align, 700);
    else stage.say(name, place, above, { size, align });
  }
  stage.knob(at, y, colour);
  if (hint && share < 0.03) stage.strong(hint, at + 26, y - 1, stage.type(16, 14), "left", 700, colour);
}

/** How far along a rail a pointer is; near a stop, there. @param {Rail} rail @param {number} stops */
export function alongRail({ x, width }, pointer, stops) {
  const share = clamp((pointer - x) / width, 0, 1), stop = Math.round(share * (stops - 1)) / (stops - 1);
  return Math.abs(share - stop) < 0.025 ? stop : share;
}

// Step 2: from the scores to the weights.

/** @param {Stage} stage @returns {Rail} */
function bendRail(stage) {
  const { small, width, height } = stage, y = height - (small ? 42 : stage.px(28));
  return small ? { x: 18, width: width - 36, y } : { x: stage.px(74), width: Math.min(stage.px(520), width / 2), y };
}

/** @param {Stage} stage */
export function drawBend(stage, alpha) {
  const { v, untouched } = stage, names = ["score", "exp", "share"].map((name) => stage.word(name));
  stage.fade(alpha * v.rail * (untouched || v.bent > 0 ? 1 : stage.pulse()));
  drawRail(stage, bendRail(stage), v.bent / 2, names, stage.word("bend"), stage.ink.bias);
}

/** Whether a pointer is on that rail. @param {Stage} stage */
export const isOnBend = (stage, y) => y > bendRail(stage).y - (stage.small ? 30 : stage.px(34));

/** How far the line is bent under a pointer. @param {Stage} stage */
export const bentAt = (stage, x) => Number((2 * alongRail(bendRail(stage), x, 3)).toFixed(2));
