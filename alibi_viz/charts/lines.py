"""Curves of position methods: what a curve is, how it is drawn, and ticks for a logarithmic axis."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any

import numpy as np
import plotly.graph_objects as go

from alibi_viz.charts.palette import floats, method_line, method_marker


@dataclass(frozen=True)
class Line:
    """One curve of a chart. Arrays are [points]."""

    method: str  # a key of palette.LOOKS: its colour, dash and marker
    name: str  # for the reader
    x: np.ndarray
    y: np.ndarray
    low: np.ndarray | None = None  # the smallest of the seeds
    high: np.ndarray | None = None  # the largest of the seeds
    own: bool = False  # a run of the reader: drawn thinner, with open markers
    ends: bool = False  # the method cannot go on beyond the last point

    @property
    def has_spread(self) -> bool:
        """Whether the seeds differ anywhere."""
        return self.low is not None and self.high is not None and bool(np.any(self.high > self.low))


def scatter(line: Line, dark: bool, hover: str, *, markers: int | None = None, **options: Any) -> go.Scatter:
    """The curve as a trace. markers: on so many of its points; None: on every point."""
    look = method_line(line.method, dark, 1.2 if line.own else 2)
    marker = method_marker(line.method, dark, len(line.x), len(line.x) if markers is None else markers)
    if line.own:
        marker |= {"symbol": f"{marker['symbol']}-open", "line": {"width": 1.5}}
    fixed = {"mode": "lines+markers", "line": look, "marker": marker, "hovertemplate": hover}
    return go.Scatter(x=floats(line.x), y=floats(line.y), name=line.name, **(fixed | options))


def log_ticks(low: float, high: float, most: int = 9) -> dict[str, Any]:
    """Round numbers on a logarithmic axis from `low` to `high`: as many as there is room for, at most `most`."""
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    for digits in ((1, 1.5, 2, 3, 4, 5, 7), (1, 2, 5), (1,)):
        values = [round(digit * 10.0**power, 9) for power in powers for digit in digits]
        values = [value for value in values if low <= value <= high]
        if len(values) <= most:
            break
    return {"tickvals": values, "ticktext": [f"{value:,g}" for value in values]}


def length_ticks(lengths: np.ndarray, most: int = 6) -> dict[str, Any]:
    """Powers of two on an axis of lengths, not more than fit on a phone."""
    powers = [2**power for power in range(25) if lengths.min() <= 2**power <= lengths.max()]
    shown = powers[:: max(1, -(-len(powers) // most))]
    return {"tickvals": shown, "ticktext": [f"{length:,}" for length in shown]}
