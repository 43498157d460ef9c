// What the playground says in words, and a chip for each head: its slope, and its weights on the words as bars.

import { filled, joined } from "../text.js";
import { formatSlope, nearCount, nearShare } from "../attention.js";
import { sayIn } from "../hands/hands.js";
import { mirror, percent, perplexity, signed, sizeCanvas } from "../plot.js";
import { formatNumber, make } from "../shared.js";
import { valueOf } from "./lines.js";

/** @import { Store } from "./store.js" */

const NARROW = 100; // pixels: of a chip in which the number of a bent head has no room

/** A template in an element: each value in a span of the class of its name. */
const fill = (box, template, values) => sayIn(box, template, (name) => values[name], (name) => name);

const rounded = (share) => (share > 0 && share < 0.005 ? "< 1%" : `${Math.round(100 * share)}%`);

/** “cat → cat, 14 back: 2.00 − 1/4 × 14 = −1.50, weight 1.5%” @param {Store} store */
export function showReadout(box, store, row, words) {
  const { query } = store, key = store.key();
  if (store.count < 2) return fill(box, words.one_word, {});
  const distance = query - key, content = store.content(query, key);
  const values = {
    query: store.word(query),
    key: store.word(key),
    distance: String(distance),
    content: signed(content),
    penalty: `${store.slopeText} × ${distance}`,
    score: signed(content - store.slope() * store.strength * distance),
    weight: percent(row[key]),
  };
  fill(box, query === key ? words.itself : words.arithmetic, values);
}

/** “52% of the weight on earlier words is on the nearest 3; 16% without ALiBi” @param {any} parts @param {Store} store */
export function showShare({ share, nearest, plain: ghost, legend }, store, row, plain, words) {
  const count = nearCount(store.query);
  legend.hidden = store.query < 2;
  share.textContent = rounded(nearShare(row, count));
  fill(nearest, words.near, { count: String(count) });
  fill(ghost, words.plain, { share: rounded(nearShare(plain, count)) });
}

/** What the lines are at a measured length. */
export function showLines({ said }, { lines, trained, words }, at) {
  const ordered = [...lines].sort((a, b) => valueOf(b, at) - valueOf(a, at));
  const values = joined(ordered.map((line) => `${line.name} ${perplexity(valueOf(line, at))}`), words.comma);
  const text = at === 1 ? words.lines_at_length : words.lines_longer;
  fill(said, text, { trained: String(trained), times: formatNumber(at), bytes: String(trained * at), values });
}

/** The chips of so many heads: radio buttons. `choose(head)` when one is picked. */
export function buildChips(box, heads, words, choose) {
  box.replaceChildren(...Array.from({ length: heads }, (_, at) => {
    const mark = make("input", "", { type: "radio", name: "chip", "aria-label": `${words.head} ${at + 1}` });
    mark.addEventListener("change", () => choose(at + 1));
    return make("label", "chip", {}, mark, make("span"), make("canvas", "", { "aria-hidden": "true" }));
  }));
}

/** @param {HTMLElement} box @param {Store} store @param {ArrayLike<number>[]} rows of every head @param {{ width: number, height: number }} size of a chip */
export function drawChips(box, store, rows, { width, height }, ink, words, ratio) {
  const small = rows.length > 8;
  box.classList.toggle("many", small);
  Array.from(box.children).forEach((chip, at) => {
    const [radio, name, canvas] = /** @type {any} */ (chip.children), head = at + 1, chosen = head === store.head;
    const slope = formatSlope(store.slope(head), true), mark = store.isBent(head) ? " ✎" : "";
    const short = filled(words.head_short, (value) => ({ head: String(head), slope })[value]);
    name.textContent = (chosen && !small && !(mark && width < NARROW) ? short : slope) + mark;
    radio.checked = chosen;
    const ctx = sizeCanvas(canvas, width, height, ratio);
    if (store.isLeftward) mirror(ctx, width);
    drawBars(ctx, rows[at], width, height, chosen ? ink.accent : ink.quiet);
  });
}

/** Bars of a row against its largest, the query last; where pixels are few, the largest of those in one. */
function drawBars(ctx, row, wide, high, colour) {
  const left = 7, room = wide - 14, bars = Math.min(row.length, Math.floor(room / 2)), each = row.length / bars;
  const top = row.reduce((most, value) => Math.max(most, value), 0), tall = high - 24;
  ctx.fillStyle = colour;
  for (let bar = 0; bar < bars; bar += 1) {
    let share = 0;
    for (let j = Math.floor(bar * each); j < (bar + 1) * each; j += 1) share = Math.max(share, row[j] ?? 0);
    const size = (share / top) * tall, gap = room / bars > 3 ? 1 : 0;
    ctx.fillRect(left + (bar * room) / bars, high - 5 - size, room / bars - gap, size);
  }
}
