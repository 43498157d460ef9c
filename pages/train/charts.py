"""Charts of runs during training: the loss, and how the model does beyond its training length.

Why not Plotly: its chart is built anew at every change, and its place is empty for 0.1 to 0.4 s (measured): it flickers
when curves grow every second. Vega-Lite updates the data in place while the specification (axes, colours) is the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any

import numpy as np
import pandas as pd

from alibi_viz.charts.lines import Line
from alibi_viz.charts.palette import FONT, LOOKS, color, ink

LOWEST, HIGHEST = 2.0, 300.0  # perplexities of bytes: a good small model, and worse than guessing (256)
TICKS = (2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200, 300)
DASHES = {"solid": [1, 0], "dot": [2, 3], "dash": [6, 4], "longdash": [10, 4], "dashdot": [6, 3, 2, 3]}  # pixels
DASHES["longdashdot"] = [10, 3, 2, 3]
SHAPES = {  # markers that Vega does not have, as paths around a circle of radius 1
    "x": "M-1,-.6L-.6,-1L0,-.4L.6,-1L1,-.6L.4,0L1,.6L.6,1L0,.4L-.6,1L-1,.6L-.4,0Z",
    "pentagon": "M0,-1L.95,-.31L.59,.81L-.59,.81L-.95,-.31Z",
    "hexagon": "M0,-1L.87,-.5L.87,.5L0,1L-.87,.5L-.87,-.5Z",
    "star": "M0,-1L.25,-.34L.95,-.31L.4,.13L.59,.81L0,.42L-.59,.81L-.4,.13L-.95,-.31L-.25,-.34Z",
}
SIZES = {"fontSize", "labelFontSize", "titleFontSize", "symbolSize", "size", "strokeWidth"}  # what a projector enlarges
MARKERS = 9  # on a curve, so that lines can be told apart in grey

Spec = dict[str, Any]


@dataclass(frozen=True)
class Drawing:
    """A Vega-Lite specification, and its data: one row a point, with method, x, y and whether it has a marker."""

    spec: Spec
    data: pd.DataFrame


def losses(
    lines: list[Line], labels: dict[str, str], *, dark: bool, steps: int, empty: str = "", faint: bool = False
) -> Drawing:
    """Training loss against steps. The axes stay while the curves grow.

    empty: what the chart says before that. faint: the curves are those of recorded runs.
    """
    axes = _axis(labels["step"], [0, max(steps, 1)]), _axis(labels["loss"], [0, 7])
    return _drawing(lines, *axes, dark, _placeholder(lines, empty, dark), faint)


def lengths(
    lines: list[Line],
    labels: dict[str, str],
    *,
    dark: bool,
    train_length: int,
    is_recall: bool,
    empty: str = "",
    faint: bool = False,
) -> Drawing:
    """Perplexity against window length, both logarithmic; for recall the accuracy against distance.

    empty, faint: as in `losses`.
    """
    longest = max((float(line.x.max()) for line in lines if len(line.x)), default=0.0)
    ticks = [train_length * 2.0**n for n in range(-1, 5) if train_length * 2**n <= max(longest, 4 * train_length)]
    x = _axis(labels["distance" if is_recall else "length"], [ticks[0] * 0.9, ticks[-1] * 1.1], ticks)
    if is_recall:
        y = _axis(labels["share"], [0, 1]) | {"axis": {"title": labels["share"], "format": "%"}}
    else:
        low, high = _span(lines)
        y = _axis(labels["perplexity"], [low, high], [tick for tick in TICKS if low <= tick <= high])
    at = {"x": {"datum": train_length, "type": "quantitative"}}
    name = {"type": "text", "align": "left", "baseline": "top", "dx": 5, "y": 2, "fontSize": 12}
    marks: list[Spec] = [{"type": "rule", "strokeDash": [2, 3]}, name | {"text": labels["trained"]}]
    no_data: Spec = {"values": [{}]}  # of its own: L is marked before there is any other
    below = [{"data": no_data, "mark": mark | {"color": ink(dark).faint}, "encoding": at} for mark in marks]
    return _drawing(lines, x, y, dark, [*below, *_placeholder(lines, empty, dark)], faint)


def enlarged(drawing: Drawing, times: float) -> Drawing:
    """The same drawing in larger type, for a projector."""
    return Drawing(_enlarged(drawing.spec, times), drawing.data)


def _enlarged(part: Any, times: float) -> Any:
    if isinstance(part, list):
        return [_enlarged(item, times) for item in part]
    if not isinstance(part, dict):
        return part
    return {key: item * times if key in SIZES else _enlarged(item, times) for key, item in part.items()}


def _placeholder(lines: Sequence[Line], text: str, dark: bool) -> list[Spec]:
    """A sentence in the middle of a chart that has no point yet."""
    if not text or any(len(line.x) for line in lines):
        return []
    middle = {axis: {"value": {"expr": f"{size} / 2"}} for axis, size in (("x", "width"), ("y", "height"))}
    mark = {"type": "text", "text": text, "fontSize": 15, "color": ink(dark).faint}
    return [{"data": {"values": [{}]}, "mark": mark, "encoding": middle}]


def _axis(title: str, domain: Sequence[float], ticks: Sequence[float] = ()) -> Spec:
    """An axis; logarithmic if its ticks are named."""
    axis: Spec = {"title": title, "format": ",~f"} | ({"values": list(ticks)} if ticks else {"tickCount": 6})
    scale: Spec = {"domain": list(domain), "nice": False, "clamp": True} | ({"type": "log", "base": 2} if ticks else {})
    return {"type": "quantitative", "axis": axis, "scale": scale}


def _span(lines: list[Line]) -> tuple[float, float]:
    """Ends of the perplexity axis, in steps of a quarter of a decade: they stay while the curves move a little."""
    values = np.clip(np.concatenate([line.y for line in lines]), LOWEST, HIGHEST)
    if not len(values):
        return 3.0, 30.0
    return 10 ** (floor(log10(values.min()) * 4 - 0.2) / 4), 10 ** (ceil(log10(values.max()) * 4 + 0.2) / 4)


def _drawing(lines: list[Line], x: Spec, y: Spec, dark: bool, below: Sequence[Spec], faint: bool) -> Drawing:
    """Lines with markers on some points, over the layers `below`."""
    names, looks = [line.name for line in lines], [LOOKS[line.method] for line in lines]
    legend = {"orient": "top", "title": None, "symbolSize": 90, "columns": 5}
    method: Spec = {"field": "method", "type": "nominal", "legend": legend}
    colors = method | {"scale": {"domain": names, "range": [color(look, dark) for look in looks]}}
    shapes = method | {"scale": {"domain": names, "range": [SHAPES.get(look.marker, look.marker) for look in looks]}}
    dashes = method | {"scale": {"domain": names, "range": [DASHES[look.dash] for look in looks]}, "legend": None}
    position = {"x": {"field": "x"} | x, "y": {"field": "y"} | y, "color": colors}
    tooltip: list[Spec] = [
        {"field": "method", "title": " "},
        {"field": "x", "type": "quantitative", "title": x["axis"]["title"], "format": ",.0f"},
        {"field": "y", "type": "quantitative", "title": y["axis"]["title"], "format": ".3~f"},
    ]
    opacity = 0.4 if faint else 1
    stroke = {"type": "line", "strokeWidth": 2, "opacity": opacity, "clip": True}
    points = {"type": "point", "filled": True, "size": 65, "opacity": opacity, "clip": True}
    marked: Spec = {"mark": points, "transform": [{"filter": "datum.marked"}]}
    layers: list[Spec] = [
        {"mark": stroke, "encoding": position | {"strokeDash": dashes}},
        marked | {"encoding": position | {"shape": shapes, "tooltip": tooltip}},
    ]
    spec = {"layer": [*below, *layers], "config": _config(dark)}
    return Drawing(spec, pd.concat([_rows(line) for line in lines], ignore_index=True))


def _rows(line: Line) -> pd.DataFrame:
    """One row a point; float32, since more digits would travel for nothing."""
    marked = np.zeros(len(line.x), dtype=bool)
    marked[np.linspace(0, len(line.x) - 1, min(MARKERS, len(line.x))).astype(int)] = True
    points = {"x": line.x.astype(np.float32), "y": line.y.astype(np.float32), "marked": marked}
    return pd.DataFrame({"method": line.name} | points)


def _config(dark: bool) -> Spec:
    """The look of all charts, as in `palette.template`."""
    colors = ink(dark)
    axis = {"gridColor": colors.grid, "domain": False, "tickColor": colors.quiet, "tickSize": 4, "titlePadding": 10}
    axis |= {"labelColor": colors.faint, "labelFontSize": 12, "titleColor": colors.text, "titleFontSize": 13}
    axis |= {"titleFontWeight": "normal", "labelOverlap": True}
    legend = {"labelColor": colors.text, "labelFontSize": 12.5, "columnPadding": 18}
    # The page describes the whole chart; Vega's own names for each layer would repeat parts of it.
    page = {"mark": {"aria": False}, "background": "transparent", "font": FONT}
    return {**page, "view": {"stroke": None}, "axis": axis, "legend": legend}
