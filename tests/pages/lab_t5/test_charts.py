"""Charts of the T5 lab: traces, not pixels."""

from __future__ import annotations

import numpy as np

from alibi_viz.charts import palette
from alibi_viz.lessons import load
from pages.lab_t5 import charts
from pages.lab_t5.study import Controls, Result

WORDS = load("lab_t5").entries("chart")


def result(train_length: int, trained: list[bool]) -> Result:
    """Four distances with a bucket each."""
    distances = np.arange(4)
    controls = Controls(4, 4, False, train_length, 3, 1, 0)
    return Result(controls, distances, distances, distances * 0.5, np.array(trained), np.ones(4, dtype=bool), 3)


def test_untrained_buckets_are_red() -> None:
    drawn = result(2, [True, True, False, False])
    fig = charts.by_bucket(drawn, drawn.buckets, WORDS, "bucket", dark=False)
    assert [trace.marker.color for trace in fig.data] == [palette.LOOKS["t5"].light, palette.UNTRAINED.light]
    assert [trace.name for trace in fig.data] == [WORDS["trained"], WORDS["untrained"]]
    assert list(fig.data[1].x) == [2, 3]
    assert fig.layout.shapes[0].x0 == 2
    assert fig.layout.height is None, "it fills the stage"


def test_one_trace_where_all_is_trained() -> None:
    drawn = result(9, [True] * 4)
    fig = charts.by_bucket(drawn, drawn.bias, WORDS, "bias", dark=True, height=320)
    assert len(fig.data) == 1
    assert fig.layout.height == 320
    low, high = fig.layout.yaxis.range
    assert low < drawn.bias.min()
    assert high > drawn.bias.max(), "room between the points and the legend"
    assert not fig.layout.shapes
