"""The labs' studies, against second ways to compute the same."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alibi_viz.positions.rotary import SCALINGS
from alibi_viz.positions.shapes import SHAPES
from pages.lab_alibi import study as lab_alibi
from pages.lab_learned import study as lab_learned
from pages.lab_rope import study as lab_rope
from pages.lab_sinusoidal import study as lab_sinusoidal
from pages.lab_t5 import study as lab_t5

ROPE = lab_rope.Controls(32, 10_000.0, "none", 8.0, 128, 100, 500)
T5 = lab_t5.Controls(32, 128, False, 64, 300, 1, 0)
ALIBI = lab_alibi.Controls((0.5, 0.25, 0.125), 2, ("a", "b", "a", "c"), "equal", 100)


def test_sinusoidal_table_and_products():
    result = lab_sinusoidal.study(lab_sinusoidal.Controls(50, 16, 10_000.0, 3))
    assert result.table[7, 6] == pytest.approx(math.sin(7 / 10_000 ** (6 / 16)), abs=1e-6)
    assert result.wavelength == pytest.approx(2 * math.pi * 10_000 ** (6 / 16))
    product = sum(math.cos(9 / 10_000 ** (2 * i / 16)) for i in range(8)) / 8
    assert result.alike[9] == pytest.approx(product, abs=1e-6)
    assert result.alike[0] == pytest.approx(1)
    assert result.uneven < 1e-5


@pytest.mark.parametrize("scaling", SCALINGS)
def test_rope_angles_and_wavelengths(scaling):
    result = lab_rope.study(dataclasses.replace(ROPE, scaling=scaling))
    np.testing.assert_allclose(result.angles * result.wavelengths, 100)
    assert result.plain_wavelengths[0] == pytest.approx(2 * math.pi)
    assert result.score[0] == pytest.approx(result.stretch**2)
    assert result.plain_score[0] == 1
    assert (result.wavelengths >= result.plain_wavelengths - 1e-9).all()
    # At the training length dynamic scaling has not begun.
    assert (scaling in ("none", "dynamic")) == np.allclose(result.wavelengths, result.plain_wavelengths)
    assert lab_rope.study(ROPE).full_turns(128) == int((2 * math.pi * 10_000 ** (np.arange(16) / 16) <= 128).sum())


def test_dynamic_scaling_begins_beyond_the_training_length():
    result = lab_rope.study(dataclasses.replace(ROPE, scaling="dynamic", position=1000))
    assert result.wavelengths[-1] > 2 * result.plain_wavelengths[-1]


def test_layouts_and_forms_agree_and_the_mistake_does_not():
    found = lab_rope.differences(ROPE)
    assert found.forms < 1e-5
    assert found.layouts < 1e-6
    assert found.mixed > 1


@settings(deadline=None, max_examples=40)
@given(
    st.integers(1, 64).map(lambda n: 2 * n),
    st.floats(1.1, 1e6),
    st.sampled_from(SCALINGS),
    st.floats(1, 64),
    st.integers(1, 9000),
    st.integers(0, 70_000),
)
def test_any_clock(head_dim, base, scaling, factor, trained, position):
    chosen = lab_rope.Controls(head_dim, base, scaling, factor, trained, position, 64)
    if head_dim == 2 and scaling == "dynamic":
        with pytest.raises(ValueError, match="above 2"):
            lab_rope.study(chosen)
        return
    result = lab_rope.study(chosen)
    assert np.isfinite(result.angles).all()
    assert (result.wavelengths > 0).all()
    assert np.isfinite(result.score).all()


def test_buckets_that_training_never_touches():
    result = lab_t5.study(T5)
    starts = [*range(16), 16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113]
    assert [int(result.distances[result.buckets == b][0]) for b in range(32)] == starts
    assert result.untrained == [b for b, start in enumerate(starts) if start > 63]
    assert lab_t5.study(dataclasses.replace(T5, trained=128)).untrained == []
    both = lab_t5.study(dataclasses.replace(T5, bidirectional=True))
    assert (both.distances[0], both.distances[-1]) == (-300, 300)
    assert both.untrained == [14, 15, 30, 31]
    with pytest.raises(ValueError, match="max_distance"):
        lab_t5.study(dataclasses.replace(T5, farthest=16))


def test_one_bucket_one_bias():
    result = lab_t5.study(T5)
    for bucket in np.unique(result.buckets):
        assert len(set(result.bias[result.buckets == bucket].tolist())) == 1


def test_learned_positions_end():
    result = lab_learned.study(lab_learned.Controls(16, 8, 16, 0))
    assert result.vector is None
    assert "position 16 has no vector" in result.refusal
    inside = lab_learned.study(lab_learned.Controls(16, 8, 15, 0))
    np.testing.assert_array_equal(inside.vector, inside.table[15])
    assert inside.learned == 16 * 8
    assert abs(lab_learned.study(lab_learned.Controls(512, 64, 0, 0)).alike) < 0.05


def test_shapes_on_the_same_content():
    shapes = {shape.name: shape for shape in lab_alibi.study(ALIBI)}
    assert list(shapes) == list(SHAPES)
    np.testing.assert_allclose(shapes["linear"].penalty, -0.25 * shapes["linear"].distances)
    row = np.exp(-0.25 * np.array([3, 2, 1, 0]))
    np.testing.assert_allclose(shapes["linear"].weights[3], row / row.sum(), atol=1e-6)
    reaches = {name: shape.reach.tokens[1, 1] for name, shape in shapes.items()}
    assert reaches["window"] < reaches["exponential"] + 2 < reaches["linear"] < reaches["root"]
    assert reaches["root"] < reaches["log"] < reaches["none"]
    with pytest.raises(ValueError, match="empty"):
        lab_alibi.study(dataclasses.replace(ALIBI, tokens=()))


@pytest.mark.parametrize("distance", [4, 32])
def test_trained_slopes_find_the_best_one(distance):
    training = lab_alibi.train(4, distance)
    assert training.path.shape == (lab_alibi.STEPS + 1, 4)
    assert training.path[0].tolist() == [0.25, 0.0625, 0.015625, 0.00390625]
    assert training.best == pytest.approx(math.log(1 + 1 / distance))
    np.testing.assert_allclose(training.path[-1], training.best, rtol=0.02)
