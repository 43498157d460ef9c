// The gesture of each step: what a place on the stage sets, and what an arrow key does.

import { clamp } from "../shared.js";
import { cellAt, rivalAt, timesUnder } from "./cells.js";
import { seenUnder } from "./chart.js";
import { withWordAt } from "./arithmetic.js";
import { bend, pencil } from "./pencil.js";
import { bentAt, isOnBend } from "./rail.js";
import { RIVALS } from "./rivals.js";
import { distanceAt, headAt, rowPlaces, slopeThrough, wordAt } from "./row.js";
import { pulled } from "./stage.js";

const DRAGGED = 4; // pixels after which a word is in the hand

/**
 * @import { Stage } from "./stage.js" @import { Values } from "../hands/hands.js"
 * @typedef {{ cursor: string, isPointed?: boolean, at?: (stage: Stage, x: number, y: number) => Values,
 *   byKey: (stage: Stage, across: number, down: number) => Values }} Gesture isPointed: a mouse need not press.
 *   at: what a place sets; byKey: what an arrow sets
 */

/** @type {Record<number, Gesture>} by step; in 7 and 8 nothing but text stands on the stage */
export const GESTURES = {
  1: {
    cursor: "grab",
    /** @returns {Values} */
    byKey({ order, query, count, isLeftward }, across, down) {
      const place = clamp(order.indexOf(query) + (isLeftward ? -across : across) + down, 0, count - 1);
      return across ? { story_order: withWordAt(order, query, place) } : { story_query: order[place] };
    },
  },
  2: {
    cursor: "ns-resize",
    /** @returns {Values} */
    byKey({ slope, bent, isLeftward }, across, down) {
      if (down) return { story_slope: pulled(slope + 0.01 * down) };
      return { story_bent: clamp(rounded(bent + (isLeftward ? -0.25 : 0.25) * across), 0, 2) };
    },
  },
  3: {
    cursor: "pointer",
    isPointed: true,
    at: (stage, _, y) => ({ story_head: headAt(stage, y) }),
    byKey: ({ head, message }, across, down) => ({ story_head: clamp(head + across + down, 1, message.slopes.length) }),
  },
  4: {
    cursor: "crosshair",
    isPointed: true,
    at: (stage, x, y) => cellAt(stage, x, y),
    byKey({ cell: [query, key], count }, across, down) {
      const row = clamp(query + down, 0, count - 1);
      return { cell: `${row},${clamp(key + across, 0, row)}` };
    },
  },
  5: {
    cursor: "ew-resize",
    isPointed: true,
    at: (stage, x, y) => toRival(stage, rivalAt(stage, x, y)),
    byKey(stage, across, down) {
      if (across) return toRival(stage, clamp(stage.rival + across, 0, RIVALS.length - 1));
      return { story_times: clamp(rounded(stage.times * 2 ** (-0.125 * down)), 1, 4) };
    },
  },
  6: {
    cursor: "crosshair",
    byKey: (stage, across, down) => (stage.isShown ? {} : bend(stage, across, down)),
  },
  9: {
    cursor: "ew-resize",
    at: (stage, x) => ({ story_seen: seenUnder(stage, x) }),
    byKey: ({ seen }, across, down) => ({ story_seen: clamp(Math.round(seen * 2 ** (0.5 * (across - down))), 1, 512) }),
  },
};

const rounded = (value) => Number(value.toFixed(2));

/** The next rival shows at once what becomes of it in the longest text. @param {number | null} rival @returns {Values} */
const toRival = (stage, rival) => rival === null || rival === stage.rival ? {} : { story_rival: rival, story_times: 4 };

/** What a press takes hold of, until it is let go. @param {Stage} stage @returns {((x: number, y: number) => void) | null} */
export function holdOf(stage, x, y, off) {
  const { step, hands, isShown } = stage, at = GESTURES[step]?.at;
  if (step === 1) return carry(stage, x, y, off);
  if (step === 2) return bendOrPull(stage, x, y);
  if (step === 5) {
    const isRival = rivalAt(stage, x, y) !== null;
    return (px) => hands.set(isRival ? toRival(stage, rivalAt(stage, px)) : { story_times: timesUnder(stage, px) });
  }
  if (step === 6 && !isShown) return pencil(stage, off);
  return at ? (px, py) => hands.set(at(stage, px, py)) : null;
}

/** On its rail the line bends; elsewhere it is pulled, from where it is if it is bent. @param {Stage} stage */
function bendOrPull(stage, x, y) {
  const { hands, bent, slope } = stage;
  if (isOnBend(stage, y)) return (px) => hands.set({ story_bent: bentAt(stage, px) });
  stage.grip = distanceAt(stage, x);
  const away = bent ? slope - slopeThrough(stage, y) : 0;
  return (_, py) => hands.set({ story_slope: pulled(slopeThrough(stage, py) + away) });
}

/** A word in the hand; a press without a drag lets the word ask. @param {Stage} stage */
function carry(stage, x, y, off) {
  const { hands } = stage, word = wordAt(stage, x, y);
  if (word < 0) return null;
  const away = Number(stage.words[word].x) - x;
  off.addEventListener("abort", () => {
    if (!stage.held) hands.set({ story_query: word });
    stage.held = null;
  });
  return (px) => {
    if (!stage.held && Math.abs(px - x) <= DRAGGED) return;
    stage.held = { word, x: px + away };
    hands.set({ story_order: withWordAt(stage.order, word, rowPlaces(stage).at(px + away)) });
  };
}
