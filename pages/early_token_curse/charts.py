"""Charts of the Early token curse page: windows over a sentence, the trade over a long text, and what the runs gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log10

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from alibi_viz.charts.palette import figure, floats, ink, mark, method_line, method_marker, template

SMALLEST = 10  # pixels: a word in a cell is cut, never made smaller
GRID, BARS = 212, 104  # pixels: the passes; the context of every word
Words = Mapping[str, str]


@dataclass(frozen=True)
class Line:
    """One line of a chart. `low` and `high` are the spread of the seeds, if there is one."""

    method: str  # its colour, dash and marker
    name: str
    x: np.ndarray
    y: np.ndarray
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    hollow: bool = False  # open markers: a second family of the same methods
    own: bool = False  # the reader's, with a long name: in a legend of their own, below the chart


def windows(
    passes: Sequence[tuple[int, int, int]],
    context: np.ndarray,
    text: Sequence[str],
    words: Words,
    *,
    least: int,
    rows: int,
    dark: bool,
) -> go.Figure:
    """One row a pass through the model, one column a word, and under them the context of every word.

    passes: first word read, word after the last one read, first word whose prediction counts; words are numbered from 0.
    context: [len(text) - 1], of the words 1, 2, ... rows: room for passes, the same for charts that stand side by side; the
    height never changes, so that dragging moves nothing else.
    """
    fig = go.Figure(make_subplots(rows=2, cols=1, shared_xaxes=True, row_heights=[GRID, BARS], vertical_spacing=0.06))
    fig.update_layout(template=template(dark), height=GRID + BARS + 104, margin={"l": 44, "r": 4, "t": 34, "b": 40})
    fig.update_layout(bargap=0.12, uniformtext={"minsize": SMALLEST, "mode": "show"})
    fig.update_layout(barmode="overlay", legend={"itemclick": False, "itemdoubleclick": False})
    _cells(fig, passes, context, text, words, least, dark)
    _context(fig, context, words, least, dark)
    count = len(passes)
    fig.update_yaxes(range=[rows + 0.5, 0.5], showgrid=False, ticks="", showline=False, row=1, col=1)
    fig.update_yaxes(tickvals=list(range(1, count + 1)), title_text=words["pass"], row=1, col=1)
    fig.update_yaxes(range=[0, len(text) + 0.6], showgrid=False, showticklabels=False, ticks="", row=2, col=1)
    fig.update_yaxes(title_text=words["context"], row=2, col=1)
    fig.update_xaxes(range=[0.5, len(text) + 0.5], showgrid=False, ticks="", showline=False)
    fig.update_xaxes(tickvals=list(range(1, len(text) + 1)), ticktext=_short(text), row=2, col=1)
    return fig


def _cells(
    fig: go.Figure,
    passes: Sequence[tuple[int, int, int]],
    context: np.ndarray,
    text: Sequence[str],
    words: Words,
    least: int,
    dark: bool,
) -> None:
    """Every word in every pass: it counts (with enough context or too little), is only read, or stands outside."""
    colour, short = ink(dark), _short(text)
    kinds: dict[str, list[tuple[int, int]]] = {"enough": [], "poor": [], "read": [], "outside": []}
    for row, (begin, end, first) in enumerate(passes, start=1):
        for word in range(len(text)):
            if first <= word <= end:
                kinds["enough" if context[word - 1] >= least else "poor"].append((row, word))
            else:
                kinds["read" if begin <= word < first else "outside"].append((row, word))
    looks = {
        "enough": (colour.accent, colour.surface),
        "poor": (colour.second, colour.surface),
        "read": (colour.grid, colour.text),
        "outside": ("rgba(0,0,0,0)", colour.quiet),
    }
    for kind, places in kinds.items():
        fill, ink_of_text = looks[kind]
        fig.add_trace(
            go.Bar(
                x=floats([0.94] * len(places)),
                base=floats([word + 0.53 for _, word in places]),
                y=floats([row for row, _ in places]),
                orientation="h",
                marker={"color": fill, "line": {"width": 0}},
                text=[short[word] for _, word in places],
                customdata=[text[word] for _, word in places],
                textposition="inside",
                constraintext="inside",
                insidetextanchor="middle",
                textangle=0,
                textfont={"color": ink_of_text, "size": 14},
                name=words[kind],
                showlegend=kind != "outside",
                hoverinfo="skip" if kind == "outside" else None,
                hovertemplate=None if kind == "outside" else words[f"hover_{kind}"],
            ),
            row=1,
            col=1,
        )


def _short(text: Sequence[str]) -> list[str]:
    """Words cut to what a cell can show on a phone; hovering shows them whole."""
    most = max(3, 42 // len(text))
    return [word if len(word) <= most else word[: most - 1] + "…" for word in text]


def _context(fig: go.Figure, context: np.ndarray, words: Words, least: int, dark: bool) -> None:
    """A bar a word, and the line of too little context."""
    colour = ink(dark)
    bars = go.Bar(
        x=floats(np.arange(len(context)) + 2),
        y=floats(context),
        marker={"color": [colour.accent if one >= least else colour.second for one in context]},
        text=[str(one) for one in context],
        textposition="outside",
        textfont={"size": 12, "color": colour.text},
        cliponaxis=False,
        showlegend=False,
        hovertemplate=words["hover_context"],
    )
    fig.add_trace(bars, row=2, col=1)


TRADE_DASHES = {"nonoverlapping": "solid", "quarter": "solid", "one": "dot"}
TRADE_MARKERS = {"nonoverlapping": "square", "quarter": "circle", "one": "diamond"}


def trade(lines: Sequence[tuple[str, np.ndarray, np.ndarray]], words: Words, *, quantity: str, dark: bool) -> go.Figure:
    """A share (linear, in percent) or a cost (log) against the length of the window, one line a protocol.

    quantity: "share" or "cost".
    """
    fig, colour = figure(dark, 340), ink(dark)
    for name, lengths, values in lines:
        shade = colour.second if name == "nonoverlapping" else colour.accent
        fig.add_trace(
            go.Scatter(
                x=floats(lengths),
                y=floats(values * (100 if quantity == "share" else 1)),
                name=words[name],
                mode="lines+markers",
                line={"color": shade, "dash": TRADE_DASHES[name], "width": 2},
                marker={"symbol": TRADE_MARKERS[name], "size": 8, "color": shade},
                hovertemplate=words[f"hover_{quantity}"],
            )
        )
    _lengths(fig, words["window"], lines[0][1])
    fig.update_yaxes(title_text=words[quantity])
    if quantity == "share":
        fig.update_yaxes(range=[-3, 103], ticksuffix=" %", dtick=25)
    else:
        fig.update_yaxes(type="log", range=[-0.15, 4.05], dtick=1, exponentformat="none", separatethousands=True)
    return fig


def _lengths(fig: go.Figure, title: str, lengths: np.ndarray) -> None:
    """A log axis of lengths, labelled with the lengths themselves, not more than fit on a phone."""
    powers = [2**power for power in range(2, 14) if lengths.min() <= 2**power <= lengths.max()]
    shown = powers[:: -(-len(powers) // 6)]
    fig.update_xaxes(type="log", title_text=title, tickvals=shown, ticktext=[f"{one:,}" for one in shown])
    fig.update_xaxes(range=[log10(lengths.min()) - 0.06, log10(lengths.max()) + 0.06])


def curves(
    lines: Sequence[Line],
    words: Words,
    *,
    title: str,
    ends: tuple[float, float],
    lengths: np.ndarray,
    trained: int | None,
    dark: bool,
) -> go.Figure:
    """Perplexity against the length of the window; the axes are the caller's, so that two charts can share them.

    ends: lowest and highest perplexity shown. trained: the length to mark.
    """
    fig = _with_own(figure(dark, 400), lines)
    for line in lines:
        fig.add_trace(_scatter(line, words["hover_curve"], dark))
    _lengths(fig, words["window"], lengths)
    low, high = ends
    fig.update_yaxes(title_text=title, type="log", range=[log10(low), log10(high)], **_ticks(low, high))
    if trained is not None:
        mark(fig, "x", trained, words["trained"], dark, log=True)
    return fig


def _ticks(low: float, high: float) -> dict[str, object]:
    """A few round numbers on a log axis: 1, 2, 5 and their tens, or whole numbers where the axis is short."""
    if high / low > 6:
        values = [base * 10**power for power in range(-1, 5) for base in (1, 2, 5)]
    else:
        step = next(one for one in (0.1, 0.2, 0.5, 1, 2, 5, 10) if (high - low) / one <= 8)
        values = [step * count for count in range(1, int(high / step) + 1)]
    shown = [round(one, 6) for one in values if low <= one <= high]
    return {"tickvals": shown, "ticktext": [f"{one:g}" for one in shown]}


def _with_own(fig: go.Figure, lines: Sequence[Line]) -> go.Figure:
    """Room below the chart for the names of the reader's own lines: in one legend, the longest name sets every width."""
    own = sum(line.own for line in lines)
    if own:
        legend2 = {"orientation": "v", "x": 0, "y": -0.24, "yanchor": "top", "font": {"size": 12.5}}
        fig.update_layout(height=fig.layout.height + 20 * own + 24, legend2=legend2)
    return fig


def _scatter(line: Line, hover: str, dark: bool) -> go.Scatter:
    """A line with the spread of its seeds; open markers where `hollow`."""
    look, marker = method_line(line.method, dark), {**method_marker(line.method, dark, 1), "size": 8}
    if line.hollow:
        marker |= {"symbol": f"{marker['symbol']}-open", "line": {"width": 1.5}}
        look |= {"width": 1.2}
    spread = None
    if line.low is not None and line.high is not None:
        spread = {
            "type": "data",
            "symmetric": False,
            "array": floats(line.high - line.y),
            "arrayminus": floats(line.y - line.low),
            "thickness": 1,
            "width": 3,
        }
    return go.Scatter(
        x=floats(line.x),
        y=floats(line.y),
        name=line.name,
        mode="lines+markers",
        line=look,
        marker=marker,
        error_y=spread,
        hovertemplate=hover,
        legend="legend2" if line.own else "legend",
    )


def places(line: Line, words: Words, *, length: int, level: float, needed: int, trained: int, dark: bool) -> go.Figure:
    """Loss against the place in the window, with the level that the method has with enough context."""
    fig, colour = figure(dark, 360), ink(dark)
    if needed > 1:
        fig.add_vrect(x0=0.85, x1=needed - 0.5, fillcolor=colour.second, opacity=0.13, line_width=0)
    fig.add_trace(_scatter(line, words["hover_place"], dark))
    _level(fig, level, words["level"], dark)
    if trained < length:
        mark(fig, "x", trained, words["trained"], dark, log=True)
    _lengths(fig, words["place"], np.array([1, length]))
    shown = [one for one in (1, 2, 4, 8, 16, 32, 64, 128, 512, 2048) if one <= length]
    fig.update_xaxes(tickvals=shown, ticktext=[f"{one:,}" for one in shown], range=[log10(0.85), log10(length * 1.15)])
    fig.update_yaxes(title_text=words["loss"], range=[1.2, 3.95])
    fig.update_layout(showlegend=False)
    return fig


def _level(fig: go.Figure, y: float, text: str, dark: bool) -> None:
    """A dotted line across, named at its left end, below it: where these charts have no data."""
    faint = ink(dark).faint
    fig.add_hline(y=y, line={"color": faint, "width": 1, "dash": "dot"})
    label = {"text": text, "showarrow": False, "font": {"size": 12, "color": faint}}
    fig.add_annotation(x=0.01, xref="x domain", xanchor="left", y=y, yanchor="top", **label)


def recall(lines: Sequence[Line], words: Words, *, chance: float, trained: int, dark: bool) -> go.Figure:
    """Share of right answers, in percent, against the distance of the key.

    Lines that lie on each other stay visible: the first is drawn last, and each later one has larger marks behind it.
    """
    fig = _with_own(figure(dark, 420), lines)
    for behind in reversed(range(len(lines))):
        made = _scatter(lines[behind], words["hover_recall"], dark)
        made.marker.size = 9 if lines[behind].own else 7 + 1.7 * behind
        fig.add_trace(made)
    mark(fig, "x", trained, words["farthest"], dark, log=True)
    _level(fig, 100 * chance, words["chance"], dark)
    _lengths(fig, words["distance"], np.concatenate([line.x for line in lines]))
    fig.update_yaxes(title_text=words["right"], range=[-3, 117], ticksuffix=" %", dtick=25)
    fig.update_layout(legend={"traceorder": "reversed"})
    return fig


def formulas(predictions: int, length: int, stride: int) -> list[str]:
    """Loss and perplexity, where windows begin, and how many there are, with the numbers of the reader's sentence."""
    count = 1 + max(-(-(predictions - length) // stride), 0)
    return [
        r"\text{loss} = -\frac{1}{M}\sum_{i=1}^{M} \ln p\big(x_{i+1} \mid x_{b(i)} \dots x_i\big)",
        r"\text{perplexity} = e^{\,\text{loss}}",
        r"\text{windows} = 1 + \Big\lceil \frac{\max(M - W,\, 0)}{S} \Big\rceil",
        rf"\text{{sliding: }} 1 + \Big\lceil \frac{{\max({predictions} - {length},\, 0)}}{{{stride}}} \Big\rceil = {count}",
    ]
