"""Chart of the Attention lesson: one row of weights."""

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.palette import figure, floats, ink

NAMED = 40  # tokens up to which every key has its name on the axis


def row(
    tokens: Sequence[str],
    weights: np.ndarray,
    without_bias: np.ndarray | None,
    labels: Mapping[str, str],
    *,
    dark: bool,
    edge: int | None = None,
) -> go.Figure:
    """Weights of one query over all keys, float32 [T], and those without the bias, where there is one.

    edge: a key before which a line is drawn, named by words["edge"].
    """
    fig, colours = figure(dark, 260), ink(dark)
    keys, few = floats(range(len(tokens))), len(tokens) <= NAMED
    # Plotly reads some tags and entities, so the reader's text is escaped.
    names = [f"{position} “{escape(token, quote=False)}”" for position, token in enumerate(tokens)]
    common = {"x": keys, "customdata": names, "hovertemplate": labels["hover"]}
    bar = {"color": colours.accent, "line": {"width": 0}}
    fig.add_trace(go.Bar(y=floats(weights), name=labels["with"], marker=bar, **common))
    if without_bias is not None:
        line = {"color": colours.second, "width": 1.5, "shape": "hvh"}
        look = {"mode": "markers+lines" if few else "lines", "marker": {"size": 5, "symbol": "diamond"}, "line": line}
        fig.add_trace(go.Scatter(y=floats(without_bias), name=labels["without"], **look, **common))
    top = max(float(x.max()) for x in (weights, without_bias) if x is not None)
    fig.update_yaxes(title_text=labels["weight"], range=[0, 1.04 * top])
    fig.update_xaxes(title_text=labels["key"], range=[-0.6, len(tokens) - 0.4])
    if edge is not None:
        dotted = {"color": colours.text, "width": 1, "dash": "dot"}
        fig.add_vline(x=edge - 0.5, line=dotted, annotation_text=labels["edge"])
    if few:
        ticks = [escape(shortened(token), quote=False) for token in tokens]
        fig.update_xaxes(tickmode="array", tickvals=keys, ticktext=ticks, tickangle=-45)
    return fig


def shortened(token: str, most: int = 12) -> str:
    """A token for an axis or a sentence."""
    return token if len(token) <= most else token[: most - 1] + "…"
