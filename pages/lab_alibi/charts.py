"""Charts of the ALiBi lab: the penalty of every shape, and slopes that are trained."""

from collections.abc import Mapping
from math import floor
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.curves import curve
from alibi_viz.charts.palette import color, figure, ink, mark

if TYPE_CHECKING:
    from pages.lab_alibi.study import Result, Training

DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def penalties(result: "Result", names: Mapping[str, str], labels: Mapping[str, str], *, dark: bool) -> go.Figure:
    """The penalty of every shape against the distance; below -10 nothing is visible in the weights.

    names: shape -> its name for the reader.
    """
    fig, colors = figure(dark, 340), ink(dark)
    others = [color(look, dark) for look in ("t5", "learned", "sandwich")]
    looks = zip((colors.quiet, colors.accent, colors.second, *others), (DASHES[-1], *DASHES), strict=False)
    for shape, (strong, dash) in zip(result.shapes, looks, strict=False):
        line = {"color": strong, "dash": dash, "width": 2}
        values = np.nan_to_num(shape.penalty, neginf=-1e4)  # beyond the window: straight down, off the chart
        fig.add_trace(curve(result.distances, values, names[shape.name], line, labels["hover"]))
    fig.update_xaxes(title_text=labels["distance"], range=[0, float(result.distances[-1])])
    fig.update_yaxes(title_text=labels["penalty"], range=[-10.5, 0.5])
    return fig


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
