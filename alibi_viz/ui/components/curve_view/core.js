// Arithmetic of the curve view: reading a message, closed forms, axes, the cursor's steps. No page, no drawing.

const VERSION = 1;
const FINE = 200; // arrow keys cross an axis in so many presses; on an axis of whole numbers a press is at least one

/** Decode one message of bytes (see message.py). Throws an Error with a sentence when it is broken. */
export function decode(bytes) {
  const [message, arrays] = unpack(bytes, VERSION);
  const xs = arrays[message.xs], values = arrays[message.values], points = xs.length;
  if (values?.length !== points * message.curves.length) throw new Error("the values do not fit the curves");
  message.xs = xs;
  message.curves.forEach((curve, at) => { curve.values = values.subarray(at * points, (at + 1) * points); });
  if (message.model && !FORMS[message.model.form]) throw new Error(`unknown form ${message.model.form}`);
  return message;
}

/** The slope of every head, in head order: the rules of positions/alibi.py; a test compares the two. */
export function slopes(heads, rule, top) {
  const of = (count, exponent) => Array.from({ length: count }, (_, at) => 2 ** -exponent(at + 1));
  if (rule === "blog") return of(heads, (h) => h);
  if (rule === "plain") return of(heads, (h) => (top * h) / heads);
  if (rule !== "paper") throw new Error(`unknown rule ${rule}`);
  const power = powerBelow(heads);
  const extra = of(heads - power, (k) => (top * (2 * k - 1)) / (2 * power));
  return [...of(power, (h) => (top * h) / power), ...extra];
}

/** The largest power of two not above a whole number. */
const powerBelow = (count) => 2 ** (31 - Math.clz32(count));

// A form: y of a curve with slope m at x, and the curves (facts and family) of a dragged value; null: none can be told.
const FORMS = {
  decay: {
    y: (slope, x) => Math.exp(-slope * x),
    curvesAt({ model: { rule, max_bias: top } }, value) {
      const heads = Math.round(value);
      if (!rule || heads < 1) return null;
      const power = rule === "paper" ? powerBelow(heads) : heads;
      const curve = (slope, at) => ({ facts: { head: at + 1, slope }, family: at < power ? 0 : 1 });
      return slopes(heads, rule, top).map(curve);
    },
  },
  penalty: {
    y: (slope, x) => -slope * x,
    curvesAt({ model: { dragged, value: quantity }, curves }, value) {
      const slope = quantity === "exponent" ? 2 ** -value : value;
      return curves.map(({ facts, family }, at) => ({ facts: at === dragged ? { ...facts, slope } : facts, family }));
    },
  },
};

/** The curves of a dragged value, computed here; null where the message names no form for it. */
export function previewCurves(message, value) {
  const form = FORMS[message.model?.form], curves = form?.curvesAt(message, value) ?? null;
  for (const curve of curves ?? []) {
    const { slope } = curve.facts;
    curve.values = message.xs.map((x) => form.y(slope, x)); // a typed array maps to its own kind
  }
  return curves;
}

/** y of a curve at any x: exact with a closed form, else on the line between two points. */
export function valueAt({ model, xs, x: axis }, curve, x) {
  if (model) return FORMS[model.form].y(curve.facts.slope, x);
  const after = clamp(xs.findIndex((point) => point >= x), 1, xs.length - 1), scale = scaleOf(axis, 0, 1);
  const [from, to] = [scale.to(xs[after - 1]), scale.to(xs[after])];
  const share = clamp((scale.to(x) - from) / (to - from), 0, 1);
  return curve.values[after - 1] + share * (curve.values[after] - curve.values[after - 1]);
}

/** An axis between two pixels: `to` a pixel, and `from` one. */
export function scaleOf({ low, high, log }, start, end) {
  const turn = log ? Math.log : (value) => value, back = log ? Math.exp : (value) => value;
  const first = turn(low), span = turn(high) - first;
  return {
    to: (value) => start + ((turn(value) - first) / span) * (end - start),
    from: (pixel) => back(first + ((pixel - start) / (end - start)) * span),
  };
}

/** A value of the axis for a share of its length: whole on an axis of whole numbers. */
export function valueOn(axis, share) {
  const value = scaleOf(axis, 0, 1).from(clamp(share, 0, 1));
  return clamp(axis.whole ? Math.round(value) : value, axis.low, axis.high);
}

/** The value so many key presses away. */
export function away(axis, value, presses) {
  const moved = valueOn(axis, scaleOf(axis, 0, 1).to(value) + presses / FINE);
  if (!axis.whole) return moved;
  const stepped = clamp(value + presses, axis.low, axis.high);
  return presses > 0 ? Math.max(moved, stepped) : Math.min(moved, stepped);
}

/** Where a curve first crosses a height, as a value of x between two points; null where it does not. */
export function crossing({ xs, x: axis }, values, height) {
  for (let at = 1; at < values.length; at += 1) {
    const [a, b] = [values[at - 1] - height, values[at] - height];
    if (a === b || a * b > 0) continue;
    const scale = scaleOf(axis, 0, 1), from = scale.to(xs[at - 1]);
    return scale.from(from + (a / (a - b)) * (scale.to(xs[at]) - from));
  }
  return null;
}

/** The curves from the lowest to the highest at x; those that are equal there, by their mean. */
export function ranked(message, curves, x) {
  const mean = ({ values }) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const keys = curves.map((curve, at) => ({ at, y: valueAt(message, curve, x), mean: mean(curve) }));
  return keys.sort((a, b) => a.y - b.y || a.mean - b.mean || a.at - b.at).map(({ at }) => at);
}

/** A slope: as a unit fraction when it is one, as format_slope in Python. `short`, on a curve: 2⁻¹², and two digits. */
export function formatSlope(value, short = false) {
  const inverse = value > 0 && value < 1 ? 1 / value : Infinity, power = Math.log2(inverse);
  if (inverse <= (short ? 2048 : 1e7) && Number.isInteger(inverse)) return `1/${formatNumber(inverse, 9)}`;
  return short && Number.isInteger(power) ? `2${raised(-power)}` : formatNumber(value, short ? 2 : 4);
}

/** A fact of a curve for reading; `short`: on the curve itself. */
export const formatFact = (name, value, short) => (
  typeof value === "string" ? value : name === "slope" ? formatSlope(value, short) : formatNumber(value, short ? 2 : 4));

/** A value of x for reading: every digit of a whole number. */
export const formatAlong = ({ whole }, value) => formatNumber(value, whole ? 9 : 4);
