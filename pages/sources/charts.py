"""The chart of the Sources lesson: the largest difference of every comparison, on a log axis."""

from collections.abc import Mapping, Sequence
from math import log10
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from alibi_viz.charts.palette import figure, ink, mark

if TYPE_CHECKING:
    from pages.sources.study import Check

LEAST = 1e-9  # where a difference of 0 stands


def differences(
    checks: Sequence["Check"], names: Mapping[str, str], labels: Mapping[str, str], epsilon: float, *, dark: bool
) -> go.Figure:
    """A filled dot: the largest difference. An open one: the largest that the test allows. Exact ones stand at the left."""
    fig, look = figure(dark), ink(dark)
    rows = [names[check.check] for check in checks]
    found, allowed = ([max(getattr(check, part), LEAST) for check in checks] for part in ("difference", "bound"))
    between = [value for pair in zip(found, allowed, strict=True) for value in (*pair, None)]
    lines = {"line": {"color": look.quiet, "width": 1.5}, "hoverinfo": "skip", "showlegend": False}
    fig.add_trace(
        go.Scatter(
            x=between, y=[row for row in rows for _ in range(3)], mode="lines", name=labels["difference"], **lines
        )
    )
    for values, name, fill in ((allowed, "bound", look.surface), (found, "difference", look.accent)):
        marker = {"size": 11, "color": fill, "line": {"width": 2, "color": look.accent}}
        texts = [labels["exact"] if value <= LEAST else f"{value:.2g}" for value in values]
        hover = {"customdata": texts, "hovertemplate": "%{y}: %{customdata}"}
        fig.add_trace(go.Scatter(x=values, y=rows, name=labels[name], mode="markers", marker=marker, **hover))
    powers = range(-8, -2)
    ticks = {
        "tickvals": [LEAST, *(10.0**p for p in powers)],
        "ticktext": [labels["exact"], *(f"10<sup>−{-p}</sup>" for p in powers)],
    }
    fig.update_xaxes(type="log", title_text=labels["x"], range=[log10(LEAST) - 0.3, -2.7], **ticks)
    fig.update_yaxes(type="category", autorange="reversed", automargin=True, showgrid=True)
    mark(fig, "x", epsilon, labels["epsilon"], dark, log=True)
    fig.update_layout(margin={"l": 10, "t": 34})
    return fig
