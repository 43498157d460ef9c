"""What stands in a picture: the smallest type (canvases say it themselves), and what a canvas is given to draw."""

from __future__ import annotations

from typing import Any

#: What a canvas is given: texts with their places and size, and rounded boxes with the lines around them, in pixels of the
#: page. isRing: a line that goes only a part of the way.
WATCH = """
window.drawn = [];
const { fillText, roundRect } = CanvasRenderingContext2D.prototype;
const at = (ctx, x, y) => {
  const { a, b, c, d, e, f } = ctx.getTransform(), ratio = ctx.canvas.width / ctx.canvas.clientWidth;
  return [(a * x + c * y + e) / ratio, (b * x + d * y + f) / ratio];
};
CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...more) {
  const size = parseFloat(/([\\d.]+)px/.exec(this.font)[1]);
  if (["arcs", "canvas"].includes(this.canvas.className)) drawn.push({ text, at: at(this, x, y), size });
  return fillText.call(this, text, x, y, ...more);
};
CanvasRenderingContext2D.prototype.roundRect = function (x, y, wide, high, r) {
  const isRing = this.getLineDash().length > 0, line = isRing ? this.lineWidth / 2 : 0; // the box itself has no line
  drawn.push({ box: [at(this, x - line, y - line), at(this, x + wide + line, y + high + line)], isRing });
  return roundRect.call(this, x, y, wide, high, r);
};
"""

SIZES = """(host) => {
  return all(host).flatMap((one) => {
    const box = one.getBoundingClientRect();
    const isSeen = one.checkVisibility({ visibilityProperty: true }) && box.top < innerHeight;
    if (!isSeen || box.width < 2 || box.height < 2) return [];
    if (one.closest(".live, .alt, .ruler, .tools, .readout, .trouble")) return [];
    if (one instanceof HTMLCanvasElement) return one.dataset.typeSize ? [Number(one.dataset.typeSize)] : [];
    const isChart = one.tagName === "text" && one.closest(".js-plotly-plot") && !one.closest(".hoverlayer, .modebar");
    const isWords = one.closest(".plots, .papers, .tabs") && [...one.childNodes].some((node) => node.data?.trim());
    return isChart || isWords ? [parseFloat(getComputedStyle(one).fontSize)] : [];
  });
}"""


def smallest_type(place: Any) -> float:
    """Pixels of the smallest type below an element, in the first screen; the toolbar and the readout are not counted."""
    found: list[float] = place.evaluate(SIZES)
    assert found, "nothing is written"
    return min(found)
