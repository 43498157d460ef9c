"""Charts of the Slopes page: the ladder of slopes, and how far each head looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, log2, log10

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


def reach(half: Sequence[float], ninety: Sequence[float], words: Mapping[str, str], *, dark: bool) -> go.Figure:
    """Distances in tokens, one column a head, on a log axis: where the weight halves, and what holds 90% of it."""
    fig = figure(dark, 300)
    colour = ink(dark)
    heads = floats(range(1, len(half) + 1))
    for values, name, symbol, filled in (
        (ninety, words["ninety"], "circle", True),
        (half, words["half"], "circle-open", False),
    ):
        shown = [max(v, 0.5) if v != float("inf") else None for v in values]
        fig.add_trace(
            go.Scatter(
                x=heads,
                y=floats([v if v is not None else float("nan") for v in shown]),
                mode="markers",
                name=name,
                marker={
                    "color": colour.accent if filled else colour.second,
                    "symbol": symbol,
                    "size": _size(len(half)),
                },
                hovertemplate=words["hover_reach"],
            )
        )
    fig.update_xaxes(title_text=words["head"], range=[0.4, len(half) + 0.6], dtick=_tick(len(half)))
    fig.update_yaxes(title_text=words["tokens"], type="log", dtick=1, exponentformat="none", separatethousands=True)
    return fig


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
