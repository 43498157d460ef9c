"""Charts of the Compare page: what each method adds at each distance, and how far each head reaches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.palette import figure, floats, mark, method_line, method_marker

LOWEST, HIGHEST = -10.5, 4.5  # a penalty of 10 leaves less than 1/20,000 of the weight: below it nothing is visible

Line = tuple[str, str, np.ndarray, np.ndarray]  # key of the method, its title, x, y


def curves(
    lines: Sequence[Line], words: Mapping[str, str], *, dark: bool, log: bool, farthest: int, trained: int
) -> go.Figure:
    """What is added to a score, against the distance in tokens. Both axes are fixed."""
    fig = figure(dark, 420)
    for name, title, distances, added in lines:
        fig.add_trace(
            go.Scatter(
                x=floats(distances),
                y=floats(added),
                name=title,
                mode="lines+markers",
                line=method_line(name, dark),
                marker=method_marker(name, dark, len(distances)),
                hovertemplate=words["hover_added"],
            )
        )
    fig.update_yaxes(title_text=words["added"], range=[LOWEST, HIGHEST], zeroline=True)
    fig.update_xaxes(title_text=words["distance"], separatethousands=True, exponentformat="none")
    if log:
        fig.update_xaxes(type="log", dtick=1, range=[-0.02, log10(max(farthest, 2)) + 0.02])
    else:
        fig.update_xaxes(range=[0, max(farthest, 2)])
    if trained <= farthest:
        mark(fig, "x", trained, words["trained"], dark, log=log)
    fig.update_layout(legend={"itemsizing": "constant"})
    return fig


def reach(
    lines: Sequence[Line], words: Mapping[str, str], *, dark: bool, heads: int, chosen: int, past: int
) -> go.Figure:
    """Tokens that hold a share of the weight, one column a head, one line a method; the chosen head is marked."""
    fig = figure(dark, 360)
    for name, title, head, tokens in lines:
        # Distance 0 has no place on a log axis; the keys 0..D are D + 1 tokens.
        fig.add_trace(
            go.Scatter(
                x=floats(head),
                y=floats(tokens) + np.float32(1),
                name=title,
                mode="lines+markers",
                line={**method_line(name, dark), "width": 1.2},
                marker={**method_marker(name, dark, 1), "size": 9},
                hovertemplate=words["hover_reach"],
            )
        )
    mark(fig, "x", chosen, words["chosen"], dark)
    fig.update_xaxes(title_text=words["head"], range=[0.5, heads + 0.5], dtick=1)
    fig.update_yaxes(title_text=words["tokens"], type="log", dtick=1, range=[-0.08, log10(max(past, 2)) + 0.35])
    fig.update_yaxes(exponentformat="none", separatethousands=True)
    return fig
