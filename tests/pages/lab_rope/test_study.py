"""Clocks, scaling, layouts and forms."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from alibi_viz.positions.rotary import SCALINGS
from pages.lab_rope.study import Controls, average, differences, method, study

ROPE = Controls(32, 10_000.0, "none", 8.0, 128, 100, 500)


@pytest.mark.parametrize("scaling", SCALINGS)
def test_wavelengths_and_scores(scaling):
    result = study(dataclasses.replace(ROPE, scaling=scaling))
    found = average(result)
    q = torch.ones(1, 1, 1, 32)  # alike in every pair
    here, there = (method(result.controls).rotate(q, q, x, x)[0] for x in (torch.tensor([0]), torch.tensor([100])))
    at = int(np.flatnonzero(found.distances == 100)[0])
    if scaling != "dynamic":  # which turns slower the longer the text
        assert found.score[at] == pytest.approx(float((here * there).mean()), abs=1e-5)
    assert result.plain_wavelengths[0] == pytest.approx(2 * math.pi)
    assert found.score[0] == pytest.approx(result.stretch**2)
    assert found.plain_score[0] == 1
    assert (result.wavelengths >= result.plain_wavelengths - 1e-9).all()
    # At the training length dynamic scaling has not begun.
    assert (scaling in ("none", "dynamic")) == np.allclose(result.wavelengths, result.plain_wavelengths)
    assert study(ROPE).full_turn.sum() == int((2 * math.pi * 10_000 ** (np.arange(16) / 16) <= 128).sum())


LAB = Controls(32, 10_000.0, "none", 8.0, 2048, 40, 4096)  # as the page opens


@pytest.mark.parametrize(("head_dim", "full"), [(32, 11), (64, 21)])
@pytest.mark.parametrize("scaling", SCALINGS)
def test_training_knows_no_scaling(scaling, head_dim, full):
    """By hand: 2 pi 10000^(2i/d) <= 2048 for i <= 10.05 (d = 32) and i <= 20.1 (d = 64)."""
    chosen = dataclasses.replace(LAB, scaling=scaling, head_dim=head_dim, position=16_384)
    assert study(chosen).full_turn.sum() == full


@pytest.mark.parametrize(
    ("scaling", "factor", "position", "within"),
    [
        ("none", 8.0, 2047, 16),
        ("none", 8.0, 2048, 11),
        ("linear", 8.0, 8 * 2047, 16),
        ("linear", 8.0, 8 * 2047 + 1, 11),
        ("linear", 2.0, 16_384, 11),
        ("linear", 3.7, 2048, 16),
    ],
)
def test_angles_that_training_had(scaling, factor, position, within):
    chosen = dataclasses.replace(LAB, scaling=scaling, factor=factor, position=position)
    assert study(chosen).seen.sum() == within


@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("position", [2047, 5000, 16_384])
def test_angles_that_training_had_against_every_angle(scaling, position):
    """One clock after the other, from the angles themselves."""
    result = study(dataclasses.replace(LAB, scaling=scaling, position=position))
    for pair in range(16):
        in_training = 2 * math.pi * np.arange(2048) / result.plain_wavelengths[pair]
        now = 2 * math.pi * np.arange(position + 1) / result.wavelengths[pair]
        round_once = result.plain_wavelengths[pair] <= 2048
        assert result.seen[pair] == (round_once or now.max() <= in_training.max() + 1e-9)


def test_dynamic_scaling_begins_beyond_the_training_length():
    result = study(dataclasses.replace(ROPE, scaling="dynamic", position=1000))
    assert result.wavelengths[-1] > 2 * result.plain_wavelengths[-1]


def test_layouts_and_forms_agree_and_the_mistake_does_not():
    found = differences(ROPE)
    assert found["forms"] < 1e-5
    assert found["layouts"] < 1e-6
    assert found["mixed"] > 1


@settings(deadline=None, max_examples=40)
@given(
    st.integers(1, 64).map(lambda n: 2 * n),
    st.floats(1.1, 1e6),
    st.sampled_from(SCALINGS),
    st.floats(1, 64),
    st.integers(1, 9000),
    st.integers(0, 70_000),
)
def test_any_clock(head_dim, base, scaling, factor, train_length, position):
    chosen = Controls(head_dim, base, scaling, factor, train_length, position, 64)
    if head_dim == 2 and scaling == "dynamic":
        with pytest.raises(ValueError, match="above 2"):
            study(chosen)
        return
    result = study(chosen)
    assert np.isfinite(position / result.wavelengths).all()
    assert (result.wavelengths > 0).all()
    assert np.isfinite(average(result).score).all()
    assert ((result.trained_turns >= 0) & (result.trained_turns <= 1)).all()
