"""Charts of runs that are being trained."""

from __future__ import annotations

import numpy as np
import pytest

from alibi_viz.figures import training as charts
from alibi_viz.figures.base import METHOD_COLOURS
from alibi_viz.lessons import load

WORDS = load("training").entries("chart")


def line(method: str, y: list[float]) -> charts.Line:
    return charts.Line(method, method, 64 * 2.0 ** np.arange(len(y)), np.array(y))


def test_losses_keep_their_axes_while_they_grow():
    early, late = (charts.losses([line("alibi", [5.0] * n)], WORDS, dark=False, steps=400).layout for n in (1, 4))
    assert early.xaxis.range == late.xaxis.range == (0, 400)
    assert early.yaxis.range == late.yaxis.range


@pytest.mark.parametrize("y", [[3.0, 9.0, 40.0], [250.0, 1e6], [1.01], []])
def test_every_perplexity_that_can_be_is_inside_the_axis(y):
    fig = charts.lengths([line("rope", y)], WORDS, dark=True, trained=128, shares=False)
    low, high = (10**end for end in fig.layout.yaxis.range)
    assert low < high
    assert all(low <= value <= high for value in y if charts.LOWEST <= value <= charts.HIGHEST)
    assert fig.data[0].y.dtype == np.float32


def test_colours_keep_their_meaning_and_samples_are_faint():
    one = charts.Line("alibi", "ALiBi", np.array([128.0]), np.array([5.0]), faint=True)
    fig = charts.lengths([one, line("rope", [4.0])], WORDS, dark=False, trained=128, shares=False)
    assert [trace.line.color for trace in fig.data] == [METHOD_COLOURS["alibi"], METHOD_COLOURS["rope"]]
    assert fig.data[0].opacity < fig.data[1].opacity


def test_recall_is_a_share():
    fig = charts.lengths([line("alibi", [1.0, 0.1])], WORDS, dark=False, trained=128, shares=True)
    assert fig.layout.yaxis.range[0] < 0 < 1 < fig.layout.yaxis.range[1]
    assert fig.layout.yaxis.type != "log"
