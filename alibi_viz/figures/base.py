"""The house's style for charts: one light template, one palette, fixed meanings.

Notable choices:
- One colour a method on every page, from Okabe and Ito's palette, which people with colour blindness can tell apart; each
  method has its own marker and dash as well, so that a chart also reads in grey.
- The template is small (Plotly's default one is 13 times larger and travels with every figure).
- Text colours follow the page's theme; the background is the page's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log10
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go

FONT = '"Source Sans", "Source Sans 3", "Source Sans Pro", system-ui, sans-serif'
METHOD_COLOURS = {
    "alibi": "#0072B2",
    "rope": "#D55E00",
    "t5": "#009E73",
    "sinusoidal": "#E69F00",
    "learned": "#7B4EA3",
    "none": "#7F7F7F",
    "kerple": "#56B4E9",
    "kerple_power": "#56B4E9",
    "sandwich": "#CC79A7",
    "fire": "#222222",
}
METHOD_COLOURS_DARK = {
    **METHOD_COLOURS,
    "alibi": "#4FA3D8",
    "learned": "#B08BD6",
    "none": "#A8A8A8",
    "kerple": "#9AD3F5",
    "kerple_power": "#9AD3F5",
    "fire": "#F2F0EA",
}
METHOD_DASHES = {
    "none": "dot",
    "learned": "dash",
    "sinusoidal": "longdash",
    "kerple_power": "dash",
    "sandwich": "dashdot",
    "fire": "longdashdot",
}  # a method that is not named has a solid line
METHOD_MARKERS = {
    "alibi": "circle",
    "rope": "square",
    "t5": "diamond",
    "sinusoidal": "triangle-up",
    "learned": "x",
    "none": "cross",
    "kerple": "triangle-down",
    "kerple_power": "pentagon",
    "sandwich": "star",
    "fire": "hexagon",
}
UNTRAINED, UNTRAINED_DARK = "#C1272D", "#FF7A70"  # what training never touched


@dataclass(frozen=True)
class Ink:
    """The colours of a chart that are not data."""

    text: str
    faint: str
    grid: str
    surface: str
    accent: str
    second: str  # a second family beside the accent
    quiet: str


LIGHT = Ink("#22262B", "#6B7078", "#E7E3DB", "#FDFCFA", "#0072B2", "#C75B12", "#B9B4AA")
DARK = Ink("#E4E2DD", "#9BA1A9", "#2B3138", "#15181C", "#4FA3D8", "#E8935A", "#555D66")


def ink(dark: bool) -> Ink:
    return DARK if dark else LIGHT


def template(dark: bool) -> go.layout.Template:
    """The one template."""
    colour = ink(dark)
    axis = {
        "gridcolor": colour.grid,
        "zeroline": False,
        "linecolor": colour.quiet,
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": colour.quiet,
        "tickfont": {"color": colour.faint, "size": 12},
        "title": {"font": {"color": colour.text, "size": 13}, "standoff": 8},
    }
    return go.layout.Template(
        layout={
            "font": {"family": FONT, "size": 13, "color": colour.text},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "xaxis": axis,
            "yaxis": axis,
            "margin": {"l": 56, "r": 12, "t": 28, "b": 44},
            "hoverlabel": {
                "bgcolor": colour.surface,
                "bordercolor": colour.quiet,
                "font": {"color": colour.text, "family": FONT},
            },
            "legend": {
                "orientation": "h",
                "x": 0,
                "xanchor": "left",
                "y": 1.02,
                "yanchor": "bottom",
                "font": {"size": 12.5},
            },
            "bargap": 0.35,
            "dragmode": False,
        }
    )


def figure(dark: bool, height: int) -> go.Figure:
    """An empty figure in the house's style."""
    return go.Figure(layout={"template": template(dark), "height": height})


def floats(values: object) -> np.ndarray:
    """Numbers as float32: lists and float16 would travel as slow JSON."""
    return np.asarray(values, dtype=np.float32)


def method_line(name: str, dark: bool) -> dict[str, Any]:
    """Colour and dash of a method's line, the same on every page."""
    colours = METHOD_COLOURS_DARK if dark else METHOD_COLOURS
    return {"color": colours[name], "dash": METHOD_DASHES.get(name, "solid"), "width": 2}


def method_marker(name: str, dark: bool, points: int, shown: int = 9) -> dict[str, Any]:
    """A method's marker on `shown` of the points of a curve, so that lines can be told apart in grey."""
    sizes = np.zeros(points, dtype=np.float32)
    sizes[np.linspace(0, points - 1, min(shown, points)).astype(int)] = 8
    colours = METHOD_COLOURS_DARK if dark else METHOD_COLOURS
    return {"symbol": METHOD_MARKERS[name], "size": sizes, "color": colours[name], "opacity": 1, "line": {"width": 0}}


def mark(fig: go.Figure, axis: Literal["x", "y"], at: float, text: str, dark: bool, *, log: bool = False) -> None:
    """A dotted line across the chart at a value of one axis, with its name.

    log: that axis is logarithmic. Plotly then wants the value itself for a line and its logarithm for a text.
    """
    colour, other = ink(dark), "y" if axis == "x" else "x"
    place = {axis: log10(at) if log else at, f"{axis}ref": axis, other: 1, f"{other}ref": f"{other} domain"}
    fig.add_shape(
        **{f"{axis}0": at, f"{axis}1": at, f"{other}0": 0, f"{other}1": 1},
        **{f"{axis}ref": axis, f"{other}ref": f"{other} domain"},
        line={"color": colour.faint, "width": 1, "dash": "dot"},
    )
    fig.add_annotation(
        **place,
        text=text,
        showarrow=False,
        xanchor="left" if axis == "x" else "right",
        yanchor="top" if axis == "x" else "bottom",
        font={"size": 12, "color": colour.faint},
    )
