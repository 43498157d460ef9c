"""Curves with a look of their own, and curves of one method against the distance."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.palette import figure, floats, ink, mark, method_line


def curve(
    x: np.ndarray, y: np.ndarray, name: str, line: Mapping[str, object], hover: str, **options: object
) -> go.Scatter:
    """A curve without markers. x, y: [points]; line: Plotly's color, dash and width."""
    fixed = {"mode": "lines", "line": dict(line), "hovertemplate": hover}
    return go.Scatter(x=floats(x), y=floats(y), name=name, _validate=False, **(fixed | options))


def against_distance(
    curves: Mapping[str, np.ndarray],
    distances: np.ndarray,
    method: str,
    labels: Mapping[str, str],
    *,
    dark: bool,
    span: tuple[float, float],
    train_length: int | None = None,
) -> go.Figure:
    """Curves of one method over the same distances: the first solid, the others dashed and faint.

    curves: name for the reader -> values [S]; distances: [S]; span: the ends of the y axis.
    """
    fig, faint = figure(dark, 300), {"color": ink(dark).faint, "width": 1.5, "dash": "dash"}
    for number, (name, values) in enumerate(curves.items()):
        line = faint if number else method_line(method, dark) | {"dash": "solid"}
        fig.add_trace(curve(distances, values, name, line, labels["hover"]))
    fig.update_xaxes(title_text=labels["distance"], range=[0, max(float(distances[-1]), 1)])
    fig.update_yaxes(title_text=labels["alike"], range=list(span), zeroline=True, zerolinecolor=ink(dark).quiet)
    if train_length is not None and train_length <= distances[-1]:
        mark(fig, "x", train_length, labels["train_length"], dark)
    fig.update_layout(showlegend=len(curves) > 1)
    return fig
