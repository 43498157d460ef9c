"""The chart of the damage: the mistake and the correct version along something."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from alibi_viz.charts.curves import curve
from alibi_viz.charts.palette import UNTRAINED, color, figure, ink

if TYPE_CHECKING:
    from alibi_viz.pitfalls import Damage


def damage(measured: "Damage", labels: Mapping[str, str], *, dark: bool) -> go.Figure:
    """labels: "wrong", "right", "x", "y" and "hover"."""
    fig = figure(dark, 270)
    looks = {"right": (color("alibi", dark), "solid"), "wrong": (color(UNTRAINED, dark), "dash")}
    rows = {"right": measured.right_y, "wrong": measured.wrong_y}
    for name, (tint, dash) in looks.items():
        line = {"color": tint, "width": 2.2, "dash": dash}
        fig.add_trace(curve(measured.x, rows[name], labels[name], line, labels["hover"], showlegend=True))
    fig.update_xaxes(title_text=labels["x"])
    fig.update_yaxes(title_text=labels["y"], rangemode="tozero", zeroline=True, zerolinecolor=ink(dark).quiet)
    fig.update_layout(margin={"t": 30, "l": 60})
    return fig
