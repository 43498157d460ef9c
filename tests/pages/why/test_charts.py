"""Charts of the page on where the break comes from: traces and axes, not pixels."""

from __future__ import annotations

import numpy as np

from alibi_viz.charts import palette
from alibi_viz.charts.lines import Line
from alibi_viz.lessons import load
from pages.why import charts
from pages.why.study import Buckets
from tests.pages.apptest import numbers

LABELS = load("why").entries("chart")


def line(method: str, y: list[float]) -> Line:
    return Line(method, method, np.array([64.0, 128, 256, 2048]), np.array(y))


def test_positions_mark_the_training_length() -> None:
    lines = [line("alibi", [2, 1.5, 1.4, 1.4]), line("rope", [2, 1.4, 3, 4])]
    fig = charts.positions(lines, LABELS, dark=True, length=2048, train_length=128)
    assert fig.layout.shapes[0].x0 == 128
    assert tuple(fig.layout.xaxis.range) == (0, 2048)
    assert fig.layout.yaxis.range[1] > 4
    assert not charts.positions(lines, LABELS, dark=True, length=64, train_length=128).layout.shapes


def test_every_bucket_stands_in_its_strip_once() -> None:
    share, nearest = np.array([0.5, 0.25, 0, 0.25]), np.array([0, 1, -1, 2])
    case = Buckets(64, 128, 113, np.array([True, True, False, False]), nearest, share)
    fig = charts.bucket_strips({"a": case, "b": case}, LABELS, dark=False)
    trained, untrained, unused = fig.data
    assert numbers(trained.x).tolist() == [0, 1, 0, 1]
    assert numbers(untrained.x).tolist() == [3, 3]
    assert untrained.marker.line.color == palette.UNTRAINED.light
    assert untrained.marker.pattern.shape  # not by colour alone
    assert numbers(unused.x).tolist() == [2, 2]
    assert len(set(numbers(trained.base).tolist())) == 2
