"""Charts of runs while they are trained: the loss, and how the model does beyond its training length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

import numpy as np
import plotly.graph_objects as go

from alibi_viz.figures.base import figure, floats, mark, method_line, method_marker

HEIGHT = 300
LOWEST, HIGHEST = 2.0, 300.0  # perplexities of bytes: a good small model, and worse than guessing (256)


@dataclass(frozen=True)
class Line:
    """One run: the method's key and title, and its points."""

    method: str
    title: str
    x: np.ndarray
    y: np.ndarray
    faint: bool = False  # not yet the last word: a sample


def losses(lines: Sequence[Line], words: Mapping[str, str], *, dark: bool, steps: int) -> go.Figure:
    """Training loss against steps. The axes stay while the curves grow."""
    fig = figure(dark, HEIGHT)
    for line in lines:
        fig.add_trace(_trace(line, words["hover_loss"], dark))
    fig.update_xaxes(title_text=words["step"], range=[0, max(steps, 1)])
    fig.update_yaxes(title_text=words["loss"], range=[1.0, 7.0])
    return fig


def lengths(lines: Sequence[Line], words: Mapping[str, str], *, dark: bool, trained: int, shares: bool) -> go.Figure:
    """Perplexity against window length, both logarithmic; for recall the share of right answers against distance."""
    fig = figure(dark, HEIGHT)
    for line in lines:
        fig.add_trace(_trace(line, words["hover_share" if shares else "hover_perplexity"], dark))
    most = max((float(line.x.max()) for line in lines if len(line.x)), default=4.0 * trained)
    ends = (trained / 2, max(most, 4.0 * trained))
    fig.update_xaxes(
        title_text=words["distance" if shares else "length"],
        type="log",
        range=[log10(ends[0]) - 0.06, log10(ends[1]) + 0.06],
        tickvals=[trained * 2.0**n for n in range(-1, 5)],
        ticktext=[f"{trained * 2.0**n:,.0f}" for n in range(-1, 5)],
    )
    if shares:
        fig.update_yaxes(title_text=words["share"], range=[-0.03, 1.03], tickformat=".0%")
    else:
        low, high = _span(lines)
        ticks = [tick for tick in (2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100, 200, 500, 1000) if low <= tick <= high]
        fig.update_yaxes(title_text=words["perplexity"], type="log", range=[log10(low), log10(high)])
        fig.update_yaxes(tickvals=ticks, ticktext=[str(tick) for tick in ticks])
    mark(fig, "x", trained, words["trained"], dark, log=True)
    return fig


def _span(lines: Sequence[Line]) -> tuple[float, float]:
    """Ends of the perplexity axis: steps of a quarter of a decade, so that they stay while the curves move a little."""
    values = np.concatenate([line.y for line in lines] or [np.zeros(0)])
    values = np.clip(values, LOWEST, HIGHEST)
    if not len(values):
        return 3.0, 30.0
    low, high = floor(log10(values.min()) * 4 - 0.2) / 4, ceil(log10(values.max()) * 4 + 0.2) / 4
    return 10**low, 10**high


def _trace(line: Line, hover: str, dark: bool) -> go.Scatter:
    return go.Scatter(
        x=floats(line.x),
        y=floats(line.y),
        name=line.title,
        mode="lines+markers",
        line=method_line(line.method, dark),
        marker=method_marker(line.method, dark, max(len(line.x), 1)),
        opacity=0.55 if line.faint else 1.0,
        hovertemplate=hover,
    )
