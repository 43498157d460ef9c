"""The two protocols over one sentence: a row a window, a column a word."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.palette import figure, floats, ink

if TYPE_CHECKING:
    from pages.early_token_curse.study import Plan

KINDS = ("read", "short", "enough")  # of a cell: only read; predicted with too little context, or with enough
GAP = 0.1  # between the two pictures, as a share of the height; the name of the lower one stands in it
LONGEST = 9  # letters of a word below the picture
FEWEST_ROWS = 2  # with one window a row would be a wall


def protocols(
    words: Sequence[str], plans: Sequence[tuple[str, "Plan"]], least: int, labels: Mapping[str, str], *, dark: bool
) -> go.Figure:
    """plans: title of a protocol, and its windows; the first stands on top. A number is the context of a word."""
    colour = ink(dark)
    shades = (colour.grid, colour.second, colour.accent)
    fig = figure(dark)
    rows = [max(len(plan.read), FEWEST_ROWS) for _, plan in plans]
    top, free = 1.0, 1 - GAP * (len(plans) - 1)
    for number, ((title, plan), height) in enumerate(zip(plans, rows, strict=True), start=1):
        axis = "y" if number == 1 else f"y{number}"
        bottom = top - free * height / sum(rows)
        place = {"domain": [max(bottom, 0.0), top], "range": [height - 0.5, -0.5], "showgrid": False, "anchor": "x"}
        fig.update_layout({f"yaxis{axis[1:]}": place | {"dtick": 1, "tickvals": [*range(len(plan.read))], "ticks": ""}})
        fig.update_layout({f"yaxis{axis[1:]}": {"ticktext": [str(row + 1) for row in range(len(plan.read))]}})
        fig.update_layout({f"yaxis{axis[1:]}": {"title": {"text": labels["window"]}}})
        context = np.concatenate([[0], plan.context])
        z = np.where(plan.counted, np.where(context < least, 1, 2), np.where(plan.read, 0, np.nan))
        text = np.where(plan.counted, context.astype(str), "")
        fig.add_trace(
            go.Heatmap(
                z=floats(z),
                zmin=0,
                zmax=2,
                colorscale=[[at, shade] for n, shade in enumerate(shades) for at in (n / 3, (n + 1) / 3)],
                showscale=False,
                xgap=3,
                ygap=3,
                text=text,
                texttemplate="%{text}",
                textfont={"color": colour.surface, "size": 13},
                customdata=np.broadcast_to(np.array(words), z.shape),
                hovertemplate=labels["hover"],
                yaxis=axis,
                _validate=False,
            )
        )
        style = {
            "x": 0,
            "xref": "x domain",
            "xanchor": "left",
            "yanchor": "bottom",
            "yref": "paper",
            "showarrow": False,
        }
        fig.add_annotation(text=f"<b>{title}</b>", y=top, font={"size": 13}, **style)
        top = bottom - GAP
    for kind, shade in zip(KINDS, shades, strict=True):
        marker = {"symbol": "square", "size": 12, "color": shade}
        fig.add_scatter(x=[None], y=[None], mode="markers", marker=marker, name=labels[kind], showlegend=True)
    names = [word if len(word) <= LONGEST else f"{word[: LONGEST - 1]}…" for word in words]
    fig.update_xaxes(tickvals=[*range(len(words))], ticktext=names, showgrid=False, ticks="", anchor="free")
    fig.update_xaxes(position=0, range=[-0.5, len(words) - 0.5], tickangle=0 if len(words) <= 8 else -45)
    fig.update_layout(legend={"y": 1.08}, margin={"t": 62, "l": 44, "b": 30})
    return fig
