// Arithmetic of the matrix view: reading a message, one head's scores, softmax, colour, ticks. No page, no drawing.
// A head is a Model of Python (message.py) with content(i, j); i and j count tokens.

const COLOUR_TABLES = /*COLOUR TABLES*/ {};
const VERSION = 2;
const WIDEST = 1 << 21; // above this many scores the browser does not hold whole rows to preview weights

/** Decode one message of bytes (see message.py). Throws an Error with a sentence when it is broken. */
export function decode(bytes) {
  const [message, arrays] = unpack(bytes, VERSION);
  const cells = message.rows.count * message.cols.count;
  for (const panel of message.panels) {
    Object.assign(panel, panel.colours, { values: arrays[panel.values] });
    [panel.low, panel.high] = panel.domain;
    if (panel.values?.length !== cells) throw new Error(`panel ${panel.title}: the values do not fit the axes`);
  }
  message.models = message.models.map((model) => readModel(model, message, arrays));
  const unknown = message.follows.find(({ form }) => !DRAGGED[form]);
  if (unknown) throw new Error(`unknown form ${unknown.form}`);
  return message;
}

// A form of a dragged value: the message that Python would send for it, but for the values of the panels.
const DRAGGED = {
  strength: (message, _, value) => ({ ...message, models: message.models.map((head) => withStrength(head, value)) }),

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

/** A head of which something is to change: what Python or this page computed of the old one does not hold. */
const changed = (head) => ({ ...head, logsum: null, cached: undefined });

/**
 * The message of a dragged value, with the browser's own values in the panels that it can compute and Python's in the
 * others; null where the picture cannot be previewed. `bufferOf(panel, cells)` gives arrays to write into.
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

/** The sample in which a token of an axis stands. */
const sampleOf = (axis, token) => Math.floor((token - axis.start) / axis.step);

/** A head: content(i, j), and how many columns of a row it knows (null: not all of them). */
function readModel(model, { rows, cols }, arrays) {
  const { content: source, causal, total } = model;
  const head = { ...model, plain: !source, logsum: arrays[model.logsum] ?? null, tables: {} };
  const reached = causal ? rows.start + rows.count * rows.step : Infinity; // no row on the screen looks further
  const whole = cols.start === 0 && cols.step === 1 && cols.count >= Math.min(total ?? 0, reached);
  head.columns = whole ? cols.count : null;
  if (!source) {
    head.content = () => 0;
    // A row of zeros is known to its end: i + 1 keys under the mask, else all of them.
    head.columns = causal ? Infinity : total ?? head.columns;
  } else if ("q" in source) {
    const q = arrays[source.q], k = arrays[source.k], width = q.shape[1];
    head.columns = k.shape[0];
    head.content = (i, j) => {
      if (i >= q.shape[0] || j >= k.shape[0]) return NaN;
      let sum = 0;
      for (let at = 0, a = i * width, b = j * width; at < width; at += 1) sum += q[a + at] * k[b + at];
      return sum * source.scale;
    };
  } else {
    const matrix = arrays[source.matrix];
    head.content = (i, j) => {
      const r = sampleOf(rows, i), c = sampleOf(cols, j);
      return r < 0 || c < 0 || r >= rows.count || c >= cols.count ? NaN : matrix[r * cols.count + c];
    };
  }
  return head;
}

/** The same head with another strength: Python's logsum no longer holds. Content and its tables are shared. */
export function withStrength(head, strength) {
  if (strength === null || strength === head.strength) return head;
  return { ...changed(head), strength };
}

const word = new Float32Array(1), bits = new Uint32Array(word.buffer);

/** A number as a format holds it: the last bits of float32 are dropped, ties to even. Not for float16 below 2^-14. */
export function stored(x, dtype) {
  word[0] = x;
  const dropped = { bfloat16: 16, float16: 13 }[dtype];
  if (dropped) bits[0] = (bits[0] + (1 << (dropped - 1)) - 1 + ((bits[0] >>> dropped) & 1)) & (-1 << dropped);
  return dtype === "float16" && Math.abs(word[0]) > 65504 ? Math.sign(x) * Infinity : word[0];
}

/** The bias of one cell, in the head's number format if it has one. */
export function bias(head, i, j) {
  const exact = exactBias(head, i, j);
  return head.dtype ? stored(exact, head.dtype) : exact;
}

function exactBias({ form, strength, slope, future_slope: future }, i, j) {
  switch (form) {
    case "causal": return strength * slope * (j - i);
    case "symmetric": return -strength * slope * Math.abs(i - j);
    case "two_sided": return -strength * (j > i ? future : slope) * Math.abs(i - j);
    case "key_only": return strength * slope * j;
    default: throw new Error(`unknown form ${form}`);
  }
}

/** One stage of one cell in float64. NaN where it cannot be known from what is on the page. */
export function evaluate(head, stage, i, j) {
  if (stage === "content") return head.content(i, j);
  if (stage === "bias") return bias(head, i, j);
  const scores = head.content(i, j) + bias(head, i, j);
  if (stage === "scores") return scores;
  const masked = head.causal && j > i ? -Infinity : scores;
  if (stage === "masked") return masked;
  if (stage !== "weights") throw new Error(`unknown stage ${stage}`);
  return masked === -Infinity ? 0 : Math.exp(masked - logSum(head, i));
}

/** log of the sum of e^masked over one query's row: Python's where it holds, else computed over the whole row. */
export function logSum(head, i) {
  if (head.logsum) return head.logsum[i];
  if (isGeometric(head)) return Math.log(geometricSum(head, i));
  if (head.columns === null) return NaN;
  if (head.cached?.i === i) return head.cached.value;
  const end = rowEnd(head, i);
  let max = -Infinity, sum = 0;
  for (let j = 0; j < end; j += 1) {
    const score = head.content(i, j) + bias(head, i, j);
    if (score > max) {
      sum = sum * Math.exp(max - score) + 1;
      max = score;
    } else if (score > -Infinity) sum += Math.exp(score - max);
  }
  head.cached = { i, value: max + Math.log(sum) };
  return head.cached.value;
}

/** Whether a row of weights is a geometric series: equal content, and a bias that falls with the distance, unrounded. */
function isGeometric({ plain, form, causal, total, dtype, strength, slope, future_slope: future }) {
  const falls = form === "symmetric" || form === "two_sided" || (form === "causal" && causal);
  const ends = causal || (total !== null && strength * future >= 0);
  return plain && falls && ends && strength * slope >= 0 && (!dtype || dtype === "float32");
}

/** The sum of e^bias over the keys of query i, from the closed form of the series. */
function geometricSum({ form, causal, total, strength, slope, future_slope: future }, i) {
  const series = (rate, count) => (rate === 0 ? count : Math.expm1(-rate * count) / Math.expm1(-rate));
  const past = series(strength * slope, i + 1);
  return causal ? past : past + series(strength * (form === "two_sided" ? future : slope), total - i) - 1;
}

/** How many keys query i looks at. */
const rowEnd = (head, i) => Math.min(head.columns, head.causal ? i + 1 : head.columns);

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
  if (stage === "weights" && !isGeometric(head)) return previewWeights(head, message, out, mask);
  const content = stage === "bias" ? null : contentTable(head, rows, cols.start, cols.count, cols.step, "window");
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

/** Softmax of every row with its maximum subtracted; a row with nothing allowed is all zeros. */
function previewWeights(head, { rows, cols }, out, mask) {
  const width = rowEnd(head, rows.start + rows.count - 1);
  const content = contentTable(head, rows, 0, width, 1, "rows"), row = new Float64Array(width);
  for (let r = 0, at = 0; r < rows.count; r += 1) {
    const i = rows.start + r, end = rowEnd(head, i);
    let max = -Infinity, sum = 0;
    for (let j = 0; j < end; j += 1) {
      row[j] = content[r * width + j] + bias(head, i, j);
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

/** Smallest and largest finite value, or null when every cell is masked. */
export function range(values) {
  let low = Infinity, high = -Infinity;
  for (let at = 0; at < values.length; at += 1) { // not for ... of: twice as slow on a typed array
    const value = values[at];
    if (value === -Infinity) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low > high ? null : [low, high];
}

const colourCache = new Map();

/** The 256 colours of a quantity as little-endian RGBA words, ready for an ImageData. */
export function colours(quantity, dark) {
  const name = `${quantity === "scores" ? "content" : quantity}-${dark ? "dark" : "light"}`;
  if (!colourCache.has(name)) {
    const raw = Uint8Array.from(atob(COLOUR_TABLES[name] ?? ""), (letter) => letter.charCodeAt(0));
    const table = new Uint32Array(raw.length / 3);
    for (let at = 0; at < table.length; at += 1) {
      table[at] = (255 << 24) | (raw[3 * at + 2] << 16) | (raw[3 * at + 1] << 8) | raw[3 * at];
    }
    colourCache.set(name, table);
  }
  return colourCache.get(name);
}

/** Colour every value into `out` (Uint32Array); a masked cell stays transparent, so the hatching shows. */
export function colourize({ quantity, low, high, scale }, values, table, out) {
  const last = table.length - 1, signed = quantity === "content" || quantity === "scores", root = scale === "sqrt";
  // A penalty deepens downwards wherever its domain lies, so that panels of one picture agree; 0 is a signed map's middle.
  const down = quantity === "bias";
  // t runs from 0 (signed: -1) to 1 over the domain; the colour is number t * gain + zero.
  const factor = signed ? 1 / Math.max(Math.abs(low), Math.abs(high)) : (down ? -1 : 1) / (high - low);
  const shift = signed ? 0 : -factor * (down ? high : low);
  const least = signed ? -1 : 0, gain = signed ? last / 2 : last, zero = signed ? last / 2 : 0;
  for (let at = 0; at < out.length; at += 1) {
    const value = values[at];
    let t = value * factor + shift;
    if (!(t > least)) t = least;
    else if (t > 1) t = 1;
    if (root) t = Math.sign(t) * Math.sqrt(Math.abs(t));
    out[at] = value === -Infinity ? 0 : table[(t * gain + zero + 0.5) | 0];
  }
}

/** Tokens at which numbered ticks stand: powers of two apart, or round thousands in a very long window. */
export function ticks(axis, pixels, apart) {
  const span = axis.count * axis.step, least = (span * apart) / pixels;
  let step = 2 ** Math.ceil(Math.log2(Math.max(1, least)));
  if (step > 2048) {
    const ten = 10 ** Math.floor(Math.log10(least));
    step = [1, 2, 5, 10].map((factor) => factor * ten).find((size) => size >= least);
  }
  const marks = [];
  for (let at = Math.ceil(axis.start / step) * step; at < axis.start + span; at += step) marks.push(at);
  return marks;
}
