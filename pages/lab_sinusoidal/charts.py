"""Charts of the sinusoidal lab: the waves of one pair, and the dot product of two positions."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.curves import against_distance, curve
from alibi_viz.charts.palette import figure, ink, method_line

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


def alike(result: "Result", labels: Mapping[str, str], *, dark: bool) -> go.Figure:
    """The dot product of two positions against their distance."""
    curves = {labels["alike"]: result.dot_products}
    return against_distance(curves, result.distances, "sinusoidal", labels, dark=dark, span=(-0.6, 1.05))
