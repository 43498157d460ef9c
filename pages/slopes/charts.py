"""Charts of the Slopes lesson: the slope of every head and its reach; and the formula."""

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, floor, log2, log10
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from alibi_viz.charts.palette import figure, floats, ink

if TYPE_CHECKING:
    from pages.slopes.study import Result


_FAMILIES = ("family_power", "family_extra")


def slopes(result: "Result", labels: Mapping[str, str], *, dark: bool) -> go.Figure:
    """Two charts over the same heads: the slopes, and how far each head looks.

    The least slope on the axis follows from the largest exponent, so that dragging the heads does not move the axis.
    """
    titles, heads = (labels["ladder"], labels["reach"]), result.heads
    fig = figure(dark, 590)
    make_subplots(rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.13, subplot_titles=titles, figure=fig)
    fig.update_layout(margin={"t": 64}, legend={"y": 1.06})
    fig.update_annotations(x=0, xanchor="left", font={"size": 15, "color": ink(dark).text})
    size = 11 if heads <= 24 else 8 if heads <= 64 else 6
    fig.add_traces(_slopes(result, labels, size, dark), rows=1, cols=1)
    fig.add_traces(_reach(result, labels, max(size - 2, 5), dark), rows=2, cols=1)
    positive = [slope for slope in result.slopes if slope > 0]
    axis = _powers_of_two(min([2.0**-result.controls.max_bias, *positive]), max([1.0, *positive]))
    fig.update_yaxes(title_text=labels["slope"], row=1, col=1, **axis)
    every = next(step for step in (1, 2, 4, 8, 16, 32) if heads / step <= 20)
    fig.update_xaxes(range=[0.4, heads + 0.6], dtick=every)
    fig.update_xaxes(title_text=labels["head"], row=2, col=1)
    fig.update_yaxes(title_text=labels["tokens"], type="log", dtick=1, row=2, col=1)
    return fig


def _slopes(result: "Result", labels: Mapping[str, str], size: int, dark: bool) -> list[go.Scatter]:
    """One marker a head, the two families in two colours."""
    looks = zip(_FAMILIES, (ink(dark).accent, ink(dark).second), ("circle", "diamond"), strict=True)
    families, values, traces = np.array(result.families), np.array(result.slopes, dtype=np.float64), []
    for family, (name, colour, symbol) in enumerate(looks):
        chosen = np.flatnonzero((families == family) & (values > 0))
        marker = {"color": colour, "symbol": symbol, "size": size}
        points = {"x": floats(chosen + 1), "y": values[chosen], "mode": "markers", "marker": marker}
        if len(chosen):
            traces.append(go.Scatter(name=labels[name], hovertemplate=labels["hover_slope"], **points))
    return traces


def _reach(result: "Result", labels: Mapping[str, str], size: int, dark: bool) -> list[go.Scatter]:
    """Distances in tokens: an open mark where the weight halves, a filled one at how many keys hold 90% of it."""
    colour, heads = ink(dark), np.arange(1, result.heads + 1, dtype=np.float64)
    # For a log axis: at least half a token, and NaN, which is not drawn, for a head that never forgets. Float64: a slope
    # of 2^-128 halves beyond the range of float32.
    low, high = (np.where(np.isinf(tokens), np.nan, np.maximum(tokens, 0.5)) for tokens in (result.half, result.reach))
    shades = [(colour.accent, colour.second)[family] for family in result.families]
    between = np.stack([low, high, np.full_like(low, np.nan)], axis=1).ravel()
    silent = {"line": {"color": colour.quiet, "width": 1.5}, "hoverinfo": "skip", "showlegend": False}
    traces = [go.Scatter(x=np.repeat(heads, 3), y=between, mode="lines", **silent)]
    for values, name, fill in ((low, "half", colour.surface), (high, "ninety", shades)):
        marker = {"color": fill, "size": size, "line": {"width": 2, "color": shades}}
        points = {"x": heads, "y": values, "mode": "markers", "marker": marker}
        traces.append(go.Scatter(name=labels[name], hovertemplate=labels["hover_reach"], **points))
    return traces


def _powers_of_two(lowest: float, highest: float) -> dict[str, Any]:
    """A log axis labelled with powers of two, at most ten of them."""
    top, bottom = ceil(log2(highest)), floor(log2(lowest))
    exponents = range(top, bottom - 1, -max(1, -(-(top - bottom) // 10)))
    ticks = {"tickvals": [2.0**exponent for exponent in exponents], "ticktext": [_fraction(e) for e in exponents]}
    return {"type": "log", "range": [log10(lowest) - 0.06, log10(highest) + 0.06], **ticks}


def _fraction(exponent: int) -> str:
    """2^exponent as a reader says it: 8, 1, 1/2, 1/256, and 2^-20 once the fraction gets long."""
    if exponent >= 0:
        return f"{2**exponent}"
    return f"1/{2**-exponent:,}" if exponent >= -11 else f"2<sup>−{-exponent}</sup>"


def formula(result: "Result") -> list[str]:
    """The rule in LaTeX, then the slopes that it gives: the first three and the last."""
    rule, top, power, heads = result.controls.rule, f"{result.controls.max_bias:g}", result.power, result.heads
    if rule == "own list":
        return [r"m_h = \text{your numbers}"]
    general = "m_h = 2^{-h}" if rule == "2^-h" else rf"m_h = 2^{{-{top} h/n}}"
    if power < heads:
        general = (
            rf"m_h = 2^{{-{top} h/{power}}} \;\; (h \le {power}), \qquad "
            rf"m_{{{power}+k}} = 2^{{-{top} (2k-1)/{2 * power}}} \;\; (k \le {heads - power})"
        )
    parts = [rf"m_{{{head}}} = 2^{{-{_short(exponent)}}}" for head, exponent in enumerate(result.exponents, start=1)]
    if heads > 3:
        parts[3:] = ([r"\;\dots\;"] if heads > 4 else []) + parts[-1:]
    return [general, r",\quad ".join(parts)]


def _short(exponent: Fraction | None) -> str:
    short = "?" if exponent is None else f"{float(exponent):g}"
    return short if len(short) <= 6 else str(exponent)
