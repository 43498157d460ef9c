// What the playground says in words: the arithmetic of one pair, the share of the nearest words, the measured lines.

import { fillTemplate, formatSlope } from "../core.js";
import { formatNumber, make } from "../shared.js";
import { perplexity, valueOf } from "./lines.js";
import { percent } from "./ink.js";
import { nearestTo, nearShare } from "./store.js";

/** @import { Store } from "./store.js" */

/** A template in an element: each value in a span of the class of its name. */
function fill(box, template, values) {
  const pieces = fillTemplate(template, (name) => (name in values ? name : undefined));
  box.replaceChildren(...pieces.map(([text, isValue]) => (isValue ? make("span", text, {}, values[text]) : text)));
}

const rounded = (share) => (share > 0 && share < 0.005 ? "< 1 %" : `${Math.round(100 * share)} %`);
const signed = (value) => value.toFixed(2).replace("-", "−");

/** “cat → cat, 14 back: 2.00 − 1/4 × 14 = −1.50, weight 1.5 %” @param {Store} store */
export function showReadout(box, store, row, words) {
  const { query } = store, key = store.key();
  if (store.count < 2) return fill(box, words.one_word, {});
  const distance = query - key, content = store.content(query, key), slope = formatSlope(store.slope(), true);
  const times = store.strength === 1 ? "" : `${formatNumber(store.strength)} × `;
  const values = {
    query: store.word(query), key: store.word(key), distance: String(distance), content: signed(content),
    penalty: `${times}${slope} × ${distance}`, score: signed(content - store.slope() * store.strength * distance), weight: percent(row[key]),
  };
  fill(box, query === key ? words.itself : words.arithmetic, values);
}

/** “52 % of the weight on earlier words is on the nearest 3; 16 % without ALiBi” @param {any} parts @param {Store} store */
export function showShare({ big, near, plain, legend }, store, row, words) {
  const share = nearShare(row), without = nearShare(store.weights(store.query, 0));
  legend.hidden = store.query < 2;
  big.textContent = rounded(share);
  fill(near, words.near, { count: String(nearestTo(store.query)) });
  fill(plain, words.plain, { share: rounded(without) });
}

/** What the lines are at a measured length. */
export function showLines({ said, lines: canvas }, { lines, trained, words }, at) {
  const ordered = [...lines].sort((a, b) => valueOf(b, at) - valueOf(a, at));
  const values = ordered.map((one) => `${one.name} ${perplexity(valueOf(one, at))}`).join(", ");
  const text = at === 1 ? words.lines_at_length : words.lines_longer;
  fill(said, text, { trained: String(trained), times: `${formatNumber(at)}×`, bytes: String(trained * at), values });
  canvas.setAttribute("aria-valuenow", String(at));
  canvas.setAttribute("aria-valuetext", said.textContent ?? "");
}
