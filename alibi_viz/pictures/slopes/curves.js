// The slopes that the hands say, their curves, and the axes. No page, no drawing.

import { powerBelow, rateThrough, settable, slopes, weightAt } from "../attention.js";
import { clamp } from "../shared.js";

/**
 * @import { Message as Sent } from "./message.d.ts"
 * @import { Values } from "../hands/hands.js"
 * @typedef {{ head: number, slope: number, family: number, weights: Float32Array }} Curve e^(-slope x) at the message's distances
 * @typedef {{ name: string, low: number, high: number, ticks: number[], log: boolean }} Axis
 * @typedef {Omit<Sent, "distances"> & { distances: Float32Array, x: Axis }} Message
 */

const RULES = { code: "code", sentence: "sentence", "2^-h": "blog" }; // as the address calls them, and as the library does
const MOST = 128;
const FINE = 200; // arrow keys cross the axis of distances in so many presses; a press is at least one token

/** The numbers of a list that a hand has written: 1/8 or 0.05; null for what only Python can read. @type {(text: string) => number[] | null} */
function parseList(text) {
  const numbers = text.split(/[\s,;，、；]+/).filter(Boolean).map((entry) => {
    const [above, below = "1"] = entry.split("/");
    return Number(above) / Number(below);
  });
  return numbers.length && numbers.length <= MOST && numbers.every(Number.isFinite) ? numbers : null;
}

/** A slope of such a list: 1/256 where it is such a fraction, else six digits. */
export function writtenSlope(slope) {
  const inverse = 1 / slope;
  return slope > 0 && slope < 1 && inverse <= 2 ** 20 && Number.isInteger(inverse)
    ? `1/${inverse}`
    : String(Number(slope.toPrecision(6)));
}

/** The slope of every head; null where only Python can say. @param {Values} values @returns {number[] | null} */
export function slopesOf({ heads, rule, max_bias: top, own }) {
  return rule === "own list" ? parseList(String(own)) : slopes(Number(heads), RULES[String(rule)], Number(top));
}

/** What the rule gives to so many heads; for a list of the reader's own, the authors' code. @param {Values} values @param {number} count */
export const ruleSlopes = ({ rule, max_bias: top }, count) => slopes(count, RULES[String(rule)] ?? "code", Number(top));

/** A curve for each slope. @param {{ distances: Float32Array }} message @param {number[]} all @param {Values} values @returns {Curve[]} */
export function curvesOf({ distances }, all, { rule }) {
  const power = rule === "code" ? powerBelow(all.length) : all.length;
  return all.map((slope, at) => ({
    head: at + 1,
    slope,
    family: at < power ? 0 : 1,
    weights: distances.map((x) => weightAt(slope, x)),
  }));
}

/** The slope with which a curve passes through a point, as far as a hand can set it. */
export const slopeThrough = (x, y) => settable(rateThrough(x, y));

/** The axis of distances. @param {string} name @param {Float32Array} distances @returns {Axis} */
export function distanceAxis(name, distances) {
  const [low, high] = [distances[0], distances[distances.length - 1]];
  const ticks = Array.from({ length: Math.floor(Math.log2(high) / 2) + 1 }, (_, at) => 4 ** at);
  return { name, low, high, ticks, log: true };
}

/** A distance of the axis: a whole one. @param {Axis} axis */
export const distanceOn = ({ low, high }, distance) => clamp(Math.round(distance), low, high);

/** The distance so many key presses away. @param {Axis} axis */
export function away(axis, distance, presses) {
  const moved = distance * (axis.high / axis.low) ** (presses / FINE), stepped = distance + presses;
  return distanceOn(axis, presses > 0 ? Math.max(moved, stepped) : Math.min(moved, stepped));
}
