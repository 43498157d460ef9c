"""Charts of the Slopes lesson: the reach of every head; and the formula."""

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.palette import figure, ink

if TYPE_CHECKING:
    from pages.slopes.study import Result


def reach(result: "Result", labels: Mapping[str, str], *, dark: bool) -> go.Figure:
    """How far each head looks."""
    fig, heads = figure(dark, 360), result.heads
    size = 11 if heads <= 24 else 8 if heads <= 64 else 6
    fig.add_traces(_reach(result, labels, max(size - 2, 5), dark))
    every = next(step for step in (1, 2, 4, 8, 16, 32) if heads / step <= 20)
    fig.update_xaxes(title_text=labels["head"], range=[0.4, heads + 0.6], dtick=every)
    fig.update_yaxes(title_text=labels["tokens"], type="log", dtick=1)
    return fig


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
