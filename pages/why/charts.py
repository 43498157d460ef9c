"""Charts of the lesson on where the break comes from: loss by position in the window, and T5's buckets; and the formula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, floor
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.lines import Line, names_at_end, scatter
from alibi_viz.charts.palette import UNTRAINED, color, figure, floats, ink, mark

if TYPE_CHECKING:
    from pages.why.study import Buckets, PositionLoss

MARKERS = 9  # on a curve, at most
FLOOR = 1e-4  # nats a byte: on a log axis less is drawn here
STRIP = 0.48  # height of a strip of buckets
Labels = Mapping[str, str]


def positions(lines: Sequence[Line], labels: Labels, *, dark: bool, length: int, train_length: int) -> go.Figure:
    """Loss against the position in a window of `length` bytes; L is marked."""
    fig = figure(dark)
    hover = labels["hover_position"]
    fig.add_traces([scatter(line, dark, hover, markers=MARKERS, showlegend=False) for line in lines])
    fig.update_traces(line={"width": 1.6})
    losses = np.concatenate([line.y for line in lines]) if lines else np.array([1.0, 2.0])
    span = (floor(10 * (float(losses.min()) - 0.05)) / 10, float(losses.max()) + 0.15)
    fig.update_yaxes(title_text=labels["loss"], range=list(span))
    fig.update_xaxes(title_text=labels["position"], range=[0, length])
    if train_length <= length:
        mark(fig, "x", train_length, labels["train_length"], dark)
    names_at_end(fig, [line for line in lines if line.x[-1] > 0.8 * length], span, dark, log=False)
    fig.update_layout(margin={"r": 96, "t": 12})
    return fig


def without_heads(costs: Mapping[str, tuple[str, np.ndarray]], labels: Labels, *, dark: bool) -> go.Figure:
    """How much the loss rises without each head, layer by layer. costs: name -> the method, and [layers, heads]."""
    fig, log = figure(dark, 320), {"type": "log", "title_text": labels["ablated_y"]}
    for name, (method, values) in costs.items():
        layers, heads = values.shape
        x = np.concatenate([layer * (heads + 1) + np.arange(1, heads + 1) for layer in range(layers)])
        line = Line(method, name, x, values.ravel().clip(min=FLOOR))
        fig.add_trace(scatter(line, dark, labels["hover_probe"], mode="markers"))
    places = [(layer * (heads + 1) + head, str(head)) for layer in range(layers) for head in range(1, heads + 1)]
    ticks = {"tickvals": [x for x, _ in places], "ticktext": [name for _, name in places]}
    fig.update_xaxes(title_text=labels["ablated_x"], showgrid=False, **ticks)
    fig.update_yaxes(**log)
    return fig


def bucket_strips(cases: Mapping[str, Buckets], labels: Labels, *, dark: bool) -> go.Figure:
    """T5's buckets as a strip of cells, one strip a case. cases: name -> its buckets."""
    fig = figure(dark, 110 + 84 * len(cases))
    alarm, clear = color(UNTRAINED, dark), "rgba(0,0,0,0)"
    hatch = {"shape": "x", "fgcolor": alarm, "size": 7, "solidity": 0.35}
    looks = {
        "trained": {"color": color("t5", dark), "line": {"width": 0}},
        "untrained": {"color": clear, "line": {"width": 1.5, "color": alarm}, "pattern": hatch},
        "unused": {"color": clear, "line": {"width": 1, "color": ink(dark).quiet}},
    }
    for state, look in looks.items():
        cells = [  # x, lower end, nearest distance, percent of the pairs
            (bucket, -row - STRIP / 2, buckets.nearest[bucket], 100 * buckets.share[bucket])
            for row, buckets in enumerate(cases.values())
            for bucket in np.flatnonzero(buckets.state == state)
        ]
        table = floats(cells).reshape(-1, 4)
        bars = {"x": table[:, 0], "base": table[:, 1], "customdata": table[:, 2:], "width": 0.84}
        hover = labels["hover_unused" if state == "unused" else "hover_bucket"]
        fig.add_bar(y=floats([STRIP] * len(cells)), name=labels[state], marker=look, hovertemplate=hover, **bars)
    count = max(len(buckets.state) for buckets in cases.values())
    fig.update_xaxes(title_text=labels["bucket"], range=[-0.7, count - 0.3], showgrid=False, dtick=4)
    names = [name.replace(": ", ":<br>").replace(", ", ",<br>") for name in cases]  # short lines, for phones
    fig.update_yaxes(tickvals=[-row for row in range(len(cases))], ticktext=names, showgrid=False, ticks="")
    fig.update_yaxes(range=[-len(cases) + 0.4, 0.6], automargin=True)
    fig.update_layout(barmode="overlay", legend={"y": 1.04}, margin={"t": 40})
    return fig


def formula(loss: PositionLoss) -> list[str]:
    """The loss at a position, and what the mean of one method before L means as a perplexity."""
    rule = r"\text{loss}(n) = -\ln p(x_{n+1} \mid x_1 \dots x_n)"
    return [rf"{rule}, \qquad e^{{{loss.before:.2f}}} = {exp(loss.before):.2f}"]
