"""The smallest type in sight of a picture: of elements, of charts, and of canvases, which say it themselves."""

from __future__ import annotations

from typing import Any

SIZES = """(host) => {
  const all = (root) => [...root.querySelectorAll("*")].flatMap(
    (one) => [one, ...(one.shadowRoot ? all(one.shadowRoot) : [])]);
  return all(host).flatMap((one) => {
    const box = one.getBoundingClientRect();
    const isSeen = one.checkVisibility({ visibilityProperty: true }) && box.top < innerHeight;
    if (!isSeen || box.width < 2 || box.height < 2) return [];
    if (one.closest(".live, .alt, .room, .tools, .readout, .trouble")) return [];
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
