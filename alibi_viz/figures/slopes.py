"""Charts of the Slopes page: the ladder of slopes, and how far each head looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, log2, log10

import numpy as np
import plotly.graph_objects as go

from alibi_viz.figures.base import figure, floats, ink


def ladder(
    slopes: Sequence[float],
    families: Sequence[int],
    words: Mapping[str, str],
    *,
    dark: bool,
    highest: float,
    lowest: float,
) -> go.Figure:
    """Slopes on a log2 axis, one marker a head, the two families in two colours.

    slopes: one a head, in head order. families: 0 or 1 a head. highest, lowest: the axis' range, fixed by the page so
    that dragging does not move the ground under the reader.
    """
    fig = figure(dark, 340)
    colour = ink(dark)
    for family, name in enumerate((words["family_power"], words["family_extra"])):
        heads = [h + 1 for h, (f, m) in enumerate(zip(families, slopes, strict=True)) if f == family and m > 0]
        if heads:
            fig.add_trace(
                go.Scatter(
                    x=floats(heads),
                    y=floats([slopes[h - 1] for h in heads]),
                    mode="markers",
                    name=name,
                    marker={
                        "color": (colour.accent, colour.second)[family],
                        "size": _size(len(slopes)),
                        "symbol": ("circle", "diamond")[family],
                    },
                    hovertemplate=words["hover_slope"],
                )
            )
    fig.update_xaxes(title_text=words["head"], range=[0.4, len(slopes) + 0.6], dtick=_tick(len(slopes)))
    fig.update_yaxes(title_text=words["slope"], type="log", dtick="L1")
    _powers_of_two(fig, lowest, highest)
    fig.update_layout(showlegend=1 in families)
    return fig


def reach(
    half: Sequence[float], ninety: Sequence[float], families: Sequence[int], words: Mapping[str, str], *, dark: bool
) -> go.Figure:
    """Distances in tokens, one column a head, on a log axis: where the weight halves, and what holds 90% of it.

    half, ninety: tokens, one a head. A head that never forgets (infinite) has no mark.
    """
    fig = figure(dark, 300)
    colour = ink(dark)
    heads = np.arange(1, len(half) + 1, dtype=np.float64)
    low, high = (_drawable(values) for values in (half, ninety))
    shades = [(colour.accent, colour.second)[family] for family in families]
    gap = np.full_like(low, np.nan)
    fig.add_trace(
        go.Scatter(
            x=np.repeat(heads, 3),
            y=np.stack([low, high, gap], axis=1).ravel(),
            mode="lines",
            line={"color": colour.quiet, "width": 1.5},
            hoverinfo="skip",
            showlegend=False,
        )
    )
    for values, name, filled in ((low, words["half"], False), (high, words["ninety"], True)):
        marker = {"color": shades if filled else colour.surface, "size": _size(len(half))}
        line = {"width": 2, "color": shades}
        hover = words["hover_reach"]
        fig.add_trace(
            go.Scatter(
                x=heads, y=values, mode="markers", name=name, marker=marker | {"line": line}, hovertemplate=hover
            )
        )
    fig.update_xaxes(title_text=words["head"], range=[0.4, len(half) + 0.6], dtick=_tick(len(half)))
    fig.update_yaxes(title_text=words["tokens"], type="log", dtick=1, exponentformat="none", separatethousands=True)
    return fig


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
