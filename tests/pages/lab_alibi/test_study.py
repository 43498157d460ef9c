"""Shapes of the penalty, and slopes that are trained."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from alibi_viz.positions.shapes import SHAPES
from pages.lab_alibi.study import STEPS, Controls, study, train

ALIBI = Controls((0.5, 0.25, 0.125), 2, ("a", "b", "a", "c"), "equal", 100, 16)


def test_shapes_on_the_same_content():
    result = study(ALIBI)
    shapes = {shape.name: shape for shape in result.shapes}
    assert list(shapes) == list(SHAPES)
    np.testing.assert_allclose(shapes["linear"].penalty, -0.25 * result.distances)
    row = np.exp(-0.25 * np.array([3, 2, 1, 0]))
    np.testing.assert_allclose(shapes["linear"].weights[3], row / row.sum(), atol=1e-6)
    reaches = {name: shape.reach[1, 1] for name, shape in shapes.items()}
    assert reaches["window"] < reaches["exponential"] + 2 < reaches["linear"] < reaches["root"]
    assert reaches["root"] < reaches["log"] < reaches["none"]
    with pytest.raises(ValueError, match="empty"):
        study(dataclasses.replace(ALIBI, tokens=()))


@pytest.mark.parametrize("distance", [4, 32])
def test_trained_slopes_find_the_best_one(distance):
    training = train(4, distance)
    assert training.path.shape == (STEPS + 1, 4)
    assert training.path[0].tolist() == [0.25, 0.0625, 0.015625, 0.00390625]
    assert training.best == pytest.approx(math.log(1 + 1 / distance))
    np.testing.assert_allclose(training.path[-1], training.best, rtol=0.02)
