"""Charts of the Extrapolation page: perplexity against length, loss against the place in the window, and T5's buckets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, inf, log10
from textwrap import wrap

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.palette import (
    LOOKS,
    UNTRAINED,
    color,
    figure,
    floats,
    ink,
    mark,
    method_line,
    method_marker,
)

HEIGHT = 430
LEGEND_ROW = 20  # pixels below the chart for each line of an own run's name
LEGEND_WIDTH = 44  # letters in one such line
NAME_GAP = 16  # pixels between two names at the right end
HALF = 0.24  # half the height of a strip of buckets
TICKS = (1.0, 2.0, 5.0)  # on a log axis, times powers of ten
FINE_TICKS = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0)  # where it spans little more than ten times


@dataclass(frozen=True)
class Line:
    """One curve: `name` for the reader. `own`: a run of the reader, drawn thinner and with open markers."""

    method: str
    name: str
    x: np.ndarray
    y: np.ndarray
    low: np.ndarray
    high: np.ndarray
    own: bool = False
    ends: bool = False  # it cannot go on beyond its last point


@dataclass(frozen=True)
class Axes:
    """What the two axes show. `trained` is L in the unit of x; own runs lift the y axis up to `most`, not beyond."""

    x_title: str
    y_title: str
    trained: float
    log_x: bool
    log_y: bool
    most: float = inf


def curves(lines: Sequence[Line], axes: Axes, words: Mapping[str, str], *, dark: bool) -> go.Figure:
    """Perplexity (or its ratio) against length; bands from the smallest to the largest seed; names at the right end."""
    fig = figure(dark, HEIGHT + LEGEND_ROW * sum(len(_folded(line)) for line in lines if line.own))
    for line in lines:
        if not line.own and np.any(line.high > line.low):
            fig.add_traces(_band(line, dark))
    for line in lines:
        fig.add_trace(_curve(line, words, dark))
    span = _span(lines, axes)
    _axes(fig, lines, axes, span)
    mark(fig, "x", axes.trained, words["trained"], dark, log=axes.log_x)
    shipped = [line for line in lines if not line.own]
    going = [line for line in shipped if line.x[-1] > axes.trained]
    _names(fig, going, span, axes.log_y, dark)
    for line in shipped:
        if line.ends and line not in going:
            _end_sign(fig, line, axes, words, dark)
    fig.update_layout(margin={"r": 96, "t": 12}, legend={"y": -0.2, "yanchor": "top"})
    return fig


def _curve(line: Line, words: Mapping[str, str], dark: bool) -> go.Scatter:
    look = method_line(line.method, dark)
    marker = method_marker(line.method, dark, len(line.x))
    if line.own:
        look |= {"width": 1.2}
        marker |= {"symbol": f"{LOOKS[line.method].marker}-open", "line": {"width": 1.5}}
    spread = np.stack([line.low, line.high], axis=1)
    hover = words["hover_spread"] if np.any(line.high > line.low) else words["hover"]
    return go.Scatter(
        x=floats(line.x),
        y=floats(line.y),
        customdata=floats(spread),
        name="<br>".join(_folded(line)) if line.own else line.name,
        mode="lines+markers",
        line=look,
        marker=marker,
        hovertemplate=hover,
        showlegend=line.own,
    )


def _folded(line: Line) -> list[str]:
    """The name of an own run in lines that a phone can show."""
    return wrap(line.name, LEGEND_WIDTH)


def _band(line: Line, dark: bool) -> list[go.Scatter]:
    """Two invisible lines and the colour between them."""
    plain = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip", "showlegend": False, "x": floats(line.x)}
    fill = {"fill": "tonexty", "fillcolor": _faint(color(line.method, dark))}
    return [go.Scatter(y=floats(line.low), **plain), go.Scatter(y=floats(line.high), **plain, **fill)]


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.18)"


def top(lines: Sequence[Line], most: float) -> float:
    """The highest value on the axis. An own run above `most` goes beyond the picture, unless nothing else is in it."""
    highest = max((float(line.high.max()) for line in lines if not line.own), default=None)
    mine = [float(line.high.max()) for line in lines if line.own]
    if highest is None:
        return max(mine, default=10.0)
    limit = max(most, highest)
    return max([highest, *(min(one, limit) for one in mine)])


def _span(lines: Sequence[Line], axes: Axes) -> tuple[float, float]:
    """Ends of the y axis in its own numbers (logarithms on a log axis), with a little room."""
    low, high = min((float(line.low.min()) for line in lines), default=1.0), top(lines, axes.most)
    if not axes.log_y:
        return 0.0, 1.06 * high
    room = max(0.05 * (log10(high) - log10(low)), 0.02)
    return log10(low) - room, log10(high) + room


def _axes(fig: go.Figure, lines: Sequence[Line], axes: Axes, span: tuple[float, float]) -> None:
    every = np.concatenate([line.x for line in lines]) if lines else np.array([1.0, 16.0]) * axes.trained
    low, high = float(every.min()), float(every.max())
    fig.update_xaxes(title_text=axes.x_title, separatethousands=True, exponentformat="none")
    fig.update_yaxes(title_text=axes.y_title, range=list(span), separatethousands=True, exponentformat="none")
    if axes.log_x:
        ticks = [axes.trained * 2.0**power for power in range(-4, 8)]
        shown = [tick for tick in ticks if 0.99 * low <= tick <= 1.01 * high]
        room = 0.03 * (log10(high) - log10(low)) + 1e-3
        fig.update_xaxes(type="log", range=[log10(low) - room, log10(high) + room])
        fig.update_xaxes(tickvals=shown, ticktext=[f"{tick:,g}" for tick in shown])
    else:
        fig.update_xaxes(range=[0, 1.02 * high])
    if axes.log_y:
        digits = FINE_TICKS if span[1] - span[0] < 1.2 else TICKS
        ticks = [digit * 10.0**power for power in range(floor(span[0]), ceil(span[1]) + 1) for digit in digits]
        shown = [tick for tick in ticks if span[0] <= log10(tick) <= span[1]]
        fig.update_yaxes(type="log", tickvals=shown, ticktext=[f"{tick:,g}" for tick in shown])


def _names(fig: go.Figure, lines: Sequence[Line], span: tuple[float, float], log: bool, dark: bool) -> None:
    """The name of each line beside its last point; names that would touch are pushed apart."""
    gap = NAME_GAP / (HEIGHT - 90)
    ends = [(log10(line.y[-1]) if log else float(line.y[-1])) for line in lines]
    heights = spread_out([(end - span[0]) / (span[1] - span[0]) for end in ends], gap)
    for line, height in zip(lines, heights, strict=True):
        fig.add_annotation(
            x=1,
            xref="x domain",
            y=height,
            yref="y domain",
            text=line.name,
            showarrow=False,
            xanchor="left",
            yanchor="middle",
            xshift=6,
            font={"size": 12.5, "color": color(line.method, dark)},
        )


def spread_out(wanted: Sequence[float], gap: float) -> list[float]:
    """Heights near the wanted ones, at least `gap` apart, in the same order."""
    order = sorted(range(len(wanted)), key=lambda at: wanted[at])
    groups: list[list[int]] = []

    def middle(group: list[int]) -> float:
        return sum(wanted[at] for at in group) / len(group)

    for at in order:
        groups.append([at])
        while len(groups) > 1:
            room = gap * (len(groups[-2]) + len(groups[-1])) / 2
            if middle(groups[-1]) - middle(groups[-2]) >= room - 1e-9:
                break
            groups[-2:] = [groups[-2] + groups[-1]]
    found = [0.0] * len(wanted)
    for group in groups:
        for place, at in enumerate(group):
            found[at] = middle(group) + gap * (place - (len(group) - 1) / 2)
    return found


def _end_sign(fig: go.Figure, line: Line, axes: Axes, words: Mapping[str, str], dark: bool) -> None:
    """A bar behind the last point of a line that cannot go on, with its name and a word."""
    colour = color(line.method, dark)
    fig.add_trace(
        go.Scatter(
            x=floats(line.x[-1:]),
            y=floats(line.y[-1:]),
            mode="markers",
            marker={"symbol": "line-ns", "size": 22, "line": {"width": 3, "color": colour}},
            hoverinfo="skip",
            showlegend=False,
        )
    )
    x, y = float(line.x[-1]), float(line.y[-1])
    on_the_left = axes.log_x  # on a linear axis there is no room between the scale and L
    below = not axes.log_x and not axes.log_y  # a linear scale of perplexity begins at 0: below the lines it is empty
    fig.add_annotation(
        x=log10(x) if axes.log_x else x,
        y=log10(y) if axes.log_y else y,
        text=words["ends"].format(name=line.name),
        showarrow=True,
        arrowhead=0,
        arrowwidth=1,
        arrowcolor=colour,
        ax=-4 if on_the_left else 14,
        ay=56 if below else -78,
        standoff=12,
        xanchor="right" if on_the_left else "left",
        align="right" if on_the_left else "left",
        bgcolor=f"{ink(dark).surface}CC",
        font={"size": 11.5, "color": colour},
    )


def places(lines: Sequence[Line], words: Mapping[str, str], *, dark: bool, length: int, trained: int) -> go.Figure:
    """Loss against the place in the window; L is marked."""
    fig = figure(dark, 400)
    for line in lines:
        fig.add_trace(
            go.Scatter(
                x=floats(line.x),
                y=floats(line.y),
                name=line.name,
                mode="lines+markers",
                line=method_line(line.method, dark) | {"width": 1.6},
                marker=method_marker(line.method, dark, len(line.x)),
                hovertemplate=words["hover_place"],
                showlegend=False,
            )
        )
    every = np.concatenate([line.y for line in lines]) if lines else np.array([1.0, 2.0])
    span = (floor(10 * (float(every.min()) - 0.05)) / 10, float(every.max()) + 0.15)
    fig.update_yaxes(title_text=words["loss"], range=list(span))
    fig.update_xaxes(title_text=words["place"], range=[0, length], separatethousands=True)
    if trained <= length:
        mark(fig, "x", trained, words["trained"], dark)
    _names(fig, [line for line in lines if line.x[-1] > 0.8 * length], span, False, dark)
    fig.update_layout(margin={"r": 96, "t": 12})
    return fig


def bucket_strips(
    rows: Sequence[tuple[str, Mapping[str, np.ndarray]]], words: Mapping[str, str], *, dark: bool
) -> go.Figure:
    """T5's buckets as a strip of cells, one strip a case.

    rows: name, then "state" uint8 [buckets] (0 trained, 1 needed but never trained, 2 never used), "nearest" and "share".
    """
    fig = figure(dark, 110 + 84 * len(rows))
    lost = color(UNTRAINED, dark)
    clear = "rgba(0,0,0,0)"
    looks = (
        (words["touched"], {"color": color("t5", dark), "line": {"width": 0}}),
        (words["lost"], {"color": clear, "line": {"width": 1.5, "color": lost}, "pattern": _hatch(lost)}),
        (words["unused"], {"color": clear, "line": {"width": 1, "color": ink(dark).quiet}}),
    )
    for state, (name, look) in enumerate(looks):
        cells = [(row, np.flatnonzero(found["state"] == state), found) for row, (_, found) in enumerate(rows)]
        data = [np.stack([found["nearest"][at], 100 * found["share"][at]], axis=1) for _, at, found in cells]
        x = np.concatenate([at for _, at, _ in cells])
        fig.add_trace(
            go.Bar(
                x=floats(x),
                y=floats(np.full(len(x), 2 * HALF)),
                base=floats(np.concatenate([np.full(len(at), -row - HALF) for row, at, _ in cells])),
                width=0.84,
                customdata=floats(np.concatenate(data)),
                name=name,
                marker=look,
                hovertemplate=words["hover_unused"] if state == 2 else words["hover_bucket"],
            )
        )
    count = len(rows[0][1]["state"])
    fig.update_xaxes(title_text=words["bucket"], range=[-0.7, count - 0.3], showgrid=False, dtick=4)
    names = [name for name, _ in rows]
    fig.update_yaxes(tickvals=[-row for row in range(len(rows))], ticktext=names, showgrid=False, ticks="")
    fig.update_yaxes(range=[-len(rows) + 0.4, 0.6], automargin=True)
    fig.update_layout(barmode="overlay", legend={"y": 1.04}, margin={"t": 40})
    return fig


def _hatch(colour: str) -> dict[str, object]:
    return {"shape": "x", "fgcolor": colour, "size": 7, "solidity": 0.35}
