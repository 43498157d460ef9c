// The frequencies of RoPE's pairs, as positions/rotary.py has them; a test compares the two. No page, no drawing.

import { clamp } from "../shared.js";

const TURN = 2 * Math.PI;
const YARN = { fast: 32, slow: 1 }, LLAMA3 = { low: 1, high: 4 }; // rotations within the training length

/**
 * @import { Values } from "../hands/hands.js"
 * @typedef {{ turns: Float64Array, plain: Float64Array, trained: Float64Array }} Dials see message.py
 */

/** The dials of these hands. @param {Values} values @returns {Dials} */
export function dialsOf({ rope_dim, rope_base, scaling, factor, rope_trained, position }) {
  const [base, times, length] = [rope_base, factor, rope_trained].map(Number),
    dim = 2 * Math.floor(Number(rope_dim) / 2);
  const turnsWith = (other) => Float64Array.from({ length: dim / 2 }, (_, pair) => other ** (-2 * pair / dim) / TURN);
  const plain = turnsWith(base);
  const trained = plain.map((turns) => (turns * length >= 1 ? 1 : turns * (length - 1)));
  /** A share of each pair is kept, the rest is stretched. @type {(shareOf: (turns: number, pair: number) => number) => Float64Array} */
  const stretched = (shareOf) =>
    plain.map((turns, pair) => turns * shareOf(turns, pair) + (turns / times) * (1 - shareOf(turns, pair)));
  const scaled = {
    linear: () => stretched(() => 0),
    dynamic: () =>
      turnsWith(base * (times * Math.max(Number(position) + 1, length) / length - (times - 1)) ** (dim / (dim - 2))),
    yarn: () => stretched(yarnShare(dim, base, length)),
    llama3: () => stretched((turns) => clamp((length * turns - LLAMA3.low) / (LLAMA3.high - LLAMA3.low), 0, 1)),
  }[String(scaling)];
  return { turns: scaled?.() ?? plain, plain, trained };
}

/** YaRN's ramp: what it keeps of a pair. */
function yarnShare(dim, base, length) {
  const pairWith = (rotations) => (dim * Math.log(length / (rotations * TURN))) / (2 * Math.log(base));
  const low = Math.max(Math.floor(pairWith(YARN.fast)), 0), high = Math.min(Math.ceil(pairWith(YARN.slow)), dim - 1);
  return (_, pair) => 1 - clamp((pair - low) / (high === low ? 0.001 : high - low), 0, 1);
}

/** Whether a hand has passed the angles of training: equal but for rounding counts as within, as in Python. */
export const isPast = (turns, trained) => trained < 1 && turns > trained * (1 + 1e-12);

/** How many clocks there are, and have passed the angles of training. @param {Dials} dials */
export function countsOf({ turns, trained }, position) {
  const beyond = turns.filter((each, pair) => isPast(position * each, trained[pair]));
  return { pairs: turns.length, beyond: beyond.length };
}
