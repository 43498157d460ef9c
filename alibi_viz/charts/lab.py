"""Charts of the labs, one function a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, log10

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.palette import UNTRAINED, color, figure, floats, ink, mark, method_line

DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
MARKERS = ("circle", "square", "diamond", "triangle-up", "x", "star")


def _line(
    x: np.ndarray, y: np.ndarray, name: str, line: Mapping[str, object], hover: str, **options: object
) -> go.Scatter:
    return go.Scatter(
        x=floats(x), y=floats(y), name=name, mode="lines", line=dict(line), hovertemplate=hover, **options
    )


def waves(table: np.ndarray, pair: int, words: Mapping[str, str], *, dark: bool) -> go.Figure:
    """Sine and cosine of one pair along the positions; every other pair faintly behind (at most eight of them)."""
    fig = figure(dark, 300)
    positions, pairs = np.arange(len(table)), table.shape[1] // 2
    for other in np.unique(np.linspace(0, pairs - 1, min(8, pairs)).astype(int)):
        faint = {"color": ink(dark).grid, "width": 1}
        fig.add_trace(
            _line(positions, table[:, 2 * other], "", faint, words["hover"], showlegend=False, hoverinfo="skip")
        )
    strong = method_line("sinusoidal", dark) | {"dash": "solid"}
    fig.add_trace(_line(positions, table[:, 2 * pair], words["sin"], strong, words["hover"]))
    fig.add_trace(_line(positions, table[:, 2 * pair + 1], words["cos"], strong | {"dash": "dash"}, words["hover"]))
    fig.update_xaxes(title_text=words["position"], range=[0, max(len(table) - 1, 1)])
    fig.update_yaxes(title_text=words["value"], range=[-1.08, 1.08])
    return fig


def against_distance(
    lines: Sequence[tuple[str, np.ndarray]],
    distances: np.ndarray,
    method: str,
    words: Mapping[str, str],
    *,
    dark: bool,
    span: tuple[float, float],
    trained: int | None = None,
) -> go.Figure:
    """One or two curves of a method against the distance: the first solid, the second dashed and faint."""
    fig = figure(dark, 300)
    for number, (name, values) in enumerate(lines):
        line = method_line(method, dark) | {"dash": "solid"}
        if number:
            line = {"color": ink(dark).faint, "width": 1.5, "dash": "dash"}
        fig.add_trace(_line(distances, values, name, line, words["hover"]))
    fig.update_xaxes(title_text=words["distance"], range=[0, max(float(distances[-1]), 1)])
    fig.update_yaxes(title_text=words["alike"], range=list(span), zeroline=True, zerolinecolor=ink(dark).quiet)
    if trained is not None and trained <= distances[-1]:
        mark(fig, "x", trained, words["trained"], dark)
    fig.update_layout(showlegend=len(lines) > 1)
    return fig


def wavelengths(
    scaled: np.ndarray, plain: np.ndarray, trained: int, words: Mapping[str, str], *, dark: bool
) -> go.Figure:
    """Tokens that each pair needs for a full turn; a filled mark turns fully within the training length."""
    fig = figure(dark, 320)
    colour, pairs = method_line("rope", dark)["color"], np.arange(len(scaled))
    fig.add_trace(
        _line(pairs, plain, words["plain"], {"color": ink(dark).faint, "width": 1.5, "dash": "dash"}, words["hover"])
    )
    for name, chosen, filled in ((words["full"], scaled <= trained, True), (words["part"], scaled > trained, False)):
        marker = {"color": colour if filled else ink(dark).surface, "size": 9, "symbol": "square"}
        fig.add_trace(
            go.Scatter(
                x=floats(pairs[chosen]),
                y=floats(scaled[chosen]),
                mode="markers",
                name=name,
                marker=marker | {"line": {"width": 1.5, "color": colour}},
                hovertemplate=words["hover"],
            )
        )
    mark(fig, "y", trained, words["trained"], dark, log=True)
    fig.update_xaxes(title_text=words["pair"], range=[-0.6, len(scaled) - 0.4])
    top = max(float(scaled.max()), float(plain.max()), float(trained))
    fig.update_yaxes(title_text=words["turn"], type="log", dtick=1, range=[0.6, log10(top) + 0.3])
    fig.update_yaxes(exponentformat="none", separatethousands=True)
    return fig


def by_bucket(
    distances: np.ndarray,
    values: np.ndarray,
    trained: np.ndarray,
    words: Mapping[str, str],
    axis: str,
    *,
    dark: bool,
    length: int,
) -> go.Figure:
    """A staircase over the distances: T5's colour where training touches the bucket, red where it never does.

    values: bucket or bias of each distance; trained: bool of each distance.
    """
    fig = figure(dark, 300)
    lost = color(UNTRAINED, dark)
    for name, chosen, colour, symbol in (
        (words["touched"], trained, method_line("t5", dark)["color"], "diamond"),
        (words["untouched"], ~trained, lost, "x"),
    ):
        if chosen.any():
            fig.add_trace(
                go.Scatter(
                    x=floats(distances[chosen]),
                    y=floats(values[chosen]),
                    mode="markers",
                    name=name,
                    marker={"color": colour, "size": 5, "symbol": symbol},
                    hovertemplate=words["hover"],
                )
            )
    if length <= distances[-1]:
        mark(fig, "x", length, words["trained"], dark)
    fig.update_xaxes(title_text=words["distance"], range=[float(distances[0]) - 2, float(distances[-1]) + 2])
    fig.update_yaxes(title_text=axis)
    return fig


def shapes(
    lines: Sequence[tuple[str, np.ndarray]], distances: np.ndarray, words: Mapping[str, str], *, dark: bool
) -> go.Figure:
    """The penalty of every shape against the distance; below -10 nothing is visible in the weights."""
    fig = figure(dark, 340)
    colours = (ink(dark).quiet, ink(dark).accent, ink(dark).second, "#009E73", "#7B4EA3" if not dark else "#B08BD6")
    for number, (name, values) in enumerate(lines):
        line = {"color": (*colours, "#CC79A7")[number], "dash": DASHES[(number - 1) % len(DASHES)], "width": 2}
        shown = np.where(np.isfinite(values), values, -1e4)  # beyond the window: straight down, off the chart
        fig.add_trace(_line(distances, shown, name, line, words["hover"]))
    fig.update_xaxes(title_text=words["distance"], range=[0, float(distances[-1])])
    fig.update_yaxes(title_text=words["penalty"], range=[-10.5, 0.5])
    return fig


def training(path: np.ndarray, best: float, words: Mapping[str, str], *, dark: bool) -> go.Figure:
    """Slopes of every head, step by step, on a log axis; the dotted line is the best slope."""
    fig = figure(dark, 300)
    steps = np.arange(len(path))
    for head in range(path.shape[1]):
        line = {"color": ink(dark).accent, "width": 1.5, "dash": DASHES[head % len(DASHES)]}
        values = np.where(path[:, head] > 0, path[:, head], np.nan)
        fig.add_trace(_line(steps, values, words["head_n"].format(n=head + 1), line, words["hover_training"]))
    mark(fig, "y", best, words["best"], dark, log=True)
    low = min(float(path[path > 0].min(initial=1.0)), best)
    fig.update_xaxes(title_text=words["step"], range=[0, len(path) - 1])
    fig.update_yaxes(title_text=words["slope"], type="log", dtick=1, range=[floor(log10(low)), 0.3])
    return fig
