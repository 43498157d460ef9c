// Step 6: the line in the hand, before the chart answers; and in a class what is told of it, and what all have drawn.

import { clamp } from "../shared.js";
import { drawnLines, guessAt, measured, PENS } from "./chart.js";
import { between, EVERY, finished, SAMPLES, timesOf, withPlace } from "./core.js";

/** @import { Stage } from "./stage.js" */

/** Both lines as numbers, from after L to 16 L; none before both are drawn. @param {Stage} stage @returns {number[]} */
export function toldOf({ drawn }) {
  if (!drawn.alibi || !drawn.rope) return [];
  const told = (line) => line.filter((_, at) => at && at % EVERY === 0).map((value) => Number(value.toFixed(2)));
  return PENS.flatMap((pen) => told(drawn[pen]));
}

/** What the room has of this reader stands on the chart again after a reload. @param {Stage} stage */
export function restore(stage) {
  const { drawn, message: { drawing } } = stage;
  if (!drawing?.mine.length || drawn.alibi || drawn.rope) return;
  drawnLines(stage, drawing.mine).forEach((places, at) => {
    const [times, values] = [0, 1].map((part) => places.map((place) => place[part]));
    drawn[PENS[at]] = Array.from({ length: SAMPLES }, (_, sample) => between(times, values, timesOf(sample)));
  });
}

/**
 * The line that is drawn: lifted early it is dropped, lifted late it goes on level.
 * @param {Stage} stage @param {AbortSignal} off it is let go
 */
export function pencil(stage, off) {
  const { pen } = stage, start = measured(stage.lineOf(pen), 1);
  let last = 0;
  stage.drawn[pen] ??= Array(SAMPLES).fill(null);
  off.addEventListener("abort", () => {
    stage.drawn[pen] = finished(stage.drawn[pen] ?? []);
    const other = PENS.find((method) => method !== pen) ?? pen;
    if (stage.drawn[pen] && !stage.drawn[other]) stage.pen = other;
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
}
