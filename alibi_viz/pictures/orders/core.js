// What attention makes of the words in an order. No page, no drawing.

/**
 * Weights [T, T] of the words in an order: row and column of a word are its own, in whatever place it stands. They are the
 * softmax of the content scores, less slope × distance; the mask hides words that stand later (0).
 * @param {ArrayLike<number>} content [T, T] @param {number[]} order the word of each place
 * @returns {Float64Array}
 */
export function weightsOf(content, order, slope, causal) {
  const count = order.length, weights = new Float64Array(count * count), places = placesOf(order);
  for (let query = 0; query < count; query += 1) {
    const row = query * count;
    let sum = 0;
    for (let key = 0; key < count; key += 1) {
      const ahead = places[key] - places[query];
      if (causal && ahead > 0) continue;
      weights[row + key] = Math.exp(content[row + key] - slope * Math.abs(ahead));
      sum += weights[row + key];
    }
    for (let key = 0; key < count; key += 1) weights[row + key] /= sum;
  }
  return weights;
}

/** The place of each word. @param {number[]} order */
export const placesOf = (order) => order.map((_, word) => order.indexOf(word));

/** Weights in the order of the places, as Python sends them, for each word. @type {(weights: ArrayLike<number>, order: number[]) => Float64Array} */
export function byWord(weights, order) {
  const count = order.length, sorted = new Float64Array(count * count);
  order.forEach((query, row) =>
    order.forEach((key, col) => {
      sorted[query * count + key] = weights[row * count + col];
    })
  );
  return sorted;
}

/** The order that an address names; the sentence's own one where it names none. @type {(text: unknown, count: number) => number[]} */
export function orderOf(text, count) {
  const own = Array.from({ length: count }, (_, at) => at), order = String(text).split(",").map(Number);
  return order.length === count && own.every((word) => order.includes(word)) ? order : own;
}

export const largestChange = (before, now) =>
  now.reduce((most, weight, at) => Math.max(most, Math.abs(weight - before[at])), 0);
