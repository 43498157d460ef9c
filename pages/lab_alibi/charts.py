"""Charts of the ALiBi lab: the penalty of every head, slopes that are trained, and the penalty of every shape."""

from collections.abc import Mapping, Sequence
from math import floor
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.curves import curve
from alibi_viz.charts.palette import color, figure, floats, ink, mark

if TYPE_CHECKING:
    from pages.lab_alibi.study import Result, Shape, Training

DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


PENALTIES = (-10.5, 0.5)  # of the axis: below -10 nothing is visible in the weights
LABELS_AT = (0.86, 0.6, 0.34)  # shares of a line's visible part where its label may stand
LABEL = (0.25, 0.6)  # its room on a phone: a share of the chart's width, and units of the penalty


def heads(result: "Result", slopes: Sequence[str], labels: Mapping[str, str], *, dark: bool) -> go.Figure:
    """The penalty of every head against the distance: slopes set by hand, and the one that all heads learn.

    slopes: one a head, as the reader sees it.
    """
    fig, colour, controls, learned = figure(dark), ink(dark), result.controls, result.training.learned
    alike: dict[float, list[int]] = {result.slope: []}  # slope -> its heads, the chosen one first
    for head, slope in enumerate(controls.slopes, start=1):
        alike.setdefault(slope, []).append(head)
    named = [(learned, f"{learned:.3g}", colour.second)]
    for turn, (slope, members) in enumerate(alike.items()):
        line = {"color": colour.accent, "width": 1.6 if turn else 3.5}
        fig.add_trace(_line(result, slope, labels["by_hand"], line, labels, showlegend=not turn))
        listed = labels["head_n"].format(n=", ".join(map(str, members)))
        named.append((slope, f"{listed}: {slopes[members[0] - 1]}", colour.accent))
    line = {"color": colour.second, "width": 3, "dash": "dash"}
    fig.add_trace(_line(result, learned, labels["trained"].format(target=controls.target), line, labels))
    _name_lines(fig, controls.farthest, named, dark)
    if controls.target <= controls.farthest:
        mark(fig, "x", controls.target, labels["target"].format(target=controls.target), dark)
    fig.update_xaxes(title_text=labels["distance"], range=[0, controls.farthest])
    fig.update_yaxes(title_text=labels["penalty"], range=list(PENALTIES))
    return fig.update_layout(hovermode="closest")


def _line(
    result: "Result", slope: float, name: str, line: Mapping[str, object], labels: Mapping[str, str], **options: object
) -> go.Scatter:
    """A penalty; the hover also says by what it multiplies the weight."""
    values = -slope * result.distances
    options |= {"customdata": floats(np.stack([np.full_like(values, slope), np.exp(values)], axis=1))}
    return curve(result.distances, values, name, line, labels["hover_heads"], legendgroup=name, **options)


def _name_lines(fig: go.Figure, farthest: float, lines: Sequence[tuple[float, str, str]], dark: bool) -> None:
    """A label on each line (its slope, text and colour) where no other label is; where there is no room, none."""
    taken: list[tuple[float, float]] = []
    for slope, text, colour in lines:
        end = min(farthest, -PENALTIES[0] / slope)
        places = ((share * end, -slope * share * end) for share in LABELS_AT)
        free = (
            (x, y)
            for x, y in places
            if all(abs(x - other) >= LABEL[0] * farthest or abs(y - height) >= LABEL[1] for other, height in taken)
        )
        if place := next(free, None):
            taken.append(place)
            look = {"font": {"size": 12, "color": colour}, "bgcolor": ink(dark).surface, "borderpad": 1}
            # A label at the left edge begins at its line: it must not cover the numbers of the axis.
            look["xanchor"] = "left" if place[0] < LABEL[0] / 2 * farthest else "center"
            fig.add_annotation(x=place[0], y=place[1], text=text, showarrow=False, **look)


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


def shapes(
    shapes: Sequence["Shape"],
    distances: np.ndarray,
    names: Mapping[str, str],
    labels: Mapping[str, str],
    *,
    dark: bool,
) -> go.Figure:
    """The penalty of every shape against the distance.

    names: shape -> its name for the reader.
    """
    fig, colors = figure(dark, 340), ink(dark)
    others = [color(look, dark) for look in ("t5", "learned", "sandwich")]
    looks = zip((colors.quiet, colors.accent, colors.second, *others), (DASHES[-1], *DASHES), strict=False)
    for shape, (strong, dash) in zip(shapes, looks, strict=False):
        line = {"color": strong, "dash": dash, "width": 2}
        values = np.nan_to_num(shape.penalty, neginf=-1e4)  # beyond the window: straight down, off the chart
        fig.add_trace(curve(distances, values, names[shape.name], line, labels["hover"]))
    fig.update_xaxes(title_text=labels["distance"], range=[0, float(distances[-1])])
    fig.update_yaxes(title_text=labels["penalty"], range=list(PENALTIES))
    return fig
