"""Charts of the ALiBi lab: traces, not pixels."""

from __future__ import annotations

import numpy as np
import pytest

from alibi_viz.lessons import load
from alibi_viz.positions.shapes import SHAPES
from pages.lab_alibi import charts
from pages.lab_alibi.study import Controls, Training, at_distances, shapes, study

LESSON = load("lab_alibi")
WORDS, NAMES = LESSON.entries("chart"), LESSON.entries("shapes")


def test_shapes_differ_in_grey() -> None:
    controls = Controls((0.5,), 1, ("a", "b"), "equal", 5, 4)
    found = shapes(controls)
    assert np.isinf(next(shape for shape in found if shape.name == "window").penalty).any()
    fig = charts.shapes(found, at_distances(controls), NAMES, WORDS, dark=True)
    assert len({trace.line.dash for trace in fig.data}) == len(SHAPES)
    assert [trace.name for trace in fig.data] == [NAMES[name] for name in SHAPES]
    assert all(np.isfinite(trace.y).all() for trace in fig.data)


def test_training_shows_every_head_and_the_best_slope() -> None:
    path = np.array([[0.5, 0.1], [0.2, 0.01]], dtype=np.float32)
    fig = charts.training(Training(path, 0.1), WORDS, dark=False)
    assert [trace.name for trace in fig.data] == ["head 1", "head 2"]
    assert list(fig.data[1].y) == pytest.approx([0.1, 0.01])
    assert fig.layout.annotations[0].y == pytest.approx(-1)


def test_every_head_has_a_line_and_equal_slopes_share_one() -> None:
    result = study(Controls((0.5, 0.25, 0.5), 2, (), "equal", 40, 16))
    fig = charts.heads(result, ("1/2", "1/4", "1/2"), WORDS, dark=False)
    quarter, half, learned = fig.data
    assert [float(half.y[-1]), float(quarter.y[-1])] == [-20.0, -10.0]
    assert float(learned.y[-1]) == pytest.approx(-40 * np.log1p(1 / 16), rel=1e-3)
    assert quarter.line.width > half.line.width, "the selected head"
    texts = [note.text for note in fig.layout.annotations]
    assert "head 1, 3: 1/2" in texts
    assert "head 2: 1/4" in texts
    assert [trace.name for trace in fig.data if trace.showlegend is not False] == ["set by hand", "trained, D = 16"]
    assert fig.layout.height is None, "it fills the stage"


def test_every_label_stands_where_the_chart_shows_its_line() -> None:
    result = study(Controls((1.0, 2.0**-20), 1, (), "equal", 4, 256))
    fig = charts.heads(result, ("1", "2⁻²⁰"), WORDS, dark=False)
    for note in fig.layout.annotations:
        assert 0 < note.x < 4
        assert -10.5 <= note.y <= 0.5


def test_labels_do_not_cover_each_other() -> None:
    slopes = tuple(2.0 ** -(2 * head) for head in range(1, 9))
    fig = charts.heads(study(Controls(slopes, 2, (), "equal", 64, 16)), "12345678", WORDS, dark=False)
    places = [(note.x, note.y) for note in fig.layout.annotations if note.text != "D = 16"]
    assert len(places) > 4
    for number, (x, y) in enumerate(places):
        assert all(abs(x - other) >= 16 or abs(y - height) >= 0.6 for other, height in places[:number])
