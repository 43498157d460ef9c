// Arithmetic of the matrix view: decoding, one head's scores, softmax, colour, words. No page, no drawing.

const COLOUR_TABLES = /*COLOUR TABLES*/ {};
const TYPES = { float32: Float32Array, float64: Float64Array, uint8: Uint8Array };
const VERSION = 1;
// Above this many scores the browser does not hold whole rows to preview weights.
const WIDEST = 1 << 21;

/** Decode one message of bytes (see message.py). Throws an Error with a sentence when it is broken. */
export function decode(bytes) {
  if (!(bytes instanceof Uint8Array) || bytes.length < 8) throw new Error("the message is not bytes");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(0, true);
  if (length + 4 > bytes.length || (length + 4) % 8) throw new Error("the header does not fit the message");
  const message = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(4, 4 + length)));
  if (message.version !== VERSION) throw new Error(`unknown version ${message.version}`);
  const body = bytes.slice(4 + length); // a copy: aligned, and free of the transport's buffer
  const arrays = message.arrays.map((entry) => arrayOf(entry, body));
  const take = (number) => (number === null || number === undefined ? null : arrays[number]);
  const cells = message.rows.count * message.cols.count;
  for (const panel of message.panels) {
    panel.values = take(panel.values);
    if (panel.values?.length !== cells) throw new Error(`panel ${panel.title}: the values do not fit the axes`);
  }
  message.models = message.models.map((model) => readModel(model, message, take));
  return message;
}

function arrayOf({ at, type, shape }, body) {
  const kind = TYPES[type];
  if (!kind) throw new Error(`unknown array type ${type}`);
  const count = shape.reduce((product, side) => product * side, 1);
  if (!Number.isInteger(at) || at < 0 || at % 8 || at + count * kind.BYTES_PER_ELEMENT > body.byteLength) {
    throw new Error("an array lies outside the message");
  }
  const array = new kind(body.buffer, body.byteOffset + at, count);
  array.shape = shape;
  return array;
}

/** A head with functions of token coordinates: content(i, j), and the row statistics Python sent, if any. */
function readModel(model, message, take) {
  const { rows, cols } = message;
  const head = { ...model, columns: null, tables: {}, rowMax: take(model.rowMax), rowSum: take(model.rowSum) };
  head.logsum = take(model.logsum);
  const known = head.logsum || head.rowSum;
  // A row array is by sample when it has the panels' length, else by token.
  head.rowIndex = (i) => (known.length === rows.count ? Math.floor((i - rows.start) / rows.step) : i);
  const source = model.content;
  if (!source) {
    head.content = () => 0;
    // A row of zeros is known to its end: i + 1 keys under the mask, else all of them.
    head.columns = model.causal ? Infinity : model.total;
  } else if ("q" in source) {
    const q = take(source.q), k = take(source.k), width = q.shape[1];
    head.columns = k.shape[0];
    head.content = (i, j) => {
      if (i >= q.shape[0] || j >= k.shape[0]) return NaN;
      let sum = 0;
      for (let at = 0, a = i * width, b = j * width; at < width; at += 1) sum += q[a + at] * k[b + at];
      return sum * source.scale;
    };
  } else {
    const matrix = take(source.matrix), [height, width] = matrix.shape;
    const bySample = height === rows.count && width === cols.count;
    if (!bySample) head.columns = width;
    head.content = (i, j) => {
      const r = bySample ? Math.floor((i - rows.start) / rows.step) : i;
      const c = bySample ? Math.floor((j - cols.start) / cols.step) : j;
      return r < 0 || c < 0 || r >= height || c >= width ? NaN : matrix[r * width + c];
    };
  }
  const lastRow = rows.start + rows.count * rows.step;
  const whole = cols.start === 0 && cols.step === 1 && (!known || (model.causal && cols.count >= lastRow));
  if (head.columns === null && whole) head.columns = cols.count;
  head.own = true; // its parameters are Python's: the sent row statistics hold
  return head;
}

/** The same head with its strength or slope replaced. Arrays and caches are shared. */
export function withParam(head, param, value) {
  if (value === null || value === undefined || head[param] === value) return head;
  const changed = { ...head, own: false, cached: undefined, [param]: value };
  if (param === "slope" && head.futureFollows) changed.future = value;
  return changed;
}

/** The bias of one cell. */
export function bias(head, i, j) {
  const { strength, slope } = head;
  switch (head.form) {
    case "causal": return strength * slope * (j - i);
    case "symmetric": return -strength * slope * Math.abs(i - j);
    case "two_sided": return -strength * (j > i ? head.future : slope) * Math.abs(i - j);
    case "key_only": return strength * slope * j;
    default: throw new Error(`unknown form ${head.form}`);
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
  if (masked === -Infinity) return 0;
  if (head.own && head.logsum) return Math.exp(masked - head.logsum[head.rowIndex(i)]);
  const { max, sum } = rowStatistics(head, i);
  return Math.exp(masked - max) / sum;
}

/** {max, sum of e^(masked - max)} of one query's row: Python's where they hold, else computed over the whole row. */
export function rowStatistics(head, i) {
  if (head.own && head.rowMax) {
    const at = head.rowIndex(i);
    return { max: head.rowMax[at], sum: head.rowSum[at] };
  }
  if (head.cached?.i === i) return head.cached;
  if (head.own && head.logsum) return { max: head.logsum[head.rowIndex(i)], sum: 1 };
  if (head.columns === null) return { max: NaN, sum: NaN };
  const end = Math.min(head.columns, head.causal ? i + 1 : head.columns);
  let max = -Infinity, sum = 0;
  for (let j = 0; j < end; j += 1) {
    const score = head.content(i, j) + bias(head, i, j);
    if (score > max) { sum = sum * Math.exp(max - score) + 1; max = score; }
    else if (score > -Infinity) sum += Math.exp(score - max);
  }
  head.cached = { i, max, sum };
  return head.cached;
}

/** Whether the browser can compute this stage of the panels by itself. */
export function canPreview(head, stage, message) {
  if (!head || !stage) return false;
  if (stage !== "weights") return true;
  const { rows, cols } = message;
  if (head.columns === null || rows.step > 1 || cols.step > 1) return false;
  return rows.count * rowEnd(head, message) <= WIDEST;
}

/** How many keys the rows on the screen look at. */
function rowEnd(head, { rows }) {
  return Math.min(head.columns, head.causal ? rows.start + rows.count : head.columns);
}

/** Content of every row on the screen over columns from ... to - 1 (tokens), computed once a message. */
function contentTable(head, rows, from, to, step, name) {
  const store = head.tables; // shared by every head made from this one: content does not depend on the dragged value
  if (store[name]) return store[name];
  const width = Math.ceil((to - from) / step), table = new Float64Array(rows.count * width);
  for (let r = 0, at = 0; r < rows.count; r += 1) {
    const i = rows.start + r * rows.step;
    for (let c = 0; c < width; c += 1, at += 1) table[at] = head.content(i, from + c * step);
  }
  return (store[name] = table);
}

/** Fill `out` (Float32Array) with a stage of the window; where `mask` is -Infinity the result is too. */
export function preview(head, stage, message, out, mask) {
  const { rows, cols } = message;
  if (stage === "weights") return previewWeights(head, message, out, mask);
  const end = cols.start + cols.count * cols.step;
  const content = stage === "bias" ? null : contentTable(head, rows, cols.start, end, cols.step, "window");
  for (let r = 0, at = 0; r < rows.count; r += 1) {
    const i = rows.start + r * rows.step;
    for (let c = 0; c < cols.count; c += 1, at += 1) {
      const j = cols.start + c * cols.step;
      if (mask[at] === -Infinity || (stage === "masked" && head.causal && j > i)) out[at] = -Infinity;
      else out[at] = (content ? content[at] : 0) + (stage === "content" ? 0 : bias(head, i, j));
    }
  }
  return out;
}

function previewWeights(head, message, out, mask) {
  const { rows, cols } = message, width = rowEnd(head, message);
  const content = contentTable(head, rows, 0, width, 1, "rows");
  const row = new Float64Array(width);
  for (let r = 0; r < rows.count; r += 1) {
    const i = rows.start + r, end = head.causal ? Math.min(width, i + 1) : width;
    softmaxRow(head, content, r * width, i, end, row);
    for (let c = 0, at = r * cols.count; c < cols.count; c += 1, at += 1) {
      const j = cols.start + c;
      out[at] = mask[at] === -Infinity ? -Infinity : j < end ? row[j] : 0;
    }
  }
  return out;
}

/** Softmax over keys 0 ... end - 1 with the row's maximum subtracted; a row with nothing allowed is all zeros. */
function softmaxRow(head, content, offset, i, end, row) {
  let max = -Infinity, sum = 0;
  for (let j = 0; j < end; j += 1) {
    const score = content[offset + j] + bias(head, i, j);
    row[j] = score;
    if (score > max) max = score;
  }
  if (max === -Infinity) return row.fill(0, 0, end);
  for (let j = 0; j < end; j += 1) sum += row[j] = Math.exp(row[j] - max);
  for (let j = 0; j < end; j += 1) row[j] /= sum;
  return row;
}

/** The largest difference of finite cells: absolute, and relative to max(1, |value|), as float32 rounding is. */
export function difference(ours, theirs) {
  let absolute = 0, relative = 0;
  for (let at = 0; at < ours.length; at += 1) {
    if (!Number.isFinite(theirs[at]) && ours[at] === theirs[at]) continue;
    const gap = Math.abs(ours[at] - theirs[at]);
    if (gap > absolute || Number.isNaN(gap)) absolute = gap;
    const scaled = gap / Math.max(1, Math.abs(theirs[at]));
    if (scaled > relative || Number.isNaN(scaled)) relative = scaled;
  }
  return { absolute, relative };
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

/** Where a value stands on its colour map, 0 ... 1. Signed maps keep 0 in the middle; a penalty deepens downwards. */
export function position({ quantity, low, high, scale }, value) {
  if (quantity === "content" || quantity === "scores") {
    const t = Math.min(1, Math.abs(value) / Math.max(Math.abs(low), Math.abs(high)));
    const s = scale === "sqrt" ? Math.sqrt(t) : t;
    return value < 0 ? 0.5 - s / 2 : 0.5 + s / 2;
  }
  const down = quantity === "bias" && low < 0;
  const t = Math.min(1, Math.max(0, (down ? high - value : value - low) / (high - low)));
  return scale === "sqrt" ? Math.sqrt(t) : t;
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
export function colourize(panel, values, table, out) {
  const last = table.length - 1, signed = panel.quantity === "content" || panel.quantity === "scores";
  const root = panel.scale === "sqrt";
  if (root && signed) { // rare, so not unrolled
    for (let at = 0; at < out.length; at += 1) {
      out[at] = values[at] === -Infinity ? 0 : table[(position(panel, values[at]) * last + 0.5) | 0];
    }
    return;
  }
  // Every other map is a straight line, or the root of one: the hot path of a preview.
  const reach = Math.max(Math.abs(panel.low), Math.abs(panel.high)), down = panel.quantity === "bias" && panel.low < 0;
  const factor = signed ? 0.5 / reach : (down ? -1 : 1) / (panel.high - panel.low);
  const shift = signed ? 0.5 : -factor * (down ? panel.high : panel.low);
  for (let at = 0; at < out.length; at += 1) {
    const value = values[at];
    let t = value * factor + shift;
    if (!(t > 0)) t = 0;
    else if (t > 1) t = 1;
    else if (root) t = Math.sqrt(t);
    out[at] = value === -Infinity ? 0 : table[(t * last + 0.5) | 0];
  }
}

const SUPERSCRIPT = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

/** A number for reading: four significant digits, a true minus sign, powers of ten in superscript. */
export function formatNumber(value, digits = 4) {
  if (Number.isNaN(value) || value === null || value === undefined) return "–";
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  if (value === 0) return "0";
  const size = Math.abs(value), sign = value < 0 ? "−" : "";
  if (size < 1e-4 || size >= 1e7) {
    const [mantissa, power] = size.toExponential(digits - 2).split("e");
    const raised = [...String(Number(power))].map((sign) => SUPERSCRIPT[sign]).join("");
    return `${sign}${String(Number(mantissa))} × 10${raised}`;
  }
  if (Number.isInteger(value)) return sign + size;
  const places = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  const text = size.toFixed(Math.min(places, 6));
  return sign + (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
}

/** Split a template into [text, isValue] pieces; `lookup` gives each {name}, undefined leaves it as it stands. */
export function fillTemplate(template, lookup) {
  return template.split(/(\{\w+\})/).filter(Boolean).map((piece) => {
    const value = /^\{\w+\}$/.test(piece) ? lookup(piece.slice(1, -1)) : undefined;
    return value === undefined ? [piece, false] : [value, true];
  });
}

/** A long label with an ellipsis in place of its end. */
export function shorten(text, most) {
  const letters = Array.from(text);
  return letters.length <= most ? text : letters.slice(0, most - 1).join("") + "…";
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
