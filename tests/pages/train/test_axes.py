"""The axes of runs that are being trained: they hold every number, and stay while the curves grow."""

from __future__ import annotations

import numpy as np
import pytest

from alibi_viz.charts.lines import Line
from alibi_viz.lessons import load
from pages.train import axes, picture

WORDS = load("train").entries("chart")
TEXT = {"seen": (), "train_length": 128, "is_recall": False}


def line(method: str, y: list[float]) -> Line:
    return Line(method, method, 64 * 2.0 ** np.arange(len(y)), np.array(y))


def test_the_axes_stay_while_the_curve_moves_a_little():
    """Else the picture would wander under the eye."""
    early, late = (axes.lengths([line("rope", [first, 12.0])], WORDS, **TEXT) for first in (5.0, 5.1))
    assert early == late


@pytest.mark.parametrize("y", [[3.0, 9.0, 40.0], [250.0, 1e6], [1.01], []])
def test_every_perplexity_that_can_be_is_inside_the_axis(y):
    _, axis = axes.lengths([line("rope", y)], WORDS, **TEXT)
    assert 0 < axis.low < axis.high
    assert all(axis.low <= value <= axis.high for value in y if axes.LOWEST <= value <= axes.HIGHEST)
    assert all(axis.low <= tick <= axis.high for tick in axis.ticks)


@pytest.mark.parametrize("steps", [0, 1, 7, 25, 75, 400, 5000, 123_456])
def test_the_steps_have_a_few_round_numbers(steps):
    axis, _ = axes.losses(WORDS, steps)
    assert axis.ticks[0] == axis.low == 0
    assert 2 <= len(axis.ticks) <= 7
    assert axis.ticks[-1] <= axis.high


def test_recall_is_in_percent():
    _, axis = axes.lengths([line("alibi", [1.0, 0.1])], WORDS, train_length=128, is_recall=True, seen=())
    assert (axis.low, axis.high) == (0, 100)
    assert picture._curve(line("alibi", [1.0, 0.1]), 0, percent=True).values.tolist() == [100, 10]


def test_a_loss_that_became_nan_is_left_out():
    curve = picture._curve(line("alibi", [5.0, np.nan, np.inf, 4.0]), 0, percent=False)
    assert curve.values.tolist() == [5, 4]
    assert curve.xs.tolist() == [64, 512]
