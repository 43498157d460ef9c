"""What a question covers of a chart until it is answered, and how the answer stands out after it.

What is covered is taken out of the chart, so neither the pointer nor the saved picture tells it.
"""

from collections.abc import Sequence
from math import log10

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.palette import ink

BOLDER = 1.8  # times: the lines of the answer


def cover(fig: go.Figure, begins: float | None, hidden: Sequence[str], *, dark: bool) -> None:
    """Take out every point beyond x = `begins` (None: no such end), and every trace whose name is in `hidden`."""
    for trace in fig.data:
        if trace.name in hidden:
            trace.update(x=[None], y=[None])  # its name stays in the legend
    if begins is None:
        return
    for trace in fig.data:
        _cut(trace, begins)
    # Names at the right end stand at the heights of the lines: the legend takes their place.
    fig.layout.annotations = [text for text in fig.layout.annotations if not (text.xref == "x domain" and text.x == 1)]
    fig.update_traces(showlegend=True, selector=lambda trace: bool(trace.name) and trace.showlegend is False)
    look, share = ink(dark), _share(fig, begins)
    box = {"xref": "x domain", "yref": "y domain", "x0": share, "x1": 1, "y0": 0, "y1": 1, "layer": "above"}
    fig.add_shape(type="rect", **box, fillcolor=look.surface, line={"color": look.quiet, "width": 1, "dash": "dash"})
    middle = {"x": (share + 1) / 2, "y": 0.5, "xref": "x domain", "yref": "y domain", "showarrow": False}
    fig.add_annotation(text="?", font={"size": 72, "color": look.faint}, **middle)


def _cut(trace: go.Scatter, begins: float) -> None:
    """Without the points beyond; what stands beside each point goes with it."""
    x = np.asarray(trace.x, dtype=np.float64)
    keep = np.flatnonzero(x <= begins)
    for part in ("x", "y", "text", "customdata", "textposition"):
        values = getattr(trace, part, None)
        if values is not None and not isinstance(values, str) and len(values) == len(x):
            trace[part] = np.asarray(values)[keep]
    trace.error_y = None
    for part in ("symbol", "size"):
        values = getattr(trace.marker, part)
        if isinstance(values, tuple | list | np.ndarray) and len(values) == len(x):
            trace.marker[part] = np.asarray(values)[keep]


def _share(fig: go.Figure, x: float) -> float:
    """Where x stands on its axis, from 0 to 1."""
    axis = fig.layout.xaxis
    low, high = axis.range or (x, x + 1.0)
    at = log10(x) if axis.type == "log" else x
    return min(max((at - low) / (high - low), 0.0), 1.0)


def emphasise(fig: go.Figure, names: Sequence[str]) -> None:
    """Draw the lines of these names bolder, and their names at the end too."""
    for trace in fig.data:
        if trace.name in names and trace.line.width:
            trace.line.width *= BOLDER
    for text in fig.layout.annotations:
        if text.text in names:
            text.text = f"<b>{text.text}</b>"
