// Step 6: the line in the hand, before the chart answers; and in a class what is told of it, and what all have drawn.

import { measuredAt } from "../plot.js";
import { clamp } from "../shared.js";
import { drawnLines, guessAt, measured, PENS } from "./chart.js";
import { EVERY, finished, SAMPLES, timesOf, withPlace } from "./arithmetic.js";

/** @import { Stage } from "./stage.js" @import { Values } from "../hands/hands.js" */

const toldPlaces = Array.from({ length: (SAMPLES - 1) / EVERY }, (_, at) => (at + 1) * EVERY);

/** Both lines from after L to 16 L, with empty places where none is drawn. @param {Stage} stage @returns {string[]} */
const written = ({ drawn }) => PENS.flatMap((pen) => toldPlaces.map((at) => drawn[pen]?.[at]?.toFixed(2) ?? ""));

/** The same as numbers; none before both are drawn. @param {Stage} stage @returns {number[]} */
export const toldOf = (stage) => (stage.drawn.alibi && stage.drawn.rope ? written(stage).map(Number) : []);

/** Both lines as the address has them; on the phone of a class no address has them. @param {Stage} stage @returns {Values} */
function kept(stage) {
  const { drawn, hands: { values } } = stage;
  stage.guess = drawn.alibi || drawn.rope ? written(stage).join() : "";
  return "story_guess" in values ? { story_guess: stage.guess } : {};
}

/** What the address has of this reader, or in a class the room, stands on the chart again. @param {Stage} stage */
export function restore(stage) {
  const { drawn, guess, message: { drawing }, hands: { values } } = stage, now = String(values.story_guess ?? "");
  const mine = drawing?.mine ?? [], isOfRoom = !now && mine.length > 0;
  const isNew = "story_guess" in values && now !== guess;
  if (!isNew && (!isOfRoom || drawn.alibi || drawn.rope)) return;
  stage.guess = now;
  const told = isOfRoom ? mine : now.split(",").map(Number);
  drawnLines(stage, told).forEach((places, at) => {
    const [times, perplexities] = [0, 1].map((part) => places.map((place) => place[part]));
    const line = Array.from({ length: SAMPLES }, (_, sample) => measuredAt(times, perplexities, timesOf(sample)));
    drawn[PENS[at]] = told.length > 1 && perplexities.at(-1) ? line : null;
  });
}

/** The line that is drawn, until it is let go: early it is dropped, late it goes on level. @param {Stage} stage @param {AbortSignal} off */
export function pencil(stage, off) {
  const { pen } = stage, start = measured(stage.lineOf(pen), 1);
  let last = 0;
  stage.drawn[pen] ??= Array(SAMPLES).fill(null);
  off.addEventListener("abort", () => {
    stage.drawn[pen] = finished(stage.drawn[pen] ?? []);
    const other = PENS.find((method) => method !== pen) ?? pen;
    if (stage.drawn[pen] && !stage.drawn[other]) stage.pen = other;
    stage.hands.set(kept(stage));
  });
  return (x, y) => {
    const { at, value } = guessAt(stage, x, y);
    stage.drawn[pen] = withPlace(stage.drawn[pen] ?? [], last, at, value, start);
    last = at;
  };
}

/** By keys: up and down bend the end of a straight line, left and right change the pen. @param {Stage} stage */
export function bend(stage, across, down) {
  const { pen } = stage, start = measured(stage.lineOf(pen), 1);
  const end = clamp((stage.drawn[pen]?.[SAMPLES - 1] ?? start) * 2 ** (-down / 8), 3.1, 78);
  stage.drawn[pen] = withPlace(Array(SAMPLES).fill(null), 0, SAMPLES - 1, end, start);
  if (across) stage.pen = pen === "alibi" ? "rope" : "alibi";
  return kept(stage);
}
