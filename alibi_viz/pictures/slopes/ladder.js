// The ladder: the slope of every head on a log axis, where the paper's slopes are a straight line.

import { computeLayout, drawPicture } from "../curve_view/draw.js";
import { probe } from "../parts.js";

const RUNG = 0.38; // of the way to the next head that a rung takes to each side

/**
 * The rungs, and a message that draws them as curves; null where no slope is above zero.
 * @param {{ head: string, slope: string, families: object[] }} message @param {any[]} curves
 */
export function ladderOf(message, curves) {
  const shown = curves.filter(({ facts }) => facts.slope > 0), all = shown.map(({ facts }) => facts.slope), heads = curves.length;
  if (!all.length) return null;
  const low = Math.floor(Math.log2(Math.min(...all))), high = Math.ceil(Math.log2(Math.max(...all)));
  const every = Math.max(1, Math.ceil((high - low) / 8)), apart = [1, 2, 4, 8, 16, 32].find((step) => heads / step <= 10) ?? 32;
  const ticks = [];
  for (let power = high; power >= low; power -= every) ticks.push(2 ** power);
  const numbers = Array.from({ length: Math.floor(heads / apart) }, (_, at) => (at + 1) * apart);
  return {
    x: { name: message.head, low: 0.5, high: heads + 0.5, ticks: numbers, log: false, whole: true, slopes: false },
    y: { name: message.slope, low: 2 ** (low - 0.3), high: 2 ** (high + 0.3), ticks, log: true, whole: false, slopes: true },
    families: message.families, markers: 0, measured: true, form: null, labels: null, mark: null, empty: "",
    curves: shown.map(({ facts: { head, slope }, family }) => ({
      facts: { head, slope }, family, bold: false, faint: false, xs: [head - RUNG, head + RUNG], values: [slope, slope],
    })),
  };
}

/** Where the ladder stands in a canvas of this size. */
export function ladderPlaces(ladder, width, height, theme) {
  return computeLayout(probe, { ...ladder, families: [] }, width, height, theme);
}

/** Draw it; the chosen head's rung is the thick one. */
export function drawLadder(ctx, layout, ladder, theme, chosen) {
  const curves = ladder.curves.map((curve) => ({ ...curve, bold: curve.facts.head === chosen + 1 }));
  drawPicture(ctx, { ...layout, legend: [] }, curves, ladder, theme, chosen);
}
