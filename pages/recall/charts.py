"""Charts of the Recall lesson: a share of the answers against the distance of the key; and the formula."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.lines import Line, length_axis, level, with_error_bars
from alibi_viz.charts.palette import mark

if TYPE_CHECKING:
    from alibi_viz.results.measured import RecallShare
    from pages.recall.study import Result


def recall(
    lines: Sequence[Line],
    labels: Mapping[str, str],
    share: "RecallShare",
    *,
    chance: float,
    farthest: int,
    dark: bool,
    height: int | None = None,
) -> go.Figure:
    """farthest: the farthest trained distance. height: None for the stage.

    Lines that lie on each other stay visible: the first is drawn last, and each later one has larger marks behind it.
    """
    fig = with_error_bars(lines[::-1], labels["hover_recall"], dark, height)
    for behind, trace in enumerate(fig.data[::-1]):
        trace.marker.size = 7 + 1.7 * behind
    mark(fig, "x", farthest, labels["farthest"], dark, log=True)
    level(fig, chance, labels["chance"], dark)
    length_axis(fig, labels["distance"], np.concatenate([[2, farthest], *(line.x for line in lines)]))
    fig.update_yaxes(title_text=labels[share], range=[-0.03, 1.17], tickformat=".0%", dtick=0.25)
    fig.update_layout(legend={"traceorder": "reversed"})
    return fig


def formula(result: "Result") -> str:
    """When ALiBi gives a far key more weight than a near one, and what it subtracts at the farthest distance."""
    slope, penalty = result.penalty
    rule = r"s_{\text{far}} - m\,d_{\text{far}} > s_{\text{near}} - m\,d_{\text{near}}"
    far = f"{result.far:,}".replace(",", "{,}")
    return rf"{rule}, \qquad m\,d_{{\text{{far}}}} = {far} / {1 / slope:g} = {penalty:.2f}"
