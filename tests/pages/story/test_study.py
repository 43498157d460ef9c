"""What the scenes compute."""

from __future__ import annotations

import numpy as np
import pytest

from alibi_viz.lessons import load
from alibi_viz.positions.alibi import slopes
from alibi_viz.results import trained
from pages.story import study
from pages.story.controls import SCENES
from pages.story.scenes import SCENES as DRAWN

FIRST, SECOND = (load("story").label(name).split() for name in ("first", "second"))


def test_every_scene_has_its_picture_and_its_words():
    lesson = load("story")
    assert tuple(DRAWN) == SCENES
    assert all(f"{name}.question" in lesson and f"{name}.note" in lesson for name in SCENES)


def test_without_positions_attention_is_permutation_equivariant_and_a_mask_ends_that():
    assert sorted(FIRST) == sorted(SECOND)
    assert study.orders(FIRST, SECOND, causal=False).difference < 1e-6
    assert study.orders(FIRST, SECOND, causal=True).difference > 0.05
    assert study.orders(FIRST, FIRST, causal=True).difference == 0


def test_a_penalty_is_the_bias_and_its_softmax():
    result, m, n = study.penalty(0.25, 8), 0.25, 8
    i, j = np.mgrid[:n, :n]
    below = j <= i
    assert result.bias[below] == pytest.approx((-m * (i - j))[below])
    assert np.isneginf(result.bias[~below]).all()
    expected = np.where(below, np.exp(-m * (i - j)), 0)
    expected /= expected.sum(1, keepdims=True)
    assert result.weights[below] == pytest.approx(expected[below], abs=1e-6)


@pytest.mark.parametrize("times", [2, 8])
def test_the_training_square_does_not_change(times):
    slope = slopes(8)[3]
    short, long = study.penalty(slope, 64).bias, study.penalty(slope, 64 * times).bias
    assert np.array_equal(short, long[:64, :64])


def test_trained_heads_of_alibi_look_alike_in_a_longer_text():
    """The sentence of the scene, from the shipped models."""
    profiles = {profile.method: profile for profile in study.profiles()}
    assert tuple(profiles) == study.COMPARED
    for profile in profiles.values():
        assert profile.at_length.sum() == pytest.approx(1)
        assert profile.beyond is None or profile.beyond.sum() == pytest.approx(1)
    assert profiles["learned"].beyond is None
    assert profiles["alibi"].shift < 0.3 < 0.7 < min(profiles["sinusoidal"].shift, profiles["rope"].shift)


def test_the_mean_weight_by_distance_by_hand():
    loaded = trained.load("alibi")
    text = study.python_docs().held_out[:16]
    rows = trained.inputs(loaded, text, loaded.config.layers).trace().weights[0].double().mean(0).numpy()
    last = rows[15, ::-1]  # by distance
    monkey = pytest.MonkeyPatch()
    with monkey.context() as patch:
        patch.setattr(study, "QUERIES", 1)
        patch.setattr(study, "TEXTS", 1)
        assert study._by_distance(loaded, 16) == pytest.approx(last)
