"""Charts of Compare: traces and axes, not pixels."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from alibi_viz.charts import palette
from alibi_viz.charts.lines import Line
from alibi_viz.lessons import load
from alibi_viz.positions import METHODS
from pages.compare import charts as compare


def numbers(values: object) -> np.ndarray:
    """The values of a trace, which travel as base64."""
    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"])
    return np.asarray(values)


def test_every_method_has_its_own_look() -> None:
    """No two methods share colour, dash and marker all three; markers alone tell all apart in grey."""
    for dark in (False, True):
        assert len({(str(palette.method_line(name, dark)), palette.LOOKS[name].marker) for name in METHODS}) == len(
            METHODS
        )
    assert len({look.marker for look in palette.LOOKS.values()}) == len(METHODS)
    assert set(palette.LOOKS) == set(METHODS)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("log", [False, True])
def test_curves_have_fixed_axes_and_the_training_length(dark: bool, log: bool) -> None:
    distances = np.array([1, 10, 1000])
    lines = [Line(name, name, distances, -distances / 10) for name in METHODS]
    words = load("compare").entries("chart")
    fig = compare.curves(lines, words, dark=dark, log=log, farthest=1000, train_length=100)
    assert [trace.name for trace in fig.data] == list(METHODS)
    assert tuple(fig.layout.yaxis.range) == (compare.LOWEST, compare.HIGHEST)
    assert numbers(fig.data[0].y).tolist() == pytest.approx([-0.1, -1, -100])
    assert fig.layout.shapes[0].x0 == 100  # a line takes the value itself, its text the logarithm on a log axis
    assert fig.layout.annotations[0].x == (2 if log else 100)
    assert not compare.curves(lines, words, dark=dark, log=log, farthest=50, train_length=100).layout.shapes


def test_reach_counts_the_query_itself() -> None:
    line = Line("alibi", "ALiBi", np.array([1, 2]), np.array([1, 10]))
    fig = compare.reach([line], load("compare").entries("chart"), dark=False, heads=2, chosen=1, past=64)
    assert numbers(fig.data[0].y).tolist() == [1, 10]
