"""Charts of the Cost lesson: bytes of the bias by length; times against causal attention without positions."""

from collections.abc import Mapping
from math import log10
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.curves import curve
from alibi_viz.charts.lines import Line, length_axis, log_ticks, with_error_bars
from alibi_viz.charts.palette import LOOKS, color, figure, ink, mark

if TYPE_CHECKING:
    from pages.cost.study import Sizes, Table

Labels = Mapping[str, str]
#: ALiBi's ways: blue as ALiBi, or the second colour where they hold an n x n tensor, as in the picture of the sizes.
WAYS = {
    "feature": ("dash", "square"),
    "flex": ("dot", "star"),
    "cached": ("dot", "diamond"),
    "built": ("dashdot", "triangle-up"),
    "eager": ("longdashdot", "cross"),
}
ROWS = ("feature", "flex")  # of them, those without an n x n tensor
UNITS = {1: "1 byte", 2**10: "1 KiB", 2**20: "1 MiB", 2**30: "1 GiB", 2**40: "1 TiB"}


def sizes(found: "Sizes", tokens: int, labels: Labels, *, dark: bool) -> go.Figure:
    """Bytes of each form of the bias, and of the keys and values beside it."""
    fig, look = figure(dark), ink(dark)
    alibi = color("alibi", dark)
    lines = {
        "tensor": (look.second, "solid"),
        "cache": (look.faint, "dot"),
        "row": (alibi, "solid"),
        "closed": (alibi, "dash"),
    }
    for name, (shade, dash) in lines.items():
        line = {"color": shade, "dash": dash, "width": 2.5}
        fig.add_trace(curve(found.tokens, found.forms[name], labels[name], line, labels["hover_size"]))
    length_axis(fig, labels["tokens"], found.tokens)
    fig.update_yaxes(type="log", title_text=labels["bytes"], range=[0, log10(float(found.forms["tensor"].max())) + 0.4])
    fig.update_yaxes(tickvals=list(UNITS), ticktext=list(UNITS.values()))
    mark(fig, "x", tokens, f"{tokens:,}", dark, log=True)
    return fig


def times(table: "Table", names: Labels, labels: Labels, *, dark: bool, height: int | None = None) -> go.Figure:
    """Ratios by length; bars reach from the first to the third quartile. names: case -> for the reader."""
    lines = []
    for name, rows in table.items():
        low, high, median = (
            np.array([getattr(row, part) for row in rows.values()]) for part in ("low", "high", "median")
        )
        lines.append(Line(name if name in LOOKS else "alibi", names[name], np.array(list(rows)), median, low, high))
    fig = with_error_bars(lines, labels["hover_time"], dark, height)
    for trace, name in zip(fig.data, table, strict=True):
        if name in WAYS:
            dash, symbol = WAYS[name]
            shade = color("alibi", dark) if name in ROWS else ink(dark).second
            trace.update(line={"dash": dash, "color": shade}, marker={"symbol": symbol, "color": shade})
    lengths = np.concatenate([line.x for line in lines])
    span = (
        min(0.6, *(float(line.span[0].min()) for line in lines)),
        max(2.0, *(float(line.span[1].max()) for line in lines)),
    )
    length_axis(fig, labels["tokens"], lengths, most=8)
    fig.update_yaxes(title_text=labels["ratio"], type="log", range=[log10(span[0]) - 0.05, log10(span[1]) + 0.05])
    fig.update_yaxes(**log_ticks(*span))
    mark(fig, "y", 1, labels["base"], dark, log=True)
    fig.layout.annotations[-1].update(x=0.2, xanchor="left", yanchor="top")  # where ALiBi is not faster than that
    fig.update_layout(legend={"font": {"size": 12}})
    return fig
