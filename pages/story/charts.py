"""Charts of the story: how weight falls with distance, where trained heads attend, and what was measured beyond L."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from alibi_viz.charts.lines import Line
from alibi_viz.charts.palette import color, figure, floats, ink

if TYPE_CHECKING:
    from pages.story.study import Profile

FARTHEST = 1024  # tokens
Labels = Mapping[str, str]


def falls(slopes: Sequence[float], labels: Labels) -> list[Line]:
    """e^(-m d) of every head."""
    distances, name = np.geomspace(1, FARTHEST, 97), labels["head"]
    return [
        Line("accent", name.format(head=head, slope=slope), distances, np.exp(-slope * distances))
        for head, slope in enumerate(slopes, start=1)
    ]


def family(lines: Sequence[Line], labels: Labels, *, dark: bool) -> go.Figure:
    fig, look = figure(dark), {"color": ink(dark).accent, "width": 2 if len(lines) <= 16 else 1.3}
    for line in lines:
        hover = f"{line.name}<br>{labels['hover_family']}"
        points = {"x": floats(line.x), "y": floats(line.y), "name": line.name, "hovertemplate": hover}
        fig.add_trace(go.Scatter(mode="lines", line=look, **points))
    fig.update_xaxes(
        title_text=labels["distance"], type="log", tickvals=[1, 4, 16, 64, 256, 1024], range=[0, np.log10(FARTHEST)]
    )
    fig.update_yaxes(title_text=labels["weight"], range=[0, 1.03])
    return fig.update_layout(showlegend=False)


def attended(profiles: Sequence["Profile"], labels: Labels, titles: Mapping[str, str], *, dark: bool) -> go.Figure:
    """For each method, the share of the weight within a distance: at L, and at the longer text."""
    fig, rows = figure(dark), -(-len(profiles) // 2)
    names = [titles[profile.method] for profile in profiles]
    spacing = {"horizontal_spacing": 0.09, "vertical_spacing": 0.16}
    make_subplots(rows, 2, subplot_titles=names, shared_xaxes=True, shared_yaxes=True, figure=fig, **spacing)
    fig.update_annotations(font={"size": 14, "color": ink(dark).text})
    for number, profile in enumerate(profiles):
        place = {"row": number // 2 + 1, "col": number % 2 + 1}
        length = len(profile.at_length)
        for values, name, dash in ((profile.at_length, "short", "solid"), (profile.beyond, "long", "dot")):
            line = {"color": color(profile.method, dark), "dash": dash, "width": 2.5}
            hover = labels["hover_share"]
            points = {"x": floats(np.arange(1, len(values) + 1)), "y": floats(values.cumsum()), "hovertemplate": hover}
            legend = {"name": labels[name], "showlegend": False}
            fig.add_trace(go.Scatter(mode="lines", line=line, **points, **legend), **place)
        fig.add_vline(x=length, line={"color": ink(dark).quiet, "width": 1, "dash": "dot"}, **place)
    for name, dash in (("short", "solid"), ("long", "dot")):  # one legend for all panels, in no method's colour
        line = {"color": ink(dark).faint, "dash": dash, "width": 2.5}
        fig.add_trace(go.Scatter(x=[None], y=[None], mode="lines", line=line, name=labels[name]), row=1, col=1)
    longest = max(len(profile.beyond) for profile in profiles)
    ticks = [4**power for power in range(12) if 4**power <= longest]
    fig.update_xaxes(type="log", range=[0, np.log10(longest)], tickvals=ticks)
    fig.update_xaxes(title_text=labels["within"], row=rows)
    fig.update_yaxes(range=[0, 1.03], tickformat=".0%")
    fig.update_yaxes(title_text=labels["share"], row=(rows + 1) // 2, col=1)
    return fig.update_layout(margin={"t": 64}, legend={"y": 1.1})


def ceiling(lines: Sequence[Line], least: float) -> float:
    """Where the axis of a loss ends, so that the two lowest lines are told apart; higher ones leave the picture."""
    lowest = sorted(lines, key=lambda line: float(line.y[-1]))[:2]
    return max(5 * least, *(1.5 * float(line.span[1].max()) for line in lowest))
