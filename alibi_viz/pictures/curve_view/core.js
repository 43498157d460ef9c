// Arithmetic of the curve view: reading a message, axes, the cursor's steps. No page, no drawing.

import { formatSlope, unpack } from "../core.js";
import { clamp, formatExact, formatNumber } from "../shared.js";

const FINE = 200; // arrow keys cross an axis in so many presses; on an axis of whole numbers a press is at least one

/**
 * @import { Axis, Curve as Sent, Labels, Mark, Options, Readout } from "./message.d.ts"
 * @typedef {Omit<Sent, "values" | "xs"> & { values: Float32Array, xs: Float32Array }} Curve
 * @typedef {{ name: string, light: string, dark: string, dash: string, marker: string }} Family
 * @typedef {Omit<Options, "families" | "labels" | "readout"> & { key: string, alt: string, words: Record<string, string>, x: Axis,
 *   follows: [], y: Axis, xs: Float32Array, measured: boolean, curves: Curve[], families: Family[], labels: Labels | null, readout: Readout | null }} Message
 */

/** Decode one message of bytes (see message.py). Throws an Error with a sentence when it is broken. @type {(bytes: Uint8Array) => Message} */
export function decode(bytes) {
  const [message, arrays] = unpack(bytes);
  const values = arrays[message.values], points = arrays[message.points], { counts, curves } = message;
  const whole = counts.reduce((sum, count) => sum + count, 0);
  if (values?.length !== whole || counts.length !== curves.length) throw new Error("the values do not fit the curves");
  message.xs = arrays[message.xs];
  let from = 0;
  curves.forEach((curve, at) => {
    const to = from + counts[at];
    Object.assign(curve, { values: values.subarray(from, to), xs: points ? points.subarray(from, to) : message.xs });
    from = to;
  });
  return message;
}

/** y of a curve with a closed form, e^(-m x). */
export const decayAt = ({ slope }, x) => Math.exp(-slope * x);

/** y of a curve at any x: exact with a closed form, else on the line between two points; NaN where nothing was measured. */
export function valueAt({ form, measured, x: axis }, curve, x) {
  if (form) return decayAt(curve.facts, x);
  const { xs } = curve;
  if (measured && !(xs[0] <= x && x <= xs[xs.length - 1])) return NaN;
  if (xs.length === 1) return curve.values[0];
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

/** The point of a curve that is nearest to a value of x; where nothing was measured, x itself. */
export function nearestPoint({ measured, x: axis }, { xs }, x) {
  const scale = scaleOf(axis, 0, 1), far = (point) => Math.abs(scale.to(point) - scale.to(x));
  return measured && xs.length ? xs.reduce((best, point) => (far(point) < far(best) ? point : best)) : x;
}

/** The value so many key presses away: of what was measured, so many points. */
export function along(message, { xs }, value, presses) {
  if (!message.measured) return away(message.x, value, presses);
  return xs.length ? xs[clamp(xs.indexOf(value) + presses, 0, xs.length - 1)] : value;
}

/** The value of an axis so many key presses away. */
export function away(axis, value, presses) {
  const moved = valueOn(axis, scaleOf(axis, 0, 1).to(value) + presses / FINE);
  if (!axis.whole) return moved;
  const stepped = clamp(value + presses, axis.low, axis.high);
  return presses > 0 ? Math.max(moved, stepped) : Math.min(moved, stepped);
}

/** Where a curve first crosses a height, as a value of x between two points; null where it does not. */
export function crossing({ x: axis }, { xs, values }, height) {
  for (let at = 1; at < values.length; at += 1) {
    const [a, b] = [values[at - 1] - height, values[at] - height];
    if (a === b || a * b > 0 || !Number.isFinite(a - b)) continue;
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

/** A fact of a curve for reading; `short`: on the curve itself. */
export const formatFact = (name, value, short) => (
  typeof value === "string" ? value : name === "slope" ? formatSlope(value, short) : formatNumber(value, short ? 2 : 4));

/** The number at a tick. @param {Axis} axis */
export const formatTick = ({ slopes: fractions }, value) => (fractions ? formatSlope(value, true) : formatExact(value));

/** A value of x for reading: every digit of a whole number. */
export const formatAlong = ({ whole }, value) => formatNumber(value, whole ? 9 : 4);
