// What the browser computes by itself while a slider moves: the panels of another value. No page, no drawing.

import { fillTemplate, formatSlope, slopes } from "../core.js";
import { range } from "./colour.js";
import { bias, changed, evaluate, isGeometric, rowEnd } from "./core.js";
import { clamp, formatNumber } from "../shared.js";

const WIDEST = 1 << 21; // above this many scores the browser does not hold whole rows to preview weights

// A form of a dragged value: the message that Python would send for it, but for the values of the panels.
const DRAGGED = {
  strength: (message, _, value) => ({ ...message, models: message.models.map((head) => ({ ...changed(head), strength: value })) }),

  heads(message, { future }, value) {
    const all = slopes(Math.max(1, Math.round(value)));
    const models = message.models.map((model) => {
      const head = Math.min(model.head, all.length), slope = Math.fround(all[head - 1]);
      return { ...changed(model), head, slope, future_slope: slope * future };
    });
    return { ...message, models };
  },

  length(message, { row, col, span, most, marks }, value) {
    const n = Math.max(1, Math.round(value)), wide = span <= 0 ? n : Math.min(span, n);
    const step = Math.ceil(wide / most), count = Math.ceil(wide / step), last = Math.max(n - 1 - step * (count - 1), 0);
    const axis = (before, start) => ({ ...before, start: clamp(start, 0, last), step, count });
    const models = message.models.map((model) => ({ ...changed(model), total: n, columns: model.causal ? Infinity : n }));
    const shown = marks.filter(({ row1, col1 }) => row1 < n && col1 < n);
    return { ...message, rows: axis(message.rows, row), cols: axis(message.cols, col), marks: shown, models };
  },
};

/**
 * The message of a dragged value, with the browser's own values in the panels that it can compute and Python's in the
 * others; null where the picture cannot be previewed. `bufferOf(panel, cells)` gives arrays to write into.
 * @import { Follow, Head, Message } from "./core.js"
 * @type {(message: Message, follow: Follow, value: number, bufferOf: (panel: number, cells: number) => Float32Array) => Message | null}
 */
export function previewMessage(message, follow, value, bufferOf) {
  const shown = DRAGGED[follow.form](message, follow, value), cells = shown.rows.count * shown.cols.count;
  const moved = !sameAxis(shown.rows, message.rows) || !sameAxis(shown.cols, message.cols);
  shown.panels = message.panels.map((panel, index) => {
    const head = shown.models[panel.model];
    if (!canPreview(head, panel.stage, shown)) return panel;
    const values = preview(head, panel.stage, shown, bufferOf(index, cells), moved ? null : panel.values);
    const [low, high] = domainOf(panel, values), { live_title: title, live_caption: caption } = panel;
    const facts = { head: String(head.head), slope: formatSlope(head.slope), step: formatNumber(shown.rows.step, 9) };
    const said = (template) => fillTemplate(template, (name) => facts[name]).map(([text]) => text).join("");
    const words = { title: title ? said(title) : panel.title, caption: panel.caption };
    if (caption) words.caption = shown.rows.step > 1 ? said(caption) : "";
    return { ...panel, ...words, values, low, high, mine: true };
  });
  return moved && !shown.panels.every(({ mine }) => mine) ? null : shown;
}

export const sameAxis = (a, b) => a.start === b.start && a.step === b.step && a.count === b.count;

/** The ends of a panel's colours for other values than Python's (see Colours in message.py). */
function domainOf({ follows, quantity, low, high }, values) {
  const extent = follows === "fixed" ? null : range(values);
  if (!extent) return [low, high];
  const [least, most] = extent, edge = Math.max(Math.abs(least), Math.abs(most), 1e-6);
  if (follows === "top") return [most - (high - low), most];
  return quantity === "content" || quantity === "scores" ? [-edge, edge] : [Math.min(least, most - 1e-6), most];
}

/** Whether the browser can compute this stage of the panels by itself. */
export function canPreview(head, stage, { rows, cols }) {
  if (!head || !stage) return false;
  if (stage !== "weights" || isGeometric(head)) return true;
  if (head.columns === null || rows.step > 1 || cols.step > 1) return false;
  return rows.count * rowEnd(head, rows.start + rows.count - 1) <= WIDEST;
}

/** Content of the rows on the screen over `width` columns (tokens) from `start`, computed once a message. */
function contentTable(head, rows, start, width, step, name) {
  const store = head.tables; // shared by every head made from this one: content does not depend on the dragged value
  if (store[name]) return store[name];
  const table = new Float64Array(rows.count * width);
  for (let r = 0, at = 0; r < rows.count; r += 1) {
    const i = rows.start + r * rows.step;
    for (let c = 0; c < width; c += 1, at += 1) table[at] = head.content(i, start + c * step);
  }
  return (store[name] = table);
}

/**
 * Fill `out` (Float32Array) with a stage of the window; where `mask` is -Infinity the result is too. mask null: what the
 * causal mask hides.
 */
export function preview(head, stage, message, out, mask) {
  const { rows, cols } = message;
  if (stage === "bias" && head.form !== "key_only" && rows.step === cols.step) return fillDiagonals(head, message, out, mask);
  if (stage === "weights" && !isGeometric(head)) return previewWeights(head, message, out, mask);
  const none = stage === "bias" || head.plain; // nothing but the bias
  const content = none ? null : contentTable(head, rows, cols.start, cols.count, cols.step, "window");
  for (let r = 0, at = 0; r < rows.count; r += 1) {
    const i = rows.start + r * rows.step;
    for (let c = 0; c < cols.count; c += 1, at += 1) {
      const j = cols.start + c * cols.step;
      const ahead = head.causal && j > i;
      if (mask ? mask[at] === -Infinity || (stage === "masked" && ahead) : ahead) out[at] = -Infinity;
      else if (stage === "weights") out[at] = evaluate(head, stage, i, j);
      else out[at] = (content ? content[at] : 0) + (stage === "content" ? 0 : bias(head, i, j));
    }
  }
  return out;
}

/** A bias of the distance alone: each row is that above it, a cell further to the right. */
function fillDiagonals(head, { rows, cols }, out, mask) {
  const hides = mask ? mask[cols.count - 1] === -Infinity : head.causal, last = rows.count - 1;
  const line = new Float32Array(rows.count + cols.count - 1);
  for (let at = 0; at < line.length; at += 1) {
    const i = rows.start + Math.max(last - at, 0) * rows.step, j = cols.start + Math.max(at - last, 0) * cols.step;
    line[at] = hides && j > i ? -Infinity : bias(head, i, j);
  }
  for (let r = 0; r < rows.count; r += 1) out.set(line.subarray(last - r, last - r + cols.count), r * cols.count);
  return out;
}

/** Softmax of every row with its maximum subtracted; a row with nothing allowed is all zeros. */
function previewWeights(head, { rows, cols }, out, mask) {
  const width = rowEnd(head, rows.start + rows.count - 1);
  const content = head.plain ? null : contentTable(head, rows, 0, width, 1, "rows"), row = new Float64Array(width);
  for (let r = 0, at = 0; r < rows.count; r += 1) {
    const i = rows.start + r, end = rowEnd(head, i);
    let max = -Infinity, sum = 0;
    for (let j = 0; j < end; j += 1) {
      row[j] = (content ? content[r * width + j] : 0) + bias(head, i, j);
      if (row[j] > max) max = row[j];
    }
    for (let j = 0; j < end; j += 1) sum += row[j] = max === -Infinity ? 0 : Math.exp(row[j] - max);
    for (let c = 0; c < cols.count; c += 1, at += 1) {
      const j = cols.start + c;
      const hidden = mask ? mask[at] === -Infinity : head.causal && j > i;
      out[at] = hidden ? -Infinity : j < end ? row[j] / (sum || 1) : 0;
    }
  }
  return out;
}
