// One chip a head: its slope, and its weights on the words as bars.

import { formatSlope } from "../core.js";
import { sizeCanvas } from "../parts.js";
import { make } from "../shared.js";

/** @import { Store } from "./store.js" */

/** The chips of so many heads, as radio buttons. `choose(head)` when one is picked. */
export function buildChips(box, heads, words, choose) {
  box.replaceChildren(...Array.from({ length: heads }, (_, at) => {
    const chip = make("button", "chip", { type: "button", role: "radio", "aria-label": `${words.head} ${at + 1}` });
    chip.append(make("span"), make("canvas", "", { "aria-hidden": "true" }));
    chip.onclick = () => choose(at + 1);
    return chip;
  }));
}

/** @param {HTMLElement} box @param {Store} store @param {Float64Array[]} rows of every head */
export function drawChips(box, store, rows, ink, words, ratio) {
  const small = rows.length > 8;
  box.classList.toggle("many", small);
  Array.from(box.children).forEach((chip, at) => {
    const head = at + 1, chosen = head === store.head, [name, canvas] = /** @type {[HTMLElement, HTMLCanvasElement]} */ (/** @type {unknown} */ (chip.children));
    const slope = formatSlope(store.slope(head), true), mark = store.isBent(head) ? " ✎" : "";
    name.textContent = chosen && !small ? `${words.head_short} ${head}, ${slope}${mark}` : `${slope}${mark}`;
    chip.setAttribute("aria-checked", String(chosen));
    /** @type {HTMLElement} */ (chip).tabIndex = chosen ? 0 : -1;
    const wide = chip.clientWidth, high = chip.clientHeight;
    if (wide) drawBars(sizeCanvas(canvas, wide, high, ratio), rows[at], wide, high, chosen ? ink.accent : ink.quiet);
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
