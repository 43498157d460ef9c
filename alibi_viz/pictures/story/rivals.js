// Step 5: what five methods make of a longer text, one at a time, along a rail. What training never showed has one colour in all.

import { bucketOf } from "../lm.js";
import { frame } from "../heatmap.js";
import { crisp, drawDial, drawDot, signed } from "../plot.js";
import { clamp } from "../shared.js";
import { alongRail, drawRail } from "./rail.js";
import { slopeText } from "./stage.js";

/**
 * @import { Stage } from "./stage.js"
 * @typedef {{ x: number, top: number, width: number, height: number }} Place
 * @typedef {{ x: number, width: number, top: number, bottom: number, alpha: number, last: number, all: number,
 *   at: (place: number) => number }} Plot last: the last place of the text; all: places there are room for
 */

/** In the order of the rail. */
export const RIVALS = ["learned", "sinusoidal", "rope", "t5", "alibi"];
const DRAWN = { learned: drawTable, sinusoidal: drawWaves, rope: drawDials, t5: drawSteps, alibi: drawFall };
const HIGH = 0.6; // of the place: the rail and the picture; the caption has the rest
const CELLS = 6; // numbers of a row that are drawn
const EXACT = { most: 4, share: 0.6 }; // near distances with a step each, of the trained ones: T5 has 16
const WIDEST = 0.8; // of the training length: about where the last step begins

const ALL = 2 * Math.PI;

/** @param {Stage} stage @param {Place} place */
const railIn = (stage, { x, top, width }) => ({ x: x + 12, y: top + stage.type(13) + stage.px(26), width: width - 24 });

/** @param {Stage} stage @param {Place} place */
export function drawRivals(stage, place, alpha) {
  const { v, rival, count } = stage, rail = railIn(stage, place), size = stage.type(15, 12), all = 4 * count;
  const names = RIVALS.map((method) => stage.nameOf(method)), last = Math.round(count * v.times) - 1;
  stage.fade(alpha);
  drawRail(stage, rail, v.rival / (RIVALS.length - 1), names, "", stage.ink.text);
  const { x, width, top, height } = place, shown = alpha * Math.max(0, 1 - 2 * Math.abs(v.rival - rival));
  const note = rail.y + size + stage.px(16), bottom = top + height * HIGH - size;
  const at = (one) => x + (width * (one + 0.5)) / all;
  stage.fade(shown);
  stage.say(noteOf(stage, last), x, note, { size });
  DRAWN[RIVALS[rival]](stage, { x, width, top: note + size * 1.4, bottom, alpha: shown, last, all, at });
  stage.fade(alpha);
}

/** What is said above the picture: what it shows, and past the trained length what is new. @param {Stage} stage */
function noteOf(stage, last) {
  const { rival, slope, count } = stage, isPast = last >= count, method = RIVALS[rival];
  const product = `−${slopeText(slope)} × ${last} = ${signed(-slope * last)}`;
  const name = {
    learned: isPast ? "no_rows" : "rows",
    sinusoidal: isPast ? "never" : "waves",
    rope: isPast ? "never" : "rope_turns",
    t5: last > lastStep(count) ? "t5_far" : "t5_near",
    alibi: "alibi_far",
  }[method];
  return stage.word(name, { count: name === "no_rows" ? last + 1 - count : last, product, edge: lastStep(count) });
}

/** Where training ended. @param {Stage} stage @param {Plot} plot */
function drawEnd(stage, { x, width, all, top, bottom }) {
  const at = x + (width * stage.count) / all;
  stage.line([[at, top - 4], [at, bottom + 4]], stage.ink.text, 1.5, [6, 4]);
}

/** Rows of a learned table: one a place of training, and none beyond. @param {Stage} stage @param {Plot} plot */
function drawTable(stage, { x, width, top, bottom, last, all, alpha }) {
  const { ink, ctx, count } = stage, cell = width / all, high = bottom - top;
  for (let place = 0; place < all; place += 1) {
    const left = x + place * cell + 1, isUsed = place <= last;
    stage.fade(alpha * (place < count ? 0.75 : isUsed ? 0.9 : 0.4));
    if (place < count) stage.box(left, top, cell - 2, high, 0, ink.learned);
    else frame(ctx, left - 0.5, top, cell - 1, high, isUsed ? stage.colourOf("rope") : ink.quiet, 1, [3, 3]);
  }
  stage.fade(alpha);
  for (let line = 1; line < CELLS; line += 1) {
    const y = crisp(top + (high * line) / CELLS);
    stage.line([[x, y], [x + (width * count) / all, y]], ink.page);
  }
  if (last < count + 7) return;
  const middle = x + (cell * (count + last + 1)) / 2;
  stage.strong(stage.word("no_row"), middle, (top + bottom) / 2, stage.type(16, 13), "center", 700);
}

/** Whether training showed all angles. */
const isWhole = ({ count }, theta) => theta * (count - 1) >= ALL;

/** Three sines of the place, as fast as the dials. @param {Stage} stage @param {Plot} plot */
function drawWaves(stage, plot) {
  const { ink, ctx, count, message: { thetas } } = stage, { top, bottom, last, all, at } = plot;
  const high = (bottom - top) / thetas.length;
  thetas.forEach((theta, row) => {
    const y = (place) => top + (row + 0.5) * high - 0.42 * high * Math.sin(theta * place);
    const wave = (from, to, ...look) => {
      const places = Array.from({ length: 4 * (to - from) + 1 }, (_, step) => from + step / 4);
      if (to > from) stage.line(places.map((place) => [at(place), y(place)]), ...look);
    };
    wave(last, all - 1, ink.quiet, 1.2, [2, 5]);
    wave(0, Math.min(last, count - 1), ink.soft, 2.5);
    wave(count - 1, Math.max(last, count - 1), isWhole(stage, theta) ? ink.soft : stage.colourOf("rope"), 3);
    const isSeen = isWhole(stage, theta) || last < count;
    drawDot(ctx, at(last), y(last), 4.5, isSeen ? ink.soft : stage.colourOf("rope"), ink);
  });
  drawEnd(stage, plot);
}

/** Three dials of RoPE. @param {Stage} stage @param {Plot} plot */
function drawDials(stage, { x, width, top, bottom, last }) {
  const { thetas } = stage.message, size = stage.type(14, 12);
  const radius = Math.max(0, Math.min((bottom - top - 1.6 * size) / 2, width / 6.6));
  thetas.forEach((theta, at) => drawTurn(stage, x + (width * (at + 0.5)) / 3, top + radius, radius, theta, last));
}

/** A dial, and what was seen of it. */
function drawTurn(stage, x, y, radius, theta, last) {
  const { ink, ctx, count } = stage, trained = theta * (count - 1), now = theta * last, isAll = isWhole(stage, theta);
  const isNew = !isAll && last > count - 1, shares = { turns: now / ALL, trained: Math.min(1, trained / ALL) };
  drawDial(ctx, ink, x, y, radius, { ...shares, isPast: isNew, colour: ink.soft, beyond: stage.colourOf("rope") });
  const degrees = Math.round(((isNew ? Math.min(now, ALL) - trained : trained) * 360) / ALL), size = stage.type(14, 12);
  const said = stage.word(isAll ? "all_seen" : isNew ? "never_seen" : "dial_seen", { degrees });
  if (isNew) stage.strong(said, x, y + radius + size, size, "center");
  else stage.say(said, x, y + radius + size, { size, align: "center" });
}

/** T5’s step of a distance, and how many there are: so few that training reaches the last one. */
function stepsOf(count) {
  const exact = clamp(Math.floor(EXACT.share * count), 1, EXACT.most);
  return { of: (far) => bucketOf(far, 2 * exact, WIDEST * count), last: 2 * exact - 1 };
}

/** The distance at which the last step begins. */
function lastStep(count) {
  const { of, last } = stepsOf(count);
  return Array.from({ length: count }, (_, far) => of(far)).indexOf(last);
}

/** Steps: a range of distances each, the last without an end. @param {Stage} stage @param {Plot} plot */
function drawSteps(stage, plot) {
  const { ink, ctx, count } = stage, { top, bottom, last, all, at } = plot;
  const { of, last: most } = stepsOf(count), y = (far) => top + ((bottom - top) * of(far)) / most;
  const half = (at(1) - at(0)) / 2;
  const steps = (to) =>
    Array.from({ length: to + 1 }, (_, far) => [[at(far) - half, y(far)], [at(far) + half, y(far)]]);
  stage.line([[plot.x, crisp(top)], [plot.x + plot.width, crisp(top)]], ink.grid);
  stage.line(steps(all - 1).flat(), ink.quiet, 1.5, [2, 5]);
  stage.line(steps(last).flat(), stage.colourOf("t5"), 3);
  drawEnd(stage, plot);
  drawDot(ctx, at(last), y(last), 5, stage.colourOf("t5"), ink);
}

/** ALiBi's line. @param {Stage} stage @param {Plot} plot */
function drawFall(stage, plot) {
  const { ink, ctx, v } = stage, { top, bottom, last, all, at } = plot, deep = Math.max(0.25, v.slope) * (all - 1);
  const point = (far) => [at(far), top + ((bottom - top) * v.slope * far) / deep];
  stage.line([[plot.x, crisp(top)], [plot.x + plot.width, crisp(top)]], ink.grid);
  stage.line([point(0), point(all - 1)], ink.quiet, 1.5, [2, 5]);
  stage.line([point(0), point(last)], ink.accent, 3);
  drawEnd(stage, plot);
  drawDot(ctx, ...point(last), 5, ink.accent, ink);
}

/** Where the caption of the rival stands, in pixels. @param {Place} place */
export const captionIn = ({ x, top, width, height }) => ({ left: x, top: top + height * HIGH + 4, width });

/** The rival under a pointer on the rail; without a height, wherever the pointer is. @param {Stage} stage @param {Place} place */
export function rivalUnder(stage, place, x, y) {
  const rail = railIn(stage, place), isThere = x > rail.x - 30 && Math.abs((y ?? rail.y) - rail.y) < 34;
  return isThere ? Math.round(alongRail(rail, x, RIVALS.length) * (RIVALS.length - 1)) : null;
}
