"""Charts of the Recall page: traces and axes, not pixels."""

from __future__ import annotations

import numpy as np

from alibi_viz.charts.lines import Line
from alibi_viz.lessons import load
from pages.recall import charts

WORDS = load("recall").entries("chart")


def test_recall_draws_the_first_line_last():
    lines = [Line(name, name, np.array([2, 127, 511]), np.ones(3)) for name in ("alibi", "rope", "none")]
    fig = charts.recall(lines, WORDS, "right", chance=0.1, farthest=127, dark=False)
    assert [trace.name for trace in fig.data] == ["none", "rope", "alibi"]
    sizes = [trace.marker.size for trace in fig.data]
    assert sizes == sorted(sizes, reverse=True)
    assert {shape.x0 for shape in fig.layout.shapes} == {127, 0}
    assert fig.layout.height is None, "the stage gives its height"
