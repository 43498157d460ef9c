// What is the same, worse or better, by the rule of alibi_viz/results/comparison.py; and random numbers.

export const BLOCK = 1024; // predictions of a block of the text, as in evaluation.py
const SAMPLES = 4000; // of the blocks of a text

/** Uniform numbers in [0, 1) from a seed (mulberry32). */
export function randomOf(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const meanOf = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * What is said of losses per word less others, block by block: "same", "worse", "better" or "open".
 * @param {number[]} differences @param {Record<string, number>} rule worse, share, fewest
 */
export function verdictOf(differences, { worse, share, fewest }) {
  if (differences.length < fewest) return "open";
  const random = randomOf(0), drawn = () => differences[Math.floor(random() * differences.length)];
  const means = Float64Array.from({ length: SAMPLES }, () => meanOf(differences.map(drawn))).sort();
  const at = (part) => means[Math.round(part * (SAMPLES - 1))], low = at((1 - share) / 2), high = at((1 + share) / 2);
  if (low >= -worse && high <= worse) return "same";
  return low > worse ? "worse" : high < -worse ? "better" : "open";
}
