"""The chart of the Extrapolation lesson: perplexity against length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10
from typing import Any

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.lines import Line, band, log_ticks, names_at_end, scatter
from alibi_viz.charts.palette import color, figure, floats, ink, mark

HEIGHT = 430
MARKERS = 9  # on a curve, at most
Labels = Mapping[str, str]


def curves(
    lines: Sequence[Line],
    labels: Labels,
    *,
    train_length: float,
    log: tuple[bool, bool],
    dark: bool,
    height: int | None = None,
) -> go.Figure:
    """Perplexity, or the loss above that at L, against length; bands from the smallest to the largest seed.

    Names stand at the right end. train_length: L in the unit of x, marked; log: of x, of y; height: None for the
    stage.
    """
    fig = figure(dark, height)
    fig.add_traces([trace for line in lines if line.has_spread for trace in band(line, dark)])
    for line in lines:
        hover, spread = labels["hover_spread" if line.has_spread else "hover"], floats(np.stack(line.span, axis=1))
        fig.add_trace(scatter(line, dark, hover, markers=MARKERS, customdata=spread, showlegend=False))
    low = min((float(line.span[0].min()) for line in lines), default=1.0)
    high = max((float(line.span[1].max()) for line in lines), default=10.0)
    room = max(0.05 * log10(high / low), 0.02) if log[1] else 0.0
    span = (log10(low) - room, log10(high) + room) if log[1] else (min(0.0, 1.06 * low), 1.06 * high)
    scale = {"type": "log", **log_ticks(10 ** span[0], 10 ** span[1])} if log[1] else {}
    fig.update_yaxes(title_text=labels["y"], range=list(span), **scale)
    fig.update_xaxes(title_text=labels["x"], **_length_scale(lines, train_length, log[0]))
    mark(fig, "x", train_length, labels["train_length"], dark, log=log[0])
    names_at_end(fig, [line for line in lines if line.x[-1] > train_length], span, dark, log=log[1])
    for line in lines:
        if line.ends and line.x[-1] <= train_length:
            _end_sign(fig, line, labels, log, dark)
    fig.update_layout(margin={"r": 96, "t": 12}, legend={"y": -0.2, "yanchor": "top"})
    return fig


def _length_scale(lines: Sequence[Line], train_length: float, log: bool) -> dict[str, Any]:
    """The x axis of all lines; on a log axis the ticks are doublings of L."""
    x = np.concatenate([line.x for line in lines]) if lines else np.array([1.0, 16.0]) * train_length
    low, high = float(x.min()), float(x.max())
    if not log:
        return {"range": [0, 1.02 * high]}
    room = 0.03 * log10(high / low) + 1e-3
    doublings = (train_length * 2.0**power for power in range(-4, 8))
    ticks = [length for length in doublings if 0.99 * low <= length <= 1.01 * high]
    names = {"tickvals": ticks, "ticktext": [f"{length:,g}" for length in ticks]}
    return {"type": "log", "range": [log10(low) - room, log10(high) + room], **names}


def _end_sign(fig: go.Figure, line: Line, labels: Labels, log: tuple[bool, bool], dark: bool) -> None:
    """A bar behind the last point of a line that cannot go on, and a note with its name."""
    shade, x, y = color(line.method, dark), float(line.x[-1]), float(line.y[-1])
    bar = {"symbol": "line-ns", "size": 22, "line": {"width": 3, "color": shade}}
    fig.add_scatter(x=floats([x]), y=floats([y]), mode="markers", marker=bar, hoverinfo="skip", showlegend=False)
    side = "right" if log[0] else "left"  # on a linear axis there is no room between the scale and L
    below = log == (False, False)  # a linear scale of perplexity begins at 0: below the lines it is empty
    arrow = {"arrowhead": 0, "arrowwidth": 1, "arrowcolor": shade, "standoff": 12}
    anchor = {"x": log10(x) if log[0] else x, "y": log10(y) if log[1] else y, "xanchor": side, "align": side}
    anchor |= {"ax": -4 if log[0] else 14, "ay": 56 if below else -78}
    style = {"bgcolor": f"{ink(dark).surface}CC", "font": {"size": 11.5, "color": shade}}
    fig.add_annotation(text=labels["ends"].format(name=line.name), showarrow=True, **anchor, **arrow, **style)
