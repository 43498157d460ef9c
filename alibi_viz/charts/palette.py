"""The look of all charts: one light template, one palette, fixed meanings.

Notable choices:
- One look a method on every page: LOOKS has one row a method. The colours are Okabe and Ito's, which people with colour
  blindness can tell apart; each method has its own marker too, so that a chart also reads in grey.
- The template is small (Plotly's default one is 13 times larger and travels with every figure).
- Text colours follow the page's theme; the background is the page's own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import log10
from typing import Any, Literal

import numpy as np

from alibi_viz.charts.figure import Chart, Trace, trace

#: In a file and on the site there is no Source Sans; the other names are of systems, none of them much wider.
FONT = '"Source Sans", "Source Sans 3", "Source Sans Pro", -apple-system, "Segoe UI", Roboto, Arial, sans-serif'


@dataclass(frozen=True)
class Look:
    """How a method is drawn: its colour on light and on dark pages, Plotly's marker and dash. is_strong: it stands out."""

    light: str
    dark: str
    marker: str
    dash: str = "solid"
    is_strong: bool = False

    @property
    def colours(self) -> tuple[str, str]:
        """On a light page, and on a dark one."""
        return self.light, self.dark


LOOKS = {
    "none": Look("#7F7F7F", "#A8A8A8", "cross", "dot"),
    "learned": Look("#7B4EA3", "#B08BD6", "x", "dash"),
    "sinusoidal": Look("#E69F00", "#E69F00", "triangle-up", "longdash"),
    "rope": Look("#D55E00", "#D55E00", "square"),
    "t5": Look("#009E73", "#009E73", "diamond"),
    "alibi": Look("#0072B2", "#4FA3D8", "circle", is_strong=True),
    "kerple": Look("#56B4E9", "#9AD3F5", "triangle-down"),
    "kerple_power": Look("#8C613C", "#C9A27A", "pentagon", "dash"),
    "sandwich": Look("#CC79A7", "#CC79A7", "star", "dashdot"),
    "fire": Look("#222222", "#F2F0EA", "hexagon", "longdashdot"),
    "forgetting": Look("#005A6E", "#3FC1C9", "triangle-left", is_strong=True),
    "inkling": Look("#8F7A00", "#D8C94A", "bowtie", "dashdot"),
    "hybrid": Look("#A23B3B", "#E88F8F", "hourglass", "dash"),
}
UNTRAINED = Look("#C1272D", "#FF7A70", "x")  # what training never reached


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
    raised: str  # a surface above the page


LIGHT = Ink("#22262B", "#6B7078", "#E7E3DB", "#FDFCFA", "#0072B2", "#C75B12", "#B9B4AA", "#F3F1EC")
DARK = Ink("#E4E2DD", "#9BA1A9", "#2B3138", "#15181C", "#4FA3D8", "#E8935A", "#555D66", "#1F242A")


def ink(dark: bool) -> Ink:
    return DARK if dark else LIGHT


def color(look: str | Look, dark: bool) -> str:
    """The colour of a method (by its key in LOOKS), or of a look."""
    look = LOOKS[look] if isinstance(look, str) else look
    return look.dark if dark else look.light


def method_line(name: str, dark: bool, width: float = 1.6) -> dict[str, Any]:
    """Colour and dash of a method's line, the same on every page."""
    return {"color": color(name, dark), "dash": LOOKS[name].dash, "width": width}


def method_marker(name: str, dark: bool, points: int, markers: int = 9) -> dict[str, Any]:
    """A method's marker on so many of the points of a curve, so that lines can be told apart in grey."""
    sizes = np.zeros(points, dtype=np.float32)
    sizes[np.linspace(0, points - 1, min(markers, points)).astype(int)] = 6
    fixed = {"opacity": 1, "line": {"width": 0}}
    return {"symbol": LOOKS[name].marker, "size": sizes, "color": color(name, dark), **fixed}


@lru_cache(maxsize=2)
def template(dark: bool) -> dict[str, Any]:
    """The one template."""
    colour, clear = ink(dark), "rgba(0,0,0,0)"
    font = {"color": colour.text, "family": FONT}
    axis = {"gridcolor": colour.grid, "zeroline": False, "linecolor": colour.quiet, "tickcolor": colour.quiet}
    axis |= {"ticks": "outside", "ticklen": 4, "tickfont": {"color": colour.faint, "size": 12}}
    axis |= {"title": {"font": {"color": colour.text, "size": 13}, "standoff": 8}}
    axis |= {"exponentformat": "none", "separatethousands": True}
    paper = {"paper_bgcolor": colour.surface, "plot_bgcolor": clear}  # that of the page: a saved picture has it too
    layout: dict[str, Any] = {"font": font | {"size": 13}, **paper}
    below = {"automargin": "bottom"}  # on a phone the words below it are turned, and its title stands below them
    layout |= {"xaxis": axis | below, "yaxis": axis, "margin": {"l": 56, "r": 12, "t": 28, "b": 44}, "bargap": 0.35}
    layout |= {"modebar": {"bgcolor": clear, "color": colour.faint, "activecolor": colour.text}}
    layout |= {"hoverlabel": {"bgcolor": colour.surface, "bordercolor": colour.quiet, "font": font}, "dragmode": False}
    legend = {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom", "font": {"size": 12.5}}
    return {"layout": layout | {"legend": legend}}


def figure(dark: bool, height: int | None = None) -> Chart:
    """An empty figure in this look; without a height it fills its place."""
    return Chart({"template": template(dark), "height": height})


def enlarged(fig: Chart, times: float) -> Chart:
    """The same figure with all its type so many times as large, for a projector."""
    larger = Chart(_larger(fig.layout, times))
    larger.data = [
        {name: _larger(part, times) if name == "textfont" else part for name, part in trace.items()}
        for trace in fig.data
    ]
    return larger


def _larger(part: Any, times: float, grows: bool = False) -> Any:
    """A part of a layout: the sizes of fonts grow, and the room that their text needs."""
    if isinstance(part, dict):
        return {
            key: _larger(value, times, grows or key in ("size", "margin", "standoff")) for key, value in part.items()
        }
    if isinstance(part, list | tuple):
        return [_larger(entry, times, grows) for entry in part]
    return part * times if grows and type(part) in (int, float) else part


def floats(values: object) -> np.ndarray:
    """Numbers as float32: lists and float16 would travel as slow JSON."""
    return np.asarray(values, dtype=np.float32)


def curve(x: np.ndarray, y: np.ndarray, name: str, line: Mapping[str, object], hover: str, **options: object) -> Trace:
    """A curve without markers. x, y: [points]; line: Plotly's color, dash and width."""
    fixed = {"mode": "lines", "line": dict(line), "hovertemplate": hover}
    return trace("scatter", x=floats(x), y=floats(y), name=name, **(fixed | options))


def mark(fig: Chart, axis: Literal["x", "y"], at: float, text: str, dark: bool, *, log: bool = False) -> None:
    """A dotted line across the chart at a value of one axis, with its name if it has one.

    log: that axis is logarithmic. Plotly then wants the value itself for a line and its logarithm for a text.
    """
    faint, other = ink(dark).faint, "y" if axis == "x" else "x"
    anchors = {f"{axis}ref": axis, f"{other}ref": f"{other} domain"}
    ends = {f"{axis}0": at, f"{axis}1": at, f"{other}0": 0, f"{other}1": 1}
    fig.draw(**ends, **anchors, line={"color": faint, "width": 1, "dash": "dot"})
    if not text:
        return
    label = {axis: log10(at) if log else at, other: 1, "text": text, "font": {"size": 12, "color": faint}}
    label |= {"xanchor": "left", "yanchor": "top"} if axis == "x" else {"xanchor": "right", "yanchor": "bottom"}
    fig.annotate(showarrow=False, **label, **anchors)
