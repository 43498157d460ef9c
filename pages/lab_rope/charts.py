"""Charts of the RoPE lab: tokens for a full turn, and the average score against distance. (The clocks are a component.)"""

from collections.abc import Mapping
from math import log10
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.curves import against_distance, curve
from alibi_viz.charts.palette import color, figure, floats, ink, mark

if TYPE_CHECKING:
    from pages.lab_rope.study import Average, Result


def wavelengths(result: "Result", labels: Mapping[str, str], *, dark: bool) -> go.Figure:
    """Tokens that each pair needs for a full turn; a filled mark made a full turn in training."""
    fig, strong, train_length = figure(dark, 320), color("rope", dark), result.controls.train_length
    pairs, faint = np.arange(len(result.wavelengths)), {"color": ink(dark).faint, "width": 1.5, "dash": "dash"}
    fig.add_trace(curve(pairs, result.plain_wavelengths, labels["plain"], faint, labels["hover"]))
    marks = (("full", result.full_turn, strong), ("part", ~result.full_turn, ink(dark).surface))
    for name, chosen, fill in marks:
        marker = {"color": fill, "size": 9, "symbol": "square", "line": {"width": 1.5, "color": strong}}
        points = {"x": floats(pairs[chosen]), "y": floats(result.wavelengths[chosen]), "marker": marker}
        fig.add_trace(go.Scatter(name=labels[name], mode="markers", hovertemplate=labels["hover"], **points))
    mark(fig, "y", train_length, labels["train_length"], dark, log=True)
    fig.update_xaxes(title_text=labels["pair"], range=[-0.6, len(pairs) - 0.4])
    top = max(float(result.wavelengths.max()), float(result.plain_wavelengths.max()), train_length)
    fig.update_yaxes(title_text=labels["turn"], type="log", dtick=1, range=[0.6, log10(top) + 0.3])
    return fig


def score(result: "Result", average: "Average", labels: Mapping[str, str], *, dark: bool) -> go.Figure:
    """The average score against distance, with the chosen scaling and without any."""
    curves, top = {labels["scaled"]: average.score}, max(1.05, float(average.score.max()) + 0.05)
    if result.controls.scaling != "none":
        curves[labels["plain"]] = average.plain_score
    train_length, span = result.controls.train_length, (-0.6, top)
    return against_distance(curves, average.distances, "rope", labels, dark=dark, span=span, train_length=train_length)
