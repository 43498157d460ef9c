"""Charts of the Attention page: one row of weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.palette import figure, floats, ink

NAMED = 40  # tokens up to which every key has its name on the axis


def row(
    tokens: Sequence[str],
    weights: np.ndarray,
    plain: np.ndarray | None,
    words: Mapping[str, str],
    *,
    dark: bool,
    edge: int | None = None,
) -> go.Figure:
    """Weights of one query over all keys, float32 [T]; `plain` are those without the bias, None where there is none.

    edge: a key before which a line is drawn, named by words["edge"].
    """
    fig = figure(dark, 260)
    colour = ink(dark)
    places = floats(range(len(tokens)))
    names = [f"{place} “{escape(token)}”" for place, token in enumerate(tokens)]
    fig.add_trace(_bars(places, weights, names, words["with"], colour.accent, words["hover"]))
    if plain is not None:
        fig.add_trace(_line(places, plain, names, words["without"], colour.second, words["hover"]))
    top = max(float(x.max()) for x in (weights, plain) if x is not None)
    fig.update_yaxes(title_text=words["weight"], range=[0, 1.04 * top])
    fig.update_xaxes(title_text=words["key"], range=[-0.6, len(tokens) - 0.4])
    if edge is not None:
        fig.add_vline(
            x=edge - 0.5, line={"color": colour.text, "width": 1, "dash": "dot"}, annotation_text=words["edge"]
        )
    if len(tokens) <= NAMED:
        fig.update_xaxes(
            tickmode="array", tickvals=places, ticktext=[escape(shortened(t)) for t in tokens], tickangle=-45
        )
    return fig


def _bars(places: np.ndarray, weights: np.ndarray, names: list[str], name: str, colour: str, hover: str) -> go.Bar:
    return go.Bar(
        x=places,
        y=floats(weights),
        customdata=names,
        name=name,
        marker={"color": colour, "line": {"width": 0}},
        hovertemplate=hover,
    )


def _line(places: np.ndarray, weights: np.ndarray, names: list[str], name: str, colour: str, hover: str) -> go.Scatter:
    return go.Scatter(
        x=places,
        y=floats(weights),
        customdata=names,
        name=name,
        mode="markers+lines" if len(places) <= NAMED else "lines",
        line={"color": colour, "width": 1.5, "shape": "hvh"},
        marker={"size": 5, "symbol": "diamond"},
        hovertemplate=hover,
    )


def escape(text: str) -> str:
    """A reader's text for Plotly, which reads some tags and entities: as text."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def shortened(token: str, most: int = 12) -> str:
    return token if len(token) <= most else token[: most - 1] + "…"
