"""Charts of the lesson on a model of the reader's: how far every head looks, one small chart a layer."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from alibi_viz.charts.palette import color, figure, floats, ink

if TYPE_CHECKING:
    from pages.models.study import LayerReach

COLUMNS, HEIGHT, MOST = 3, 150, 48  # charts in a row; pixels of a row; layers
Quantity = Literal["mean", "holding"]


def reach(
    layers: Sequence["LayerReach"],
    quantity: Quantity,
    method: str,
    labels: Mapping[str, str],
    *,
    tokens: int,
    dark: bool,
) -> go.Figure:
    """A mark a head: what it does on the text, and what its positions alone would do. The axes are the same for all."""
    shown = layers[:MOST]
    rows = -(-len(shown) // COLUMNS)
    titles = [labels["layer"].replace("{n}", str(number)) for number in range(1, len(shown) + 1)]
    fig = figure(dark, 110 + HEIGHT * rows)
    options = {"shared_xaxes": True, "shared_yaxes": True, "horizontal_spacing": 0.03}
    spacing = 0.3 / rows if rows > 1 else 0.0
    make_subplots(rows=rows, cols=COLUMNS, subplot_titles=titles, vertical_spacing=spacing, figure=fig, **options)
    for number, layer in enumerate(shown):
        fig.add_traces(
            _layer(layer, quantity, method, labels, dark, legend=number == 0),
            rows=number // COLUMNS + 1,
            cols=number % COLUMNS + 1,
        )
    heads = len(layers[0].measured.mean)
    fig.update_xaxes(range=[0.4, heads + 0.6], dtick=max(1, heads // 8))
    fig.update_yaxes(range=[-0.03 * tokens, 1.03 * tokens])
    fig.update_yaxes(title_text=labels["tokens"], col=1)
    fig.update_xaxes(title_text=labels["head"], row=rows)
    fig.update_annotations(font={"size": 13, "color": ink(dark).text})
    fig.update_layout(margin={"t": 70}, legend={"y": 1 + 45 / (HEIGHT * rows), "orientation": "h"})
    return fig


def _layer(
    layer: "LayerReach", quantity: Quantity, method: str, labels: Mapping[str, str], dark: bool, *, legend: bool
) -> list[go.Scatter]:
    """The line between the two marks of a head, and the marks."""
    measured, alone = getattr(layer.measured, quantity), getattr(layer.alone, quantity)
    heads, own, colours = np.arange(1, len(measured) + 1), color(method, dark), ink(dark)
    between = np.stack([alone, measured, np.full_like(measured, np.nan)], axis=1).ravel()
    line = {"color": colours.quiet, "width": 1.5}
    silent = {"mode": "lines", "line": line, "hoverinfo": "skip", "showlegend": False}
    traces = [go.Scatter(x=floats(np.repeat(heads, 3)), y=floats(between), **silent)]
    for values, name, fill, size in ((alone, "alone", colours.surface, 11), (measured, "measured", own, 6)):
        marker = {"color": fill, "size": size, "line": {"width": 1.5, "color": own}}
        points = {"x": floats(heads), "y": floats(values), "mode": "markers", "marker": marker}
        look = {"name": labels[name], "hovertemplate": labels["hover"], "legendgroup": name, "showlegend": legend}
        traces.append(go.Scatter(**points, **look))
    return traces
