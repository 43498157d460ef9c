"""What stands in a picture: the smallest type (canvases say it themselves), and what a canvas is given to draw."""

from typing import Any

#: The texts that a canvas is given, with their places in pixels of the page.
WATCH = """
window.drawn = [];
const { fillText } = CanvasRenderingContext2D.prototype;
CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...more) {
  const { a, b, c, d, e, f } = this.getTransform(), ratio = this.canvas.width / this.canvas.clientWidth;
  const at = [(a * x + c * y + e) / ratio, (b * x + d * y + f) / ratio];
  if (["arcs", "canvas"].includes(this.canvas.className)) drawn.push({ text, at });
  return fillText.call(this, text, x, y, ...more);
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
