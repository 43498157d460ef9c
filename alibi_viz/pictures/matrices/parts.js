// The elements of a view, and how many of its panels stand side by side.

import { SIZES } from "./draw.js";
import { filled } from "../text.js";
import { make } from "../shared.js";

const LEAST_BESIDE = 18; // pixels of a thumbnail beside the stage's matrix

/** All panels in one grid, so that titles and plots of a row stand level. @type {(plots: Element, message: View) => Part[]} */
export function buildPanels(plots, message) {
  const panels = message.panels.map((_, index) => buildPanel(index, message.picked !== null));
  plots.replaceChildren(...panels.map((part) => part.figure));
  for (const size of ["thumb", "beside", "stage"]) plots.classList.toggle(size, message.size === size);
  return panels;
}

/**
 * @import { View } from "./preview.js"
 * @typedef {ReturnType<typeof buildPanel> & { extremes?: string }} Part
 */

/** An option of a list may be no figure, and all its words are its name. */
function buildPanel(index, isOption) {
  const title = make("span", "title"), now = make("span", "now"), note = make("span", "note");
  const span = make("span"), place = make("i");
  const where = make("div", "where", { hidden: "" }, span, place); // of a long text: which part of it is in sight
  const caption = make("div", "caption", {}, note, where);
  const base = make("canvas", "base", { "aria-hidden": "true" }), over = make("canvas", "over");
  const strip = make("canvas", "strip", { height: 14 }); // as high as it will be: its place is measured first
  const low = make("span"), extent = make("span", "extent"), high = make("span");
  const scale = make("div", "scale", {}, strip, make("div", "ends", {}, low, extent, high));
  const head = make(isOption ? "div" : "figcaption", "head", {}, title, now),
    plot = make("div", "plot", {}, base, over);
  const of = { "data-index": index, ...(isOption ? { role: "option", id: `panel-${index}` } : {}) };
  const figure = make(isOption ? "div" : "figure", "panel", of, head, caption, plot, scale);
  const image = make("canvas"); // one pixel a sample
  return { figure, title, now, caption, note, where, place, span, base, over, scale, strip, low, extent, high, image };
}

/**
 * How many columns to try: on a stage every number that leaves at most one place free, else as many as fit, with full rows
 * before a ragged last one.
 */
export function columnsFor(size, count, width) {
  const { least, gap } = SIZES[size];
  const fit = Math.max(1, Math.min(count, Math.floor((width + gap) / (least + gap))));
  const isRagged = (across) => Math.ceil(count / across) * across - count > 1;
  if (size === "stage") return Array.from({ length: fit }, (_, at) => fit - at).filter((across) => !isRagged(across));
  return [Math.ceil(count / Math.ceil(count / fit))];
}

/** Small panels beside a larger one fill their place: the number of columns in which they are largest. */
export function gridBeside(count, width, height, title) {
  const { gap } = SIZES.beside, grids = Array.from({ length: count }, (_, at) => gridOf("beside", at + 1, width));
  const sideOf = ({ across, each }) => {
    const rows = Math.ceil(count / across);
    return Math.floor(Math.min(each, (height - gap * (rows - 1)) / rows - title));
  };
  const best = grids.reduce((before, grid) => (sideOf(grid) > sideOf(before) ? grid : before));
  if (sideOf(best) >= LEAST_BESIDE) return { ...best, each: sideOf(best) };
  const rows = Math.max(1, Math.floor((height + gap) / (LEAST_BESIDE + title + gap)));
  return { across: Math.ceil(count / rows), gap, each: LEAST_BESIDE }; // as many rows as fit: sideways they scroll
}

/** Where the window in sight stands in the whole text of n tokens: a sentence, and a strip with the window on it. */
export function showWhere({ where, place, span }, { rows, cols, words }, n) {
  const ends = ({ start, count, step }) => [start, Math.min(start + count * step, n)];
  const [first, last] = ends(cols);
  where.hidden = !n || last - first >= n;
  if (where.hidden) return;
  const [top, bottom] = ends(rows), numbers = { first: top, last: bottom - 1, from: first, to: last - 1, n };
  span.textContent = filled(words.where, (name) => numbers[name]?.toLocaleString("en"));
  Object.assign(place.style, { left: `${(100 * first) / n}%`, width: `${(100 * (last - first)) / n}%` });
}

/** A grid of so many columns in this width: how wide each is. */
export function gridOf(size, across, width, fills = false) {
  const { gap } = SIZES[size], most = fills && size === "stage" ? Infinity : SIZES[size].most;
  return { across, gap, each: Math.floor(Math.min(most, (width - gap * (across - 1)) / across)) };
}
