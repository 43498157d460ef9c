"""Charts of the sinusoidal lab: how similar two positions are, and the waves of one pair."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.curves import curve
from alibi_viz.charts.palette import color, figure, floats, ink, method_line

if TYPE_CHECKING:
    from pages.lab_sinusoidal.study import Result

BEHIND = 8  # pairs drawn faintly


def waves(result: "Result", labels: Mapping[str, str], *, dark: bool) -> go.Figure:
    """Sine and cosine of one pair along the positions; some of the other pairs faintly behind."""
    fig, table, pair = figure(dark, 300), result.table, result.controls.pair
    positions, pairs = np.arange(len(table)), table.shape[1] // 2
    faint, hidden = {"color": ink(dark).grid, "width": 1}, {"showlegend": False, "hoverinfo": "skip"}
    for other in np.unique(np.linspace(0, pairs - 1, min(BEHIND, pairs)).astype(int)):
        fig.add_trace(curve(positions, table[:, 2 * other], "", faint, labels["hover"], **hidden))
    for column, name, dash in ((2 * pair, "sin", "solid"), (2 * pair + 1, "cos", "dash")):
        line = method_line("sinusoidal", dark) | {"dash": dash}
        fig.add_trace(curve(positions, table[:, column], labels[name], line, labels["hover"]))
    fig.update_xaxes(title_text=labels["position"], range=[0, max(len(table) - 1, 1)])
    fig.update_yaxes(title_text=labels["value"], range=[-1.08, 1.08])
    return fig


def similarity(result: "Result", names: tuple[str, str], labels: Mapping[str, str], *, dark: bool) -> go.Figure:
    """The similarity of two positions against their distance: from one pair of dimensions, and from the whole vector.

    names: of the two curves. The point is the largest similarity of two different positions.
    """
    fig, colour, at = figure(dark), ink(dark), result.closest
    looks = (
        {"color": colour.faint, "width": 1.5, "dash": "dash"},
        method_line("sinusoidal", dark, 3) | {"dash": "solid"},
    )
    for values, name, line in zip((result.one_pair, result.dot_products), names, looks, strict=True):
        fig.add_trace(curve(result.distances, values, name, line, labels["hover_similarity"]))
    marker = {"color": colour.surface, "size": 11, "line": {"width": 2.5, "color": color("sinusoidal", dark)}}
    point = {"x": floats([at]), "y": floats([result.dot_products[at]]), "mode": "markers", "marker": marker}
    fig.add_trace(go.Scatter(name=labels["closest"], hovertemplate=labels["hover_similarity"], **point))
    fig.update_xaxes(title_text=labels["distance"], range=[-0.5, float(result.distances[-1])])
    fig.update_yaxes(title_text=labels["similarity"], range=[-1.08, 1.08], zeroline=True, zerolinecolor=colour.quiet)
    return fig
