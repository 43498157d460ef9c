"""Charts of the ALiBi lab: traces, not pixels."""

from __future__ import annotations

import numpy as np
import pytest

from alibi_viz.lessons import load
from alibi_viz.positions.shapes import SHAPES
from pages.lab_alibi import charts
from pages.lab_alibi.study import Controls, Training, study

LESSON = load("lab_alibi")
WORDS, NAMES = LESSON.entries("chart"), LESSON.entries("shapes")


def test_shapes_differ_in_grey() -> None:
    result = study(Controls((0.5,), 1, ("a", "b"), "equal", 5, 4))
    assert np.isinf(next(shape for shape in result.shapes if shape.name == "window").penalty).any()
    fig = charts.penalties(result, NAMES, WORDS, dark=True)
    assert len({trace.line.dash for trace in fig.data}) == len(SHAPES)
    assert [trace.name for trace in fig.data] == [NAMES[name] for name in SHAPES]
    assert all(np.isfinite(trace.y).all() for trace in fig.data)


def test_training_shows_every_head_and_the_best_slope() -> None:
    path = np.array([[0.5, 0.1], [0.2, 0.01]], dtype=np.float32)
    fig = charts.training(Training(path, 0.1), WORDS, dark=False)
    assert [trace.name for trace in fig.data] == ["head 1", "head 2"]
    assert list(fig.data[1].y) == pytest.approx([0.1, 0.01])
    assert fig.layout.annotations[0].y == pytest.approx(-1)
