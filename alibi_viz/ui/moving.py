"""Charts of shipped numbers in an exported file: the curve view draws a chart's lines there, one scene for each choice.

Plotly itself is 4.5 MB: too much for one picture. So the same lines go to the view that draws curves everywhere else, with
the chart's axes. What the chart draws besides (bands of the seeds, names at the ends) is left out.
"""

import re
from collections.abc import Callable, Sequence

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from alibi_viz.charts.lines import Line
from alibi_viz.export import Part, Scene
from alibi_viz.lessons import load
from alibi_viz.pictures.curve_view.message import Axis, Curve, Family, Mark, Readout, pack

MARKERS = 9  # on a curve, so that lines can be told apart in grey
POINTS = 1000  # of a line, at most
STEPS = 8  # of an axis without ticks of its own, at most
_SUPERSCRIPT = re.compile(r"<sup>(.*?)</sup>")
_OFFERED = "_offered"  # in the session
Scenes = Callable[[], Sequence[Scene]]


def forget() -> None:
    """Called when a run of a page begins."""
    st.session_state[_OFFERED] = None


def offer(scenes: Scenes) -> None:
    """What a file of this page has, in place of its stage as it is. Made when the file is asked for."""
    st.session_state[_OFFERED] = scenes


def offered() -> Scenes | None:
    return st.session_state.get(_OFFERED)


def chart(figure: go.Figure, lines: Sequence[Line], *, alt: str, name: str, mark: Mark | None = None) -> Part:
    """The lines of a Plotly figure, over its axes. Points that are not on the axes are left out."""
    times, words = 100 if figure.layout.yaxis.tickformat == ".0%" else 1, load("words").entries("moving")
    x, y = _axis([*figure.select_xaxes()]), _axis([*figure.select_yaxes()], times)
    methods = list(dict.fromkeys(line.method for line in lines))
    alike = len(methods) == 1 and len(lines) > 2  # curves of one look: their names would fill a legend
    message = pack(
        np.array([x.low, x.high]),
        [_curve(line, 0 if alike else number, x, times) for number, line in enumerate(lines)],
        x,
        y,
        key=name,
        alt=alt,
        families=[Family("", methods[0])] if alike else [Family(line.name, line.method) for line in lines],
        mark=mark,
        readout=Readout(words["curve"], words["empty"]),
        size="stage",
        filename=name,
        markers=0 if alike else MARKERS,
    )
    return Part("curve_view", "curve_view/entry.js", ("picture.css", "curve_view/view.css"), message)


def _curve(line: Line, family: int, x: Axis, times: float) -> Curve:
    seen = np.flatnonzero(np.isfinite(line.y) & (line.x >= x.low) & (line.x <= x.high))
    seen = seen[:: -(-len(seen) // POINTS) or 1]
    return Curve(line.y[seen] * times, {"name": line.name}, family, faint=line.faint or line.hollow, xs=line.x[seen])


def _axis(axes: Sequence[go.layout.XAxis | go.layout.YAxis], times: float = 1) -> Axis:
    """The first of alike axes; one of them has the title. times: 100 for a share, which is shown in percent.

    Plotly has the ends of a logarithmic axis as logarithms.
    """
    axis, title = axes[0], next(axis.title.text for axis in axes if axis.title.text)
    is_log, ends = axis.type == "log", axis.range
    low, high = (10**end if is_log else end * times for end in ends)
    ticks = tuple(axis.tickvals) if axis.tickvals is not None else _ticks(low, high)
    name = _SUPERSCRIPT.sub(r"^(\1)", title) + (", %" if times == 100 else "")
    return Axis(name, low, high, tuple(tick for tick in ticks if low <= tick <= high), log=is_log)


def _ticks(low: float, high: float) -> tuple[float, ...]:
    """Equal steps of 1, 2 or 5."""
    steps = (digit * 10.0**power for power in range(-6, 9) for digit in (1, 2, 5))
    step = next(step for step in steps if high - low <= step * STEPS)
    return tuple(round(step * count, 9) for count in range(int(np.ceil(low / step)), int(high / step) + 1))
