"""The slopes, against the paper's rule and against a sum of the weights."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.slopes.study import DISTANCES, FAR, FARTHEST, Controls, study


def test_slopes_of_the_paper():
    result = study(Controls(8, "paper", 8.0))
    assert result.slopes == [2.0**-h for h in range(1, 9)]
    assert result.half[0] == pytest.approx(math.log(2) / 0.5)
    weights = np.exp(-result.slopes[3] * np.arange(10_000))
    held = np.cumsum(weights) / weights.sum()
    assert result.reach[3] == int(np.argmax(held >= 0.9)) + 1  # keys: the query's own is the first
    assert result.reach[0] == 5  # 1 - e^(-0.5 * 4) = 86%


@given(st.lists(st.floats(0.004, 4.0), min_size=1, max_size=3))
def test_the_nearest_keys_hold_90_percent_of_a_softmax(own):
    result = study(Controls(8, "own list", 8.0, tuple(own)))
    for slope, reach in zip(result.slopes, result.reach, strict=True):
        scores = -slope * np.arange(10_000)  # the last of many equal keys, the nearest first
        weights = np.exp(scores) / np.exp(scores).sum()
        held, count = np.cumsum(weights), int(reach)
        assert held[count - 1] >= 0.9 - 1e-12
        assert count == 1 or held[count - 2] < 0.9 + 1e-12


@pytest.mark.parametrize("rule", ["paper", "plain"])
@given(heads=st.integers(1, 128), top=st.sampled_from([1.0, 8.0, 16.0, 32.0]))
def test_the_largest_exponent_is_that_of_the_gentlest_head(rule, heads, top):
    result = study(Controls(heads, rule, top))
    assert min(result.slopes) == 2.0**-top
    last = rule == "plain" or heads.bit_count() == 1
    assert (result.slopes[-1] == min(result.slopes)) == last


def test_what_the_gentlest_head_takes_from_a_far_key():
    for heads, penalty in ((9, FAR / 512), (32, FAR / 2**32)):
        result = study(Controls(heads, "2^-h", 8.0))
        assert result.far_penalty == penalty
        weights = np.exp(-result.slopes[-1] * np.arange(FAR + 1))
        assert result.far_drop == pytest.approx(1 - weights[FAR] / weights[0], abs=1e-9)


@pytest.mark.parametrize("heads", [1, 12, 128])
def test_the_curves_are_the_weights_of_equal_content(heads):
    result = study(Controls(heads, "paper", 8.0))
    assert (DISTANCES[0], DISTANCES[-1]) == (1, FARTHEST)
    expected = np.exp(-np.outer(result.slopes, DISTANCES.astype(np.float64)))
    np.testing.assert_allclose(result.weights, expected, atol=1e-6)


def test_curves_of_slopes_of_any_size_are_numbers():
    weights = study(Controls(8, "own list", 8.0, (0.0, -3.0, -1e300, 1e300, 5e-324))).weights
    assert np.isfinite(weights).all()
    np.testing.assert_array_equal(weights[0], 1)
    assert (weights[1:3] > 1.03).all(), "they leave the picture at its top"
    np.testing.assert_array_equal(weights[3], 0)


def test_own_slopes():
    result = study(Controls(8, "own list", 8.0, (0.5, 2**-0.5, 0.3, 0.0)))
    assert [str(e) for e in result.exponents] == ["1", "1/2", "None", "None"]
    assert result.half[3] == math.inf
    with pytest.raises(ValueError, match="at least one"):
        study(Controls(8, "own list", 8.0))
