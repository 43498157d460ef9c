// Elements of the matrix view, and how they stand in the exported picture.

import { colourize, colours, range } from "./colour.js";
import { drawBar, drawCursor, drawPanel, SIZES } from "./draw.js";
import { setFont } from "../parts.js";
import { make } from "../shared.js";

/** All panels in one grid, so that titles and plots of a row stand level. @type {(plots: Element, message: Message) => Part[]} */
export function buildPanels(plots, message) {
  const panels = message.panels.map((_, index) => buildPanel(index));
  plots.replaceChildren(...panels.map((part) => part.figure));
  plots.classList.toggle("thumb", message.size === "thumb");
  return panels;
}

/**
 * @import { Message } from "./core.js"
 * @typedef {ReturnType<typeof buildPanel> & { pixels?: ImageData, words?: Uint32Array }} Part
 */

function buildPanel(index) {
  const part = {
    figure: make("figure", "panel", { "data-index": index }),
    title: make("span", "title"),
    now: make("span", "now"),
    caption: make("div", "caption"),
    plot: make("div", "plot"),
    base: make("canvas", "base", { "aria-hidden": "true" }),
    over: make("canvas", "over"),
    scale: make("div", "scale"),
    strip: make("canvas", "strip"),
    low: make("span"),
    extent: make("span", "extent"),
    high: make("span"),
    image: make("canvas"), // one pixel a sample
  };
  const head = make("figcaption", "head"), ends = make("div", "ends");
  head.append(part.title, part.now);
  part.plot.append(part.base, part.over);
  ends.append(part.low, part.extent, part.high);
  part.scale.append(part.strip, ends);
  part.figure.append(head, part.caption, part.plot, part.scale);
  return part;
}

/** A new picture of `values` on the panel's hidden canvas of one pixel a sample. */
export function fillImage(part, panel, values, message, dark) {
  const { image } = part, { rows, cols } = message;
  if (image.width !== cols.count || image.height !== rows.count || !part.pixels) {
    Object.assign(image, { width: cols.count, height: rows.count });
    part.pixels = image.getContext("2d").createImageData(cols.count, rows.count);
    part.words = new Uint32Array(part.pixels.data.buffer);
  }
  colourize(panel, values, colours(panel.quantity, dark), part.words);
  image.getContext("2d").putImageData(part.pixels, 0, 0);
}

/** How many columns to try: on a stage every number of them, else as many as fit; full rows before a ragged last one. */
export function columnsFor(size, count, width) {
  const { least, gap } = SIZES[size];
  const fit = Math.max(1, Math.min(count, Math.floor((width + gap) / (least + gap))));
  if (size === "stage") return Array.from({ length: fit }, (_, at) => fit - at);
  return [Math.ceil(count / Math.ceil(count / fit))];
}

/** A grid of so many columns in this width: how wide each is. */
export function gridOf(size, across, width) {
  const { most, gap } = SIZES[size];
  return { across, gap, each: Math.floor(Math.min(most, (width - gap * (across - 1)) / across)) };
}

/** Break text into lines no wider than `width`. */
function wrap(ctx, text, width) {
  const lines = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && ctx.measureText(longer).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Panels where they stand on the page, on a context in the page's coordinates. */
export function drawPanels(ctx, panels, layout, message, values, cursor, theme, ratio) {
  panels.forEach((part, index) => {
    drawText(ctx, part.title, 600, theme.text, theme);
    drawText(ctx, part.caption, 400, theme.soft, theme);
    const at = part.plot.getBoundingClientRect();
    ctx.save();
    ctx.translate(at.left, at.top);
    const panel = message.panels[index], extent = panel.covered ? null : range(values[index]);
    drawPanel(ctx, layout, panel.covered ? null : part.image, message, theme, ratio);
    if (cursor?.locked) drawCursor(ctx, layout, cursor, message, theme);
    ctx.restore();
    const bar = part.strip.getBoundingClientRect();
    drawBar(ctx, bar.left, bar.top + 3, bar.width, bar.height - 6, panel, extent, theme);
    for (const element of [part.low, part.extent, part.high]) drawText(ctx, element, 400, theme.soft, theme);
  });
}

function drawText(ctx, element, weight, colour, theme) {
  const box = element.getBoundingClientRect();
  if (!element.textContent || !box.width) return;
  const style = getComputedStyle(element), size = parseFloat(style.fontSize);
  setFont(ctx, theme, weight, size);
  Object.assign(ctx, { fillStyle: colour, textAlign: "left", textBaseline: "top" });
  const apart = parseFloat(style.lineHeight) || size * 1.4;
  const lines = wrap(ctx, element.textContent, box.width + 4);
  lines.forEach((line, at) => ctx.fillText(line, box.left, box.top + 1 + at * apart));
}
