// The slopes that the hands say, and the curves of them. No page, no drawing.

import { powerBelow, slopes } from "../core.js";
import { decayAt } from "../curve_view/core.js";
import { rateThrough, settable } from "../grip.js";

/**
 * @import { Curve, Message } from "../curve_view/core.js"
 * @import { Values } from "../hands/hands.js"
 */

const RULES = { paper: "paper", plain: "plain", "2^-h": "blog" }; // as the address calls them, and as the library does
const MOST = 128;

/** The numbers of a list that a hand has written: 1/8 or 0.05; null for what only Python can read. @type {(text: string) => number[] | null} */
export function listed(text) {
  const numbers = text.split(/[\s,;]+/).filter(Boolean).map((entry) => {
    const [above, below = "1"] = entry.split("/");
    return Number(above) / Number(below);
  });
  return numbers.length && numbers.length <= MOST && numbers.every(Number.isFinite) ? numbers : null;
}

/** A slope of such a list: 1/256 where it is such a fraction, else six digits. */
export function writtenSlope(slope) {
  const inverse = 1 / slope;
  return slope > 0 && slope < 1 && inverse <= 2 ** 20 && Number.isInteger(inverse) ? `1/${inverse}` : String(Number(slope.toPrecision(6)));
}

/** The slope of every head; null where only Python can say. @param {Values} values @returns {number[] | null} */
export function slopesOf({ heads, rule, max_bias: top, own }) {
  return rule === "own list" ? listed(String(own)) : slopes(Number(heads), RULES[String(rule)], Number(top));
}

/** What the rule gives to so many heads; for a list of the reader's own, the paper's rule. @param {Values} values @param {number} count */
export const ruleSlopes = ({ rule, max_bias: top }, count) => slopes(count, RULES[String(rule)] ?? "paper", Number(top));

/** A curve for each slope. @param {Message} message @param {number[]} all @param {Values} values @returns {Curve[]} */
export function curvesOf({ xs }, all, { rule }) {
  const power = rule === "paper" ? powerBelow(all.length) : all.length;
  return all.map((slope, at) => curveOf(xs, slope, at, at < power ? 0 : 1));
}

/** The curve of a head's slope. @returns {Curve} */
export function curveOf(xs, slope, at, family = 0) {
  return { facts: { head: at + 1, slope }, family, bold: false, faint: false, xs, values: xs.map((x) => decayAt({ slope }, x)) };
}

/** The slope with which a curve passes through a point, as far as a hand can set it. */
export const slopeThrough = (x, y) => settable(rateThrough(x, y));
