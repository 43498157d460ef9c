"""Charts of Compare and the labs: traces and axes, not pixels."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from alibi_viz.charts import lab, palette
from alibi_viz.lessons import load
from alibi_viz.positions import METHODS
from alibi_viz.positions.shapes import SHAPES
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
    lines = [(name, name, distances, -distances / 10) for name in METHODS]
    words = load("compare").entries("chart")
    fig = compare.curves(lines, words, dark=dark, log=log, farthest=1000, trained=100)
    assert [trace.name for trace in fig.data] == list(METHODS)
    assert tuple(fig.layout.yaxis.range) == (compare.LOWEST, compare.HIGHEST)
    assert numbers(fig.data[0].y).tolist() == pytest.approx([-0.1, -1, -100])
    assert fig.layout.shapes[0].x0 == 100  # a line takes the value itself, its text the logarithm on a log axis
    assert fig.layout.annotations[0].x == (2 if log else 100)
    assert not compare.curves(lines, words, dark=dark, log=log, farthest=50, trained=100).layout.shapes


def test_reach_counts_the_query_itself() -> None:
    line = ("alibi", "ALiBi", np.array([1, 2]), np.array([0, 9]))
    fig = compare.reach([line], load("compare").entries("chart"), dark=False, heads=2, chosen=1, past=64)
    assert numbers(fig.data[0].y).tolist() == [1, 10]


def test_full_turns_are_filled() -> None:
    waves = np.array([6.0, 60.0, 600.0])
    fig = lab.wavelengths(waves, waves, 100, load("lab_rope").entries("chart"), dark=False)
    assert [len(numbers(trace.x)) for trace in fig.data] == [3, 2, 1]


def test_untouched_buckets_are_red() -> None:
    distances, touched = np.arange(4), np.array([True, True, False, False])
    words = load("lab_t5").entries("chart")
    fig = lab.by_bucket(distances, distances, touched, words, "bucket", dark=False, length=2)
    assert [trace.marker.color for trace in fig.data] == [palette.LOOKS["t5"].light, palette.UNTRAINED.light]
    assert numbers(fig.data[1].x).tolist() == [2, 3]
    assert len(lab.by_bucket(distances, distances, touched | True, words, "bucket", dark=True, length=9).data) == 1


def test_shapes_differ_in_grey() -> None:
    distances = np.arange(5)
    words = load("lab_alibi").entries("chart")
    fig = lab.shapes([(name, -distances * 1.0) for name in SHAPES], distances, words, dark=True)
    assert len({trace.line.dash for trace in fig.data}) == len(SHAPES)
    window = lab.shapes([("window", np.array([0, 0, -np.inf, -np.inf, -np.inf]))], distances, words, dark=False)
    assert np.isfinite(numbers(window.data[0].y)).all()


def test_training_shows_every_head_and_the_best_slope() -> None:
    path = np.array([[0.5, 0.1], [0.2, -0.1]], dtype=np.float32)
    fig = lab.training(path, 0.1, load("lab_alibi").entries("chart"), dark=False)
    assert [trace.name for trace in fig.data] == ["head 1", "head 2"]
    assert np.isnan(numbers(fig.data[1].y)[1])  # a slope below zero has no place on a log axis
    assert fig.layout.annotations[0].y == pytest.approx(-1)


def test_waves_and_curves() -> None:
    words = load("lab_sinusoidal").entries("chart")
    fig = lab.waves(np.zeros((5, 4), dtype=np.float32), 1, words, dark=False)
    assert [trace.name for trace in fig.data][-2:] == ["sine", "cosine"]
    one = lab.against_distance([("a", np.ones(3))], np.arange(3), "rope", words, dark=False, span=(0, 1), trained=2)
    assert not one.layout.showlegend
    assert len(one.layout.shapes) == 1
