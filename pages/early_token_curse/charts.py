"""Charts of the Early token curse lesson: windows over a sentence, the trade over a long text, what the runs gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from alibi_viz.charts.lines import Line, length_axis, level, log_ticks, with_error_bars
from alibi_viz.charts.palette import figure, floats, ink, mark

if TYPE_CHECKING:
    from pages.early_token_curse.study import Plan, Positions, Result, Trade

SMALLEST = 10  # pixels: a word in a cell is cut, never made smaller
GRID, BARS = 0.6, 0.4  # of the height: the passes, and the context of every word
HEIGHT = 420  # pixels
TRADE_LOOKS = {"nonoverlapping": ("solid", "square"), "quarter": ("solid", "circle"), "one": ("dot", "diamond")}
Labels = Mapping[str, str]
Span = tuple[float, float]


def windows(
    plan: Plan,
    text: Sequence[str],
    labels: Labels,
    *,
    least: int,
    rows: int,
    dark: bool,
) -> go.Figure:
    """One row a pass through the model, one column a word, and under them the context of every word.

    least: a word with less context counts as cursed. rows: room for passes, the same for both protocols.
    """
    fig = figure(dark, HEIGHT)
    make_subplots(rows=2, cols=1, shared_xaxes=True, row_heights=[GRID, BARS], vertical_spacing=0.06, figure=fig)
    legend = {"itemclick": False, "itemdoubleclick": False}
    fig.update_layout(margin={"l": 44, "r": 4, "t": 34, "b": 40})
    fig.update_layout(barmode="overlay", bargap=0.12, uniformtext={"minsize": SMALLEST, "mode": "show"}, legend=legend)
    fig.add_traces(_cells(plan, text, labels, least, dark), rows=1, cols=1)
    first, second = {"row": 1, "col": 1}, {"row": 2, "col": 1}
    fig.add_traces(_contexts(plan, labels, least, dark), rows=2, cols=1)
    bare = {"showgrid": False, "ticks": "", "showline": False}
    fig.update_yaxes(title_text=labels["pass"], range=[rows + 0.5, 0.5], **first, **bare)
    fig.update_yaxes(tickvals=list(range(1, len(plan.read) + 1)), **first)
    fig.update_yaxes(title_text=labels["context"], range=[0, len(text) + 0.6], showticklabels=False, **second, **bare)
    fig.update_xaxes(range=[0.5, len(text) + 0.5], **bare)
    fig.update_xaxes(tickvals=list(range(1, len(text) + 1)), ticktext=_short(text), **second)
    return fig


def _contexts(plan: Plan, labels: Labels, least: int, dark: bool) -> list[go.Bar]:
    """The context of every word."""
    context, color = plan.context, ink(dark)
    text = {"text": context.astype(str), "textposition": "outside", "textfont": {"size": 12, "color": color.text}}
    places = {"x": floats(np.arange(len(context)) + 2), "cliponaxis": False}
    fill = {"color": np.where(context >= least, color.accent, color.second)}
    shown = {"hovertemplate": labels["hover_context"], "showlegend": False}
    return [go.Bar(y=floats(context), marker=fill, **shown, **text, **places)]


def _cells(plan: Plan, text: Sequence[str], labels: Labels, least: int, dark: bool) -> list[go.Bar]:
    """Every word in every pass: it counts (with enough context or too little), is only read, or stands outside."""
    enough = np.append(0, plan.context) >= least  # [words]; the first word is never predicted
    choices = [plan.counted & enough, plan.counted, plan.read]
    kinds = np.select(choices, ["enough", "poor", "read"], "outside")  # [passes, words]
    color = ink(dark)
    looks = {
        "enough": (color.accent, color.surface),
        "poor": (color.second, color.surface),
        "read": (color.grid, color.text),
        "outside": ("rgba(0,0,0,0)", color.quiet),
    }
    inside = {"textposition": "inside", "constraintext": "inside", "insidetextanchor": "middle", "textangle": 0}
    traces = []
    for kind, (fill, text_color) in looks.items():
        rows, columns = np.nonzero(kinds == kind)
        cells: dict[str, Any] = {
            "x": floats([0.94] * len(rows)),
            "base": floats(columns + 0.53),
            "y": floats(rows + 1),
            "text": np.array(_short(text))[columns].tolist(),
            "customdata": np.array(text)[columns].tolist(),
            "marker": {"color": fill, "line": {"width": 0}},
            "textfont": {"color": text_color, "size": 14},
        }
        hover = {"hovertemplate": labels[f"hover_{kind}"]} if kind != "outside" else {"hoverinfo": "skip"}
        traces.append(
            go.Bar(name=labels[kind], orientation="h", showlegend=kind != "outside", **cells, **inside, **hover)
        )
    return traces


def _short(text: Sequence[str]) -> list[str]:
    """Words cut to what a cell can show on a phone; hovering shows them whole."""
    most = max(3, 42 // len(text))
    return [word if len(word) <= most else word[: most - 1] + "…" for word in text]


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
