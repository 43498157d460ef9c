"""Charts of the lesson “use”: loss against steps or seconds, perplexity beyond L."""

from collections.abc import Mapping, Sequence
from math import log10

import plotly.graph_objects as go

from alibi_viz.charts.lines import Line, band, log_ticks, names_at_end, scatter
from alibi_viz.charts.palette import figure

HIGHEST = 1.5  # times the last loss of the first run: what is higher leaves the picture, which would be flat else
ROOM = 104  # pixels for the names at the right end


def losses(lines: Sequence[Line], labels: Mapping[str, str], x: str, *, dark: bool) -> go.Figure:
    """Training loss; x: a key of `labels`, the title of the x axis. Bands from the smallest to the largest seed."""
    fig = figure(dark)
    fig.add_traces([trace for line in lines if line.has_spread for trace in band(line, dark)])
    fig.add_traces([scatter(line, dark, labels["hover_loss"], markers=6, showlegend=False) for line in lines])
    low = min(float(line.span[0].min()) for line in lines)
    high = max(float(line.y[-1]) for line in lines) * HIGHEST
    span = log10(low * 0.97), log10(high)
    fig.update_yaxes(title_text=labels["loss"], type="log", range=list(span), **log_ticks(low, high))
    end = max(float(line.x[-1]) for line in lines)
    fig.update_xaxes(title_text=labels[x], range=[0, end * 1.02], rangemode="tozero")
    names_at_end(fig, lines, span, dark, log=True)
    fig.update_layout(margin={"r": ROOM, "t": 16})
    return fig
