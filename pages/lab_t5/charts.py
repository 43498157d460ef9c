"""Charts of the T5 lab: the staircase of buckets, and the bias that the buckets give."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.palette import LOOKS, UNTRAINED, color, figure, floats, mark

if TYPE_CHECKING:
    from pages.lab_t5.study import Result


HEADROOM = 0.1  # of the values' span: above the points stands the name of the training length


def by_bucket(
    result: "Result",
    values: np.ndarray,
    labels: Mapping[str, str],
    axis: str,
    *,
    dark: bool,
    height: int | None = None,
) -> go.Figure:
    """A staircase over the distances: T5's color where training uses the bucket, red where it never does.

    values: bucket or bias of each distance, [S]; axis: its name for the reader. Without a height it fills the stage.
    """
    fig, distances, trained = figure(dark, height), result.distances, result.trained[result.buckets]
    for name, chosen, look in (("trained", trained, LOOKS["t5"]), ("untrained", ~trained, UNTRAINED)):
        marker = {"color": color(look, dark), "size": 6, "symbol": look.marker}
        points = {"x": floats(distances[chosen]), "y": floats(values[chosen]), "mode": "markers", "marker": marker}
        if chosen.any():
            fig.add_trace(go.Scatter(name=labels[name], hovertemplate=labels["hover"], **points))
    if result.controls.train_length <= distances[-1]:
        mark(fig, "x", result.controls.train_length, labels["train_length"], dark)
    fig.update_xaxes(title_text=labels["distance"], range=[float(distances[0]) - 2, float(distances[-1]) + 2])
    low, high = float(values.min()), float(values.max())
    room = HEADROOM * max(high - low, 1e-3)
    fig.update_yaxes(title_text=axis, range=[low - room / 3, high + room])
    fig.update_layout(showlegend=True)
    return fig
