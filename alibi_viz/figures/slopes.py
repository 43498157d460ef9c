"""Charts of the Slopes page: the ladder of slopes, and how far each head looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, log2, log10

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from alibi_viz.figures.base import floats, ink, template


def slopes(
    slopes: Sequence[float],
    families: Sequence[int],
    half: Sequence[float],
    ninety: Sequence[float],
    words: Mapping[str, str],
    *,
    dark: bool,
    lowest: float,
) -> go.Figure:
    """Two charts over the same heads: the ladder of slopes, and how far each head looks.

    slopes: one a head, in head order; families: 0 or 1 a head; half, ninety: tokens, one a head. lowest: the least slope
    that the axis shows, fixed by the page so that dragging does not move the ground under the reader.
    """
    fig = go.Figure(
        make_subplots(
            rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.13, subplot_titles=(words["ladder"], words["reach"])
        )
    )
    fig.update_layout(template=template(dark), height=590, margin={"t": 64}, legend={"y": 1.06})
    fig.update_annotations(x=0, xanchor="left", font={"size": 15, "color": ink(dark).text})
    _ladder(fig, slopes, families, words, dark)
    _reach(fig, half, ninety, families, words, dark)
    positive = [m for m in slopes if m > 0]
    _powers_of_two(fig, min([lowest, *positive]), max([1.0, *positive]))
    fig.update_xaxes(range=[0.4, len(slopes) + 0.6], dtick=_tick(len(slopes)))
    fig.update_xaxes(title_text=words["head"], row=2, col=1)
    fig.update_yaxes(title_text=words["tokens"], type="log", dtick=1, row=2, col=1)
    return fig


def _ladder(
    fig: go.Figure, slopes: Sequence[float], families: Sequence[int], words: Mapping[str, str], dark: bool
) -> None:
    """Slopes on a log2 axis, one marker a head, the two families in two colours."""
    colour = ink(dark)
    for family, name in enumerate((words["family_power"], words["family_extra"])):
        heads = [h + 1 for h, (f, m) in enumerate(zip(families, slopes, strict=True)) if f == family and m > 0]
        if heads:
            marker = {
                "color": (colour.accent, colour.second)[family],
                "size": _size(len(slopes)),
                "symbol": ("circle", "diamond")[family],
            }
            values = np.array([slopes[h - 1] for h in heads], dtype=np.float64)
            trace = go.Scatter(
                x=floats(heads), y=values, mode="markers", name=name, marker=marker, hovertemplate=words["hover_slope"]
            )
            fig.add_trace(trace, row=1, col=1)
    fig.update_yaxes(title_text=words["slope"], type="log", row=1, col=1)


def _reach(
    fig: go.Figure,
    half: Sequence[float],
    ninety: Sequence[float],
    families: Sequence[int],
    words: Mapping[str, str],
    dark: bool,
) -> None:
    """Distances in tokens on a log axis: an open mark where the weight halves, a filled one at what holds 90% of it.

    A head that never forgets (infinite) has no mark.
    """
    colour = ink(dark)
    heads = np.arange(1, len(half) + 1, dtype=np.float64)
    low, high = (_drawable(values) for values in (half, ninety))
    shades = [(colour.accent, colour.second)[family] for family in families]
    between = go.Scatter(
        x=np.repeat(heads, 3),
        y=np.stack([low, high, np.full_like(low, np.nan)], axis=1).ravel(),
        mode="lines",
        line={"color": colour.quiet, "width": 1.5},
        hoverinfo="skip",
        showlegend=False,
    )
    fig.add_trace(between, row=2, col=1)
    for values, name, filled in ((low, words["half"], False), (high, words["ninety"], True)):
        marker = {
            "color": shades if filled else colour.surface,
            "size": max(_size(len(half)) - 2, 5),
            "line": {"width": 2, "color": shades},
        }
        trace = go.Scatter(
            x=heads, y=values, mode="markers", name=name, marker=marker, hovertemplate=words["hover_reach"]
        )
        fig.add_trace(trace, row=2, col=1)


def _drawable(values: Sequence[float]) -> np.ndarray:
    """Distances for a log axis: at least half a token; NaN, which is not drawn, for an infinite one. Float64: a slope of
    2^-128 halves beyond the range of float32."""
    return np.array([max(v, 0.5) if v != float("inf") else np.nan for v in values], dtype=np.float64)


def _size(heads: int) -> int:
    return 11 if heads <= 24 else 8 if heads <= 64 else 6


def _tick(heads: int) -> int:
    return next(step for step in (1, 2, 4, 8, 16, 32) if heads / step <= 20)


def _powers_of_two(fig: go.Figure, lowest: float, highest: float) -> None:
    """Label a log axis with powers of two, at most ten of them."""
    top, bottom = ceil(log2(highest)), floor(log2(lowest))
    step = max(1, -(-(top - bottom) // 10))
    exponents = range(top, bottom - 1, -step)
    fig.update_yaxes(
        row=1,
        col=1,
        tickmode="array",
        tickvals=[2.0**e for e in exponents],
        ticktext=[_power(e) for e in exponents],
        range=[log10(lowest) - 0.06, log10(highest) + 0.06],
    )


def _power(exponent: int) -> str:
    """2^exponent as a reader says it: 8, 1, 1/2, 1/256, and 2^-20 once the fraction gets long."""
    if exponent >= 0:
        return f"{2**exponent}"
    return f"1/{2**-exponent:,}" if exponent >= -11 else f"2<sup>−{-exponent}</sup>"
