"""The Plotly chart of the ALiBi lab: slopes that are trained, step by step."""

from collections.abc import Mapping
from math import floor
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.curves import curve
from alibi_viz.charts.palette import figure, ink, mark

if TYPE_CHECKING:
    from pages.lab_alibi.study import Training

DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def training(result: "Training", labels: Mapping[str, str], *, dark: bool) -> go.Figure:
    """Slopes of every head, step by step, on a log axis; the dotted line is the best slope."""
    fig, path, steps = figure(dark, 300), result.path, np.arange(len(result.path))
    for head, slopes in enumerate(path.T):
        line = {"color": ink(dark).accent, "width": 1.5, "dash": DASHES[head % len(DASHES)]}
        fig.add_trace(curve(steps, slopes, labels["head_n"].format(n=head + 1), line, labels["hover_training"]))
    mark(fig, "y", result.best, labels["best"], dark, log=True)
    low = min(float(path.min()), result.best)
    fig.update_xaxes(title_text=labels["step"], range=[0, len(path) - 1])
    fig.update_yaxes(title_text=labels["slope"], type="log", dtick=1, range=[floor(np.log10(low)), 0.3])
    return fig
