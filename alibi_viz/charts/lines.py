"""Curves of position methods: what a curve is, how it is drawn and named, and ticks for a logarithmic axis."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, inf, log10
from statistics import fmean
from typing import Any
from unicodedata import east_asian_width

import numpy as np

from alibi_viz.charts.figure import Chart, Trace, trace
from alibi_viz.charts.palette import color, figure, floats, ink, mark, method_line, method_marker

NAME_GAP, EDGES = 16, 70  # pixels between two names at the right end; pixels above and below the curves
LETTER = 6.5  # pixels
BESIDE_NUMBERS = 30  # pixels left of them: of an axis, its title
STAGE = 320  # pixels of a figure that is as high as its place, on a phone
NAMED_FROM = 0.6  # of the width: a line that goes on so far has its name there
FAINT = 0.35  # opacity of a faint line
HIGH = 0.75  # of the height: over a point so high the name of a marked value of x stands


@dataclass(frozen=True)
class Line:
    """One curve of a chart. Arrays are [points]."""

    method: str  # a key of palette.LOOKS: its colour, dash and marker
    name: str  # for the reader
    x: np.ndarray
    y: np.ndarray
    low: np.ndarray | None = None  # the smallest of the seeds
    high: np.ndarray | None = None  # the largest of the seeds
    ends: bool = False  # the method cannot go on beyond the last point
    hollow: bool = False  # drawn thinner, with open markers: beside another line of its method
    faint: bool = False  # what it seems to show does not count

    @property
    def has_spread(self) -> bool:
        """Whether the seeds differ anywhere."""
        low, high = self.span
        return bool(np.any(high > low))

    @property
    def span(self) -> tuple[np.ndarray, np.ndarray]:
        """The smallest and the largest of the seeds; the curve itself where no seeds are told apart."""
        return self.y if self.low is None else self.low, self.y if self.high is None else self.high

    def up_to(self, x: float) -> "Line":
        """Its points until there, the first one in any case."""
        count = max(int((self.x <= x).sum()), 1)
        low, high = (end if end is None else end[:count] for end in (self.low, self.high))
        return replace(self, x=self.x[:count], y=self.y[:count], low=low, high=high)

    def table(self) -> dict[str, object]:
        """The curve as a piece of a table."""
        low, high = self.span
        return {"method": self.name, "x": self.x, "y": self.y, "low": low, "high": high}


def scatter(line: Line, dark: bool, hover: str, *, markers: int | None = None, **options: Any) -> Trace:
    """The curve as a trace. markers: on so many of its points; None: on every point."""
    look = method_line(line.method, dark, 1.2 if line.hollow else 2)
    marker = method_marker(line.method, dark, len(line.x), len(line.x) if markers is None else markers)
    if line.hollow:
        marker |= {"symbol": f"{marker['symbol']}-open", "line": {"width": 1.5}}
    fixed: dict[str, Any] = {"mode": "lines+markers", "line": look, "marker": marker, "hovertemplate": hover}
    if line.faint:
        fixed["opacity"] = FAINT
    return trace("scatter", x=floats(line.x), y=floats(line.y), name=line.name, **(fixed | options))


def band(line: Line, dark: bool) -> list[Trace]:
    """The area between the smallest and the largest seed: two invisible lines and the colour between them."""
    red, green, blue = (int(color(line.method, dark)[at : at + 2], 16) for at in (1, 3, 5))
    fill = {"fill": "tonexty", "fillcolor": f"rgba({red},{green},{blue},0.18)"}
    edge = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip", "showlegend": False, "x": floats(line.x)}
    low, high = line.span
    return [trace("scatter", y=floats(y), **edge, **more) for y, more in ((low, {}), (high, fill))]


def with_error_bars(lines: Sequence[Line], hover: str, dark: bool, height: int | None) -> Chart:
    """Lines with bars from the smallest to the largest of their seeds. height: None: as high as its place."""
    fig = figure(dark, height)
    for line in lines:
        low, high = line.span
        ends = {"array": floats(high - line.y), "arrayminus": floats(line.y - low)}
        bars = {"type": "data", "symmetric": False, "thickness": 1, "width": 3, **ends} if line.has_spread else None
        fig.add(scatter(line, dark, hover, error_y=bars))
    return fig


def length_axis(fig: Chart, title: str, lengths: np.ndarray, most: int = 6) -> None:
    """A log axis labelled with the lengths themselves."""
    ends = [log10(lengths.min()) - 0.06, log10(lengths.max()) + 0.06]
    fig.x_axis(type="log", title=title, range=ends, **length_ticks(lengths, most))


def on_log_axis(
    lines: Sequence[Line],
    labels: Mapping[str, str],
    *,
    dark: bool,
    height: int | None = 380,
    log_y: bool = True,
    levels: Mapping[str, float] | None = None,
    at: float | None = None,
    most: float = inf,
    ends_y: tuple[float, float] | None = None,
    until: float = inf,
    drawn: Sequence[tuple[str, Sequence[float]]] = (),
) -> Chart:
    """Lines against a number that doubles from tick to tick; bands from the smallest to the largest seed.

    labels: "x", "y", "hover"; "at" for `at`, a value of x that is marked; "ends", what is said at the last point of a
    line that cannot go on. levels: name -> a value of y that is marked. most: the y axis ends there; what is higher leaves
    the picture. ends_y: of the y axis, whatever is drawn. until: what is farther is not drawn, and keeps its place on the
    axes: a question asks for it. drawn: lines that readers have drawn, method and values from `at` to the end in equal
    ratios; thin, behind the others. Names stand at the right end.
    """
    fig, marked = figure(dark, height), dict(levels or {})
    shown = [line.up_to(until) for line in lines]
    if at is not None:
        fig.add(*_by_hand(drawn, at, max(line.x[-1] for line in lines), dark))
    fig.add(*[trace for line in shown if line.has_spread for trace in band(line, dark)])
    fig.add(*[scatter(line, dark, labels["hover"], showlegend=False) for line in shown])
    x = np.concatenate([line.x for line in lines])
    ends = [float(end) for line in lines for end in (line.span[0].min(), line.span[1].max())] + list(marked.values())
    low, high = min(ends), min(max(ends), most)
    span = (log10(low), log10(high)) if log_y else (low, high)
    room = 0.05 * (span[1] - span[0]) + 1e-3
    span = ends_y or (span[0] - room, span[1] + room)
    scale = {"type": "log", **log_ticks(10 ** span[0], 10 ** span[1])} if log_y else {}
    fig.y_axis(title=labels["y"], range=list(span), **scale)
    lengths = [log10(x.min()) - 0.04, log10(x.max()) + 0.04]
    values = sorted(set(x.tolist()))
    ticks = (
        length_ticks(x) if len(values) > 6 else {"tickvals": values, "ticktext": [f"{value:,g}" for value in values]}
    )
    fig.x_axis(title=labels["x"], type="log", range=lengths, **ticks)
    for level in marked.values():
        mark(fig, "y", level, "", dark, log=log_y)
    if at is not None:
        mark(fig, "x", at, labels["at"], dark, log=True)
    far = x.min() * (x.max() / x.min()) ** NAMED_FROM
    named = [part for line, part in zip(lines, shown, strict=True) if line.x[-1] >= far]
    last = [replace(line, y=np.minimum(line.y, high)) for line in named]
    for line in lines:
        if line.ends and line.x[-1] < far:
            _end_sign(fig, line, labels["ends"], span, dark, log=log_y)
    names_at_end(fig, last, span, dark, log=log_y, levels=marked)
    longest = LETTER * max(map(letters_wide, (*(line.name for line in last), *marked)), default=0)
    numbers = LETTER * max(map(len, scale.get("ticktext", ())), default=0)
    fig.lay_out(margin={"l": max(56, BESIDE_NUMBERS + numbers), "r": max(118, 14 + longest), "t": 16})
    return fig


def _by_hand(drawn: Sequence[tuple[str, Sequence[float]]], at: float, end: float, dark: bool) -> Iterator[Trace]:
    """A trace for the drawn lines of each method."""
    for method in dict.fromkeys(method for method, _ in drawn):
        rows = np.array([[*values, np.nan] for other, values in drawn if other == method])  # NaN parts two lines
        x = at * (end / at) ** (np.arange(rows.shape[1]) / (rows.shape[1] - 2))
        look = {"line": {"width": 1.2, "color": color(method, dark)}, "opacity": FAINT, "hoverinfo": "skip"}
        x = np.tile(x, len(rows))
        yield trace("scatter", x=floats(x), y=floats(rows.ravel()), mode="lines", showlegend=False, **look)


def letters_wide(name: str) -> int:
    """How many letters wide a name is; a Chinese or Japanese character has the width of two others."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in name)


def _end_sign(fig: Chart, line: Line, text: str, span: tuple[float, float], dark: bool, *, log: bool) -> None:
    """A bar behind the last point of a line that cannot go on, and a note with its name: above, or below a high point."""
    shade, x, y = color(line.method, dark), float(line.x[-1]), float(line.y[-1])
    bar = {"symbol": "line-ns", "size": 22, "line": {"width": 3, "color": shade}}
    fig.add(
        trace("scatter", x=floats([x]), y=floats([y]), mode="markers", marker=bar, hoverinfo="skip", showlegend=False)
    )
    height = log10(y) if log else y
    is_high = (height - span[0]) / (span[1] - span[0]) > HIGH
    arrow = {
        "showarrow": True,
        "arrowhead": 0,
        "arrowwidth": 1,
        "arrowcolor": shade,
        "standoff": 12,
        "ax": 0,
        "ay": 60 if is_high else -60,
    }
    place = {"x": log10(x), "y": height, "xanchor": "center"}
    font = {"size": 11.5, "color": shade}
    fig.annotate(text=text.format(name=line.name), bgcolor=f"{ink(dark).surface}CC", font=font, **place, **arrow)


def names_at_end(
    fig: Chart,
    lines: Sequence[Line],
    span: tuple[float, float],
    dark: bool,
    *,
    log: bool,
    levels: Mapping[str, float] | None = None,
) -> None:
    """The name of each line beside its last point, and of each marked level; names that would touch are pushed apart.

    span: ends of the y axis, as Plotly has them (logarithms on a log axis).
    """
    names = [(line.name, float(line.y[-1]), color(line.method, dark)) for line in lines]
    names += [(name, level, ink(dark).text) for name, level in (levels or {}).items()]
    ends = [log10(end) if log else end for _, end, _ in names]
    gap = NAME_GAP / ((fig.layout.get("height") or STAGE) - EDGES)
    heights = within(spread_out([(end - span[0]) / (span[1] - span[0]) for end in ends], gap), gap)
    fixed = {"x": 1, "xref": "x domain", "yref": "y domain", "xanchor": "left", "yanchor": "middle", "xshift": 6}
    for (name, _, shade), height in zip(names, heights, strict=True):
        fig.annotate(y=height, text=name, showarrow=False, font={"size": 12.5, "color": shade}, **fixed)


def spread_out(wanted: Sequence[float], gap: float) -> list[float]:
    """Heights as near as possible to the wanted ones, in the same order, at least `gap` apart.

    In order and less `gap` a rank, they must not fall: where they do, neighbours are pooled to their mean.
    """
    order = np.argsort(wanted, kind="stable")
    pools: list[list[float]] = []
    for rank, index in enumerate(order):
        pools.append([wanted[index] - gap * rank])
        while len(pools) > 1 and fmean(pools[-2]) > fmean(pools[-1]):
            pools[-2:] = [pools[-2] + pools[-1]]
    heights = np.empty(len(order))
    heights[order] = [fmean(pool) for pool in pools for _ in pool]
    heights[order] += gap * np.arange(len(order))
    return heights.tolist()


def within(heights: Sequence[float], gap: float) -> list[float]:
    """Heights that are `gap` apart, moved as little as possible so that none is below 0 or (if there is room) above 1."""
    order, rank = np.argsort(heights, kind="stable"), np.arange(len(heights))
    moved = np.asarray(heights, dtype=np.float64)
    moved[order] = np.minimum(moved[order], 1 - gap * (len(heights) - 1 - rank))
    moved[order] = np.maximum(moved[order], gap * rank)
    return moved.tolist()


def log_ticks(low: float, high: float, most: int = 9) -> dict[str, Any]:
    """Round numbers on a logarithmic axis from `low` to `high`: as many as there is room for, at most `most`."""
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    for digits in ((1, 1.5, 2, 3, 4, 5, 7), (1, 2, 5), (1,)):
        values = [round(digit * 10.0**power, 9) for power in powers for digit in digits]
        values = [value for value in values if low <= value <= high]
        if len(values) <= most:
            break
    if len(values) < 3:  # a short axis: equal steps instead
        steps = (digit * 10.0**power for power in range(-6, 9) for digit in (1, 2, 5))
        step = next(step for step in steps if high - low < step * most)
        values = [round(step * count, 9) for count in range(ceil(low / step), floor(high / step) + 1)]
    return {"tickvals": values, "ticktext": [f"{value:,g}" for value in values]}


def length_ticks(lengths: np.ndarray, most: int = 6) -> dict[str, Any]:
    """Powers of two on an axis of lengths, not more than fit on a phone."""
    powers = [2**power for power in range(25) if lengths.min() <= 2**power <= lengths.max()]
    ticks = powers[:: max(1, -(-len(powers) // most))]
    return {"tickvals": ticks, "ticktext": [f"{length:,}" for length in ticks]}
