"""Charts of the ALiBi lab: traces, not pixels."""

from __future__ import annotations

import numpy as np
import pytest

from alibi_viz.lessons import load
from pages.lab_alibi import charts
from pages.lab_alibi.study import Training

LESSON = load("lab_alibi")
WORDS = LESSON.entries("chart")


def test_training_shows_every_head_and_the_best_slope() -> None:
    path = np.array([[0.5, 0.1], [0.2, 0.01]], dtype=np.float32)
    fig = charts.training(Training(path, 0.1), WORDS, dark=False)
    assert [trace.name for trace in fig.data] == ["head 1", "head 2"]
    assert list(fig.data[1].y) == pytest.approx([0.1, 0.01])
    assert fig.layout.annotations[0].y == pytest.approx(-1)
