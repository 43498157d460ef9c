"""Slopes against the paper's rule and a sum of the weights; layers and training against a second way."""

from __future__ import annotations

import math
from math import comb, exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.positions.alibi import slopes
from pages.slopes.study import DISTANCES, FARTHEST, LAYERS, MOST_STEPS, SHARE, reach_by_layers, study, train


def test_slopes_of_the_paper():
    result = study(8, "paper", 8.0)
    assert result.slopes == [2.0**-h for h in range(1, 9)]
    assert result.half[0] == pytest.approx(math.log(2) / 0.5)
    weights = np.exp(-result.slopes[3] * np.arange(10_000))
    held = np.cumsum(weights) / weights.sum()
    assert result.reach[3] == int(np.argmax(held >= 0.9)) + 1  # keys: the query's own is the first
    assert result.reach[0] == 5  # 1 - e^(-0.5 * 4) = 86%


@given(st.lists(st.floats(0.004, 4.0), min_size=1, max_size=3))
def test_the_nearest_keys_hold_90_percent_of_a_softmax(own):
    result = study(8, "own list", 8.0, tuple(own))
    for slope, reach in zip(result.slopes, result.reach, strict=True):
        scores = -slope * np.arange(10_000)  # the last of many equal keys, the nearest first
        weights = np.exp(scores) / np.exp(scores).sum()
        held, count = np.cumsum(weights), int(reach)
        assert held[count - 1] >= 0.9 - 1e-12
        assert count == 1 or held[count - 2] < 0.9 + 1e-12


@pytest.mark.parametrize("rule", ["paper", "plain"])
@given(heads=st.integers(1, 128), top=st.sampled_from([1.0, 8.0, 16.0, 32.0]))
def test_the_largest_exponent_is_that_of_the_gentlest_head(rule, heads, top):
    result = study(heads, rule, top)
    assert min(result.slopes) == 2.0**-top
    last = rule == "plain" or heads.bit_count() == 1
    assert (result.slopes[-1] == min(result.slopes)) == last


@pytest.mark.parametrize("heads", [1, 12, 128])
def test_the_curves_are_the_weights_of_equal_content(heads):
    result = study(heads, "paper", 8.0)
    assert (DISTANCES[0], DISTANCES[-1]) == (1, FARTHEST)
    expected = np.exp(-np.outer(result.slopes, DISTANCES.astype(np.float64)))
    np.testing.assert_allclose(result.weights, expected, atol=1e-6)


def test_curves_of_slopes_of_any_size_are_numbers():
    weights = study(8, "own list", 8.0, (0.0, -3.0, -1e300, 1e300, 5e-324)).weights
    assert np.isfinite(weights).all()
    np.testing.assert_array_equal(weights[0], 1)
    assert (weights[1:3] > 1.03).all(), "they leave the picture at its top"
    np.testing.assert_array_equal(weights[3], 0)


def test_own_slopes():
    result = study(8, "own list", 8.0, (0.5, 2**-0.5, 0.3, 0.0))
    assert [str(e) for e in result.exponents] == ["1", "1/2", "None", "None"]
    assert result.half[3] == math.inf
    with pytest.raises(ValueError, match="at least one"):
        study(8, "own list", 8.0)


@pytest.mark.parametrize("slope", [0.5, 1 / 16])
def test_one_head_in_every_layer_is_a_negative_binomial(slope):
    all_heads, gentlest = reach_by_layers((slope,))
    assert all_heads == gentlest
    for layers, tokens in zip(LAYERS, gentlest, strict=True):
        stay = 1 - exp(-slope)
        chances = [comb(d + layers - 1, d) * stay**layers * exp(-slope * d) for d in range(tokens)]
        assert sum(chances) >= SHARE
        assert sum(chances[:-1]) < SHARE


def test_many_heads_in_layers_by_drawing():
    rng, heads = np.random.default_rng(0), np.array(slopes(8))
    found = dict(zip(LAYERS, reach_by_layers(tuple(heads))[0], strict=True))
    chosen = 1 - np.exp(-rng.choice(heads, size=(40_000, 8)))
    drawn = (rng.geometric(chosen) - 1).sum(1)
    assert np.mean(drawn < found[8]) == pytest.approx(SHARE, abs=0.01)


@pytest.mark.parametrize("refused", [(0.5, 0.0), (0.5, -0.1), (1e-9,)])
def test_layers_of_slopes_without_an_end_reach_nowhere(refused):
    assert reach_by_layers(refused) is None


@pytest.mark.parametrize("heads", [1, 7, 16])
@pytest.mark.parametrize("distance", [1, 2, 3, 9, 16, 31, 64, 99, 180, 256])
def test_trained_slopes_find_the_best_one(heads, distance):
    training = train(tuple(slopes(heads)), distance)
    assert training.path[0].tolist() == pytest.approx(slopes(heads))
    assert len(training.path) - 1 < MOST_STEPS, "the stopping rule ended it"
    assert training.best == pytest.approx(math.log(1 + 1 / distance))
    np.testing.assert_allclose(training.path[-1], training.best, rtol=1e-3)
    assert training.held >= training.held_before - 1e-9


def test_the_best_slope_is_best_by_trying_many():
    """The weight of the wanted distance, by a plain softmax over many slopes."""
    for distance in (1, 16, 256):
        training = train((0.5,), distance)
        tried = np.geomspace(0.5, 2, 2001) * training.path[-1, 0]
        weights = np.exp(-tried[:, None] * np.arange(16 * max(distance, 16)))
        weights = weights[:, distance] / weights.sum(axis=1)
        assert tried[weights.argmax()] == pytest.approx(math.log1p(1 / distance), rel=2e-3)
        assert weights.max() == pytest.approx(training.held, rel=1e-3)
