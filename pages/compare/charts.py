"""Charts of the Compare lesson: what each method adds at each distance, and how far each head reaches."""

from collections.abc import Mapping, Sequence
from math import log10

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.lines import Line, length_axis, scatter
from alibi_viz.charts.palette import figure, ink, mark

# A penalty of 10 leaves less than 1/20,000 of the weight: below it nothing is visible. Trained FIRE begins at 7.
LOWEST, HIGHEST = -10.5, 7.5
MARKERS = 9  # on each curve


def curves(
    lines: Sequence[Line], labels: Mapping[str, str], *, dark: bool, log: bool, farthest: int, train_length: int
) -> go.Figure:
    """What is added to a score, against the distance in tokens, as large as the stage. Both axes are fixed."""
    fig = figure(dark)
    fig.add_traces([scatter(line, dark, labels["hover_added"], markers=MARKERS) for line in lines])
    fig.update_yaxes(title_text=labels["added"], range=[LOWEST, HIGHEST], zeroline=True)
    end = max(farthest, 2)
    fig.update_xaxes(title_text=labels["distance_log" if log else "distance"], range=[0, end])
    if log:
        length_axis(fig, labels["distance_log"], np.array([1.0, end]), most=8)
    if train_length <= farthest:
        mark(fig, "x", train_length, labels["trained"], dark, log=log)
        fig.add_vrect(x0=train_length, x1=end, fillcolor=ink(dark).quiet, opacity=0.14, line_width=0, layer="below")
    fig.update_layout(legend={"itemsizing": "constant"})
    return fig


def reach(
    lines: Sequence[Line], labels: Mapping[str, str], *, dark: bool, heads: int, chosen: int, past: int
) -> go.Figure:
    """Tokens that hold a share of the weight, one column a head, one line a method; the chosen head is marked."""
    fig = figure(dark, 360)
    fig.add_traces([scatter(line, dark, labels["hover_reach"]).update(line_width=1.2, marker_size=9) for line in lines])
    mark(fig, "x", chosen, labels["chosen"], dark)
    fig.update_xaxes(title_text=labels["head"], range=[0.5, heads + 0.5], dtick=1)
    fig.update_yaxes(title_text=labels["tokens"], type="log", dtick=1, range=[-0.08, log10(max(past, 2)) + 0.35])
    return fig
