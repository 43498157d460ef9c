"""Charts of the Early token curse lesson: the trade over a long text, what the runs gave. (Windows are a view.)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.lines import Line, length_axis, level, log_ticks, with_error_bars
from alibi_viz.charts.palette import figure, floats, ink, mark

if TYPE_CHECKING:
    from pages.early_token_curse.study import Positions, Result, Trade

TRADE_LOOKS = {"nonoverlapping": ("solid", "square"), "quarter": ("solid", "circle"), "one": ("dot", "diamond")}
Labels = Mapping[str, str]
Span = tuple[float, float]


def trade(trades: Sequence[Trade], labels: Labels, *, quantity: str, dark: bool) -> go.Figure:
    """The share in percent (quantity "share") or the cost (quantity "cost") by window length, one line a protocol."""
    fig, color = figure(dark, 340), ink(dark)
    for row in trades:
        values = 100 * row.share if quantity == "share" else row.cost
        shade = color.second if row.protocol == "nonoverlapping" else color.accent
        dash, symbol = TRADE_LOOKS[row.protocol]
        look = {"line": {"color": shade, "dash": dash}, "marker": {"symbol": symbol, "size": 8, "color": shade}}
        points = {"x": floats(row.window), "y": floats(values), "mode": "lines+markers"}
        fig.add_scatter(name=labels[row.protocol], hovertemplate=labels[f"hover_{quantity}"], **points, **look)
    length_axis(fig, labels["window"], trades[0].window)
    percent = {"range": [-3, 103], "ticksuffix": " %", "dtick": 25}
    scale = percent if quantity == "share" else {"type": "log", "range": [-0.15, 4.05], "dtick": 1}
    fig.update_yaxes(title_text=labels[quantity], **scale)
    return fig


def perplexity(
    lines: Sequence[Line], labels: Labels, y: str, *, span: Span, lengths: np.ndarray, dark: bool, train_length: int = 0
) -> go.Figure:
    """Perplexity against the length of the window. Two charts of the same span and lengths share their axes.

    y: "perplexity" (per byte) or "perplexity_word"; span: lowest and highest value; train_length: marked, unless 0.
    """
    fig = with_error_bars(lines, labels["hover_curve"], dark, 400)
    length_axis(fig, labels["window"], lengths)
    fig.update_yaxes(title_text=labels[y], type="log", range=[log10(end) for end in span], **log_ticks(*span))
    if train_length:
        mark(fig, "x", train_length, labels["train_length"], dark, log=True)
    return fig


def positions(line: Line, losses: Positions, labels: Labels, *, dark: bool) -> go.Figure:
    """Loss against the position in the window, with the level that the method has with enough context."""
    fig, length = with_error_bars([line], labels["hover_position"], dark, 360), losses.last[-1]
    if losses.needed > 1:
        fig.add_vrect(x0=0.85, x1=losses.needed - 0.5, fillcolor=ink(dark).second, opacity=0.13, line_width=0)
    level(fig, losses.level, labels["level"], dark)
    if losses.level_to < length:
        mark(fig, "x", losses.level_to, labels["train_length"], dark, log=True)
    length_axis(fig, labels["position"], np.array([1, length]), most=8)
    fig.update_yaxes(title_text=labels["loss"], range=[1.2, 3.95])
    fig.update_layout(showlegend=False)
    return fig


LOSS = (
    r"\text{loss} = -\frac{1}{M}\sum_{i=1}^{M} \ln p\big(x_{i+1} \mid x_{b(i)} \dots x_i\big), "
    r"\qquad \text{perplexity} = e^{\,\text{loss}}"
)


def formula(result: Result) -> str:
    """How many windows there are, with the numbers of the reader's sentence."""
    predictions, window, stride = len(result.controls.words) - 1, result.controls.window, result.controls.stride
    count = 1 + max(-(-(predictions - window) // stride), 0)
    windows = r"\text{windows} = 1 + \Big\lceil \tfrac{\max(M - W,\, 0)}{S} \Big\rceil"
    numbers = rf"1 + \Big\lceil \tfrac{{\max({predictions} - {window},\, 0)}}{{{stride}}} \Big\rceil = {count}"
    return f"{windows} = {numbers}"
