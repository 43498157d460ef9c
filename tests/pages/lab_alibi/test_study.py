"""Shapes of the penalty, and slopes that are trained."""

from __future__ import annotations

import dataclasses
import math
import time

import numpy as np
import pytest

from alibi_viz.positions.alibi import slopes
from alibi_viz.positions.shapes import SHAPES
from pages.lab_alibi import controls
from pages.lab_alibi.study import MOST_STEPS, Controls, at_distances, shapes, study, train

ALIBI = Controls((0.5, 0.25, 0.125), 2, ("a", "b", "a", "c"), "equal", 100, 16)


def test_shapes_on_the_same_content():
    found = {shape.name: shape for shape in shapes(ALIBI)}
    assert list(found) == list(SHAPES)
    np.testing.assert_allclose(found["linear"].penalty, -0.25 * at_distances(ALIBI))
    row = np.exp(-0.25 * np.array([3, 2, 1, 0]))
    np.testing.assert_allclose(found["linear"].weights[3], row / row.sum(), atol=1e-6)
    reaches = {name: shape.reach[1, 1] for name, shape in found.items()}
    assert reaches["window"] < reaches["exponential"] + 2 < reaches["linear"] < reaches["root"]
    assert reaches["root"] < reaches["log"] < reaches["none"]
    with pytest.raises(ValueError, match="empty"):
        shapes(dataclasses.replace(ALIBI, tokens=()))


def test_a_trained_slope_gives_the_wanted_token_the_most_weight():
    """Of slopes set by hand none gives more; the closed form is that of a text without end."""
    result = study(dataclasses.replace(ALIBI, target=3))
    expected = [(1 - math.exp(-m)) * math.exp(-3 * m) for m in (*ALIBI.slopes, math.log(4 / 3))]
    assert [*result.held, result.held_learned] == pytest.approx(expected, rel=1e-3)
    assert result.held_learned == pytest.approx(27 / 256, rel=1e-3)  # (1/4) (3/4)^3
    assert max(result.held) < result.held_learned


@pytest.mark.parametrize("heads", [1, 4, 7, 8])
@pytest.mark.parametrize("distance", [*range(1, 10), 16, 31, 64, 99, 128, 180, 222, 255, 256])
def test_trained_slopes_find_the_best_one(heads, distance):
    training = train(heads, distance)
    assert training.path[0].tolist() == pytest.approx(slopes(heads))
    assert training.steps == len(training.path) - 1 < MOST_STEPS  # the stopping rule ended it
    assert training.best == pytest.approx(math.log(1 + 1 / distance))
    assert training.path.min() > 0
    np.testing.assert_allclose(training.path[-1], training.best, rtol=1e-3)
    assert training.gap == pytest.approx(float(max(abs(training.path[-1] / training.best - 1))))


def test_the_best_slope_is_best_by_trying_many():
    """The weight of the wanted distance, by a plain softmax over many slopes."""
    for distance in (controls.TARGET.low, 16, controls.TARGET.high):
        tried = np.geomspace(0.5, 2, 2001) * train(1, int(distance)).path[-1, 0]
        scores = np.exp(-tried[:, None] * np.arange(16 * max(int(distance), 16)))
        weights = scores[:, int(distance)] / scores.sum(axis=1)
        assert tried[weights.argmax()] == pytest.approx(math.log1p(1 / distance), rel=2e-3)


def test_training_does_not_keep_a_reader_waiting():
    train.cache_clear()
    start = time.process_time()  # of this process: other work on the machine does not count
    train(8, int(controls.TARGET.high))
    assert time.process_time() - start < 1
