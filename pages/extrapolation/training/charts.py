"""Charts of runs while they are trained: the loss, and how the model does beyond its training length.

Why Vega-Lite here and Plotly elsewhere: a Plotly chart is built anew at every change, and its place is empty for 0.1 to
0.4 s (measured), which flickers when curves grow every second. Vega-Lite takes new data into the drawing that stands
there, as long as the specification is the same. So what a specification holds (axes, colours) hardly ever changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any

import numpy as np
import pandas as pd

from alibi_viz.charts.palette import FONT, LOOKS, color, ink

HEIGHT = 300
LOWEST, HIGHEST = 2.0, 300.0  # perplexities of bytes: a good small model, and worse than guessing (256)
TICKS = (2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200, 300)
DASHES = {
    "solid": [1, 0],
    "dot": [2, 3],
    "dash": [6, 4],
    "longdash": [10, 4],
    "dashdot": [6, 3, 2, 3],
    "longdashdot": [10, 3, 2, 3],
}  # pixels
SHAPES = {  # markers that Vega does not have, as paths around a circle of radius 1
    "x": "M-1,-.6L-.6,-1L0,-.4L.6,-1L1,-.6L.4,0L1,.6L.6,1L0,.4L-.6,1L-1,.6L-.4,0Z",
    "pentagon": "M0,-1L.95,-.31L.59,.81L-.59,.81L-.95,-.31Z",
    "hexagon": "M0,-1L.87,-.5L.87,.5L0,1L-.87,.5L-.87,-.5Z",
    "star": "M0,-1L.25,-.34L.95,-.31L.4,.13L.59,.81L0,.42L-.59,.81L-.4,.13L-.95,-.31L-.25,-.34Z",
}
MARKERS = 9  # on a curve, so that lines can be told apart in grey

Spec = dict[str, Any]


@dataclass(frozen=True)
class Line:
    """One run: the method's key and title, and its points."""

    method: str
    title: str
    x: np.ndarray
    y: np.ndarray


@dataclass(frozen=True)
class Drawing:
    """A Vega-Lite specification, and its data: one row a point, with method, x, y and whether it has a marker."""

    spec: Spec
    data: pd.DataFrame


def losses(lines: Sequence[Line], words: Mapping[str, str], *, dark: bool, steps: int) -> Drawing:
    """Training loss against steps. The axes stay while the curves grow."""
    x = _axis(words["step"], domain=[0, max(steps, 1)])
    y = _axis(words["loss"], domain=[0, 7])
    return Drawing(_spec(lines, x, y, dark), _rows(lines))


def lengths(lines: Sequence[Line], words: Mapping[str, str], *, dark: bool, trained: int, shares: bool) -> Drawing:
    """Perplexity against window length, both logarithmic; for recall the share of right answers against distance."""
    most = max((float(line.x.max()) for line in lines if len(line.x)), default=0.0)
    ticks = [trained * 2.0**n for n in range(-1, 5) if trained * 2.0**n <= max(most, 4.0 * trained)]
    x = _axis(words["distance" if shares else "length"], [ticks[0] * 0.9, ticks[-1] * 1.1], ticks, log=True)
    if shares:
        y = _axis(words["share"], [0, 1]) | {"axis": {"title": words["share"], "format": "%"}}
    else:
        low, high = _span(lines)
        y = _axis(words["perplexity"], [low, high], [tick for tick in TICKS if low <= tick <= high], log=True)
    return Drawing(_spec(lines, x, y, dark, trained=trained, told=words["trained"]), _rows(lines))


def _rows(lines: Sequence[Line]) -> pd.DataFrame:
    """One row a point; float32, since more digits would travel for nothing."""
    frames = []
    for line in lines:
        marked = np.zeros(len(line.x), dtype=bool)
        marked[np.linspace(0, len(line.x) - 1, min(MARKERS, len(line.x))).astype(int)] = True
        points = {"x": line.x.astype(np.float32), "y": line.y.astype(np.float32), "marked": marked}
        frames.append(pd.DataFrame({"method": line.title} | points))
    return pd.concat(frames, ignore_index=True)


def _axis(title: str, domain: Sequence[float], ticks: Sequence[float] = (), *, log: bool = False) -> Spec:
    axis: Spec = {"title": title, "format": ",~f"} | ({"values": list(ticks)} if ticks else {"tickCount": 6})
    scale: Spec = {"domain": list(domain), "nice": False, "clamp": True} | ({"type": "log", "base": 2} if log else {})
    return {"type": "quantitative", "axis": axis, "scale": scale}


def _span(lines: Sequence[Line]) -> tuple[float, float]:
    """Ends of the perplexity axis, in steps of a quarter of a decade: they stay while the curves move a little."""
    values = np.concatenate([line.y for line in lines] or [np.zeros(0)])
    values = np.clip(values, LOWEST, HIGHEST)
    if not len(values):
        return 3.0, 30.0
    return 10 ** (floor(log10(values.min()) * 4 - 0.2) / 4), 10 ** (ceil(log10(values.max()) * 4 + 0.2) / 4)


def _spec(lines: Sequence[Line], x: Spec, y: Spec, dark: bool, *, trained: int | None = None, told: str = "") -> Spec:
    """Lines with markers on some points, and the training length as a dotted line."""
    titles, names = [line.title for line in lines], [line.method for line in lines]
    shapes = [SHAPES.get(LOOKS[name].marker, LOOKS[name].marker) for name in names]
    dashes = [DASHES[LOOKS[name].dash] for name in names]
    legend = {"orient": "top", "title": None, "symbolSize": 90, "columns": 5}
    colour: Spec = {"field": "method", "type": "nominal", "legend": legend}
    colour["scale"] = {"domain": titles, "range": [color(name, dark) for name in names]}
    by_method = {"field": "method", "type": "nominal", "legend": legend}
    shape = by_method | {"scale": {"domain": titles, "range": shapes}}
    dash = by_method | {"legend": None, "scale": {"domain": titles, "range": dashes}}
    place = {"x": {"field": "x"} | x, "y": {"field": "y"} | y, "color": colour}
    tips = [{"field": key, "type": "quantitative", "title": z["axis"]["title"]} for key, z in (("x", x), ("y", y))]
    tips[0]["format"], tips[1]["format"] = ",.0f", ".3~f"
    tip: list[Spec] = [{"field": "method", "title": " "}, *tips]
    layers: list[Spec] = [
        {"mark": {"type": "line", "strokeWidth": 2, "clip": True}, "encoding": place | {"strokeDash": dash}},
        {
            "transform": [{"filter": "datum.marked"}],
            "mark": {"type": "point", "filled": True, "size": 65, "opacity": 1, "clip": True},
            "encoding": place | {"shape": shape, "tooltip": tip},
        },
    ]
    return {"height": HEIGHT, "layer": [*_mark(trained, told, dark), *layers], "config": _config(dark)}


def _mark(trained: int | None, told: str, dark: bool) -> list[Spec]:
    """A dotted line at the training length, with its name."""
    if trained is None:
        return []
    at = {"x": {"datum": trained, "type": "quantitative"}}
    colour = ink(dark).faint
    name = {"type": "text", "text": told, "align": "left", "baseline": "top", "dx": 5, "y": 2, "color": colour}
    return [
        {"mark": {"type": "rule", "strokeDash": [2, 3], "color": colour}, "encoding": at},
        {"mark": name | {"fontSize": 12}, "encoding": at},
    ]


def _config(dark: bool) -> Spec:
    """The house's style, as in `palette.template`."""
    colour = ink(dark)
    axis = {"gridColor": colour.grid, "domain": False, "tickColor": colour.quiet, "tickSize": 4, "titlePadding": 10}
    axis |= {"labelColor": colour.faint, "labelFontSize": 12, "titleColor": colour.text, "titleFontSize": 13}
    return {
        "background": "transparent",
        "font": FONT,
        "view": {"stroke": None},
        "axis": axis | {"titleFontWeight": "normal", "labelOverlap": True},
        "legend": {"labelColor": colour.text, "labelFontSize": 12.5, "columnPadding": 18},
    }
