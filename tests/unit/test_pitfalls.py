"""Every pitfall is caught by its check, the right version passes it, and the mistake costs something."""

import math

import numpy as np
import pytest

from alibi_viz.pitfalls.base import measure
from alibi_viz.pitfalls.table import PITFALLS

every = pytest.mark.parametrize("name", PITFALLS)


@every
def test_the_check_passes_the_right_version_and_fails_the_wrong_one(name):
    PITFALLS[name].check(PITFALLS[name].right)
    with pytest.raises(AssertionError):
        PITFALLS[name].check(PITFALLS[name].wrong)


@every
def test_the_cost_is_measured(name):
    measured = measure(PITFALLS[name])
    wrong, right = measured.pictures
    assert wrong.shape == right.shape
    assert wrong.dtype == right.dtype == np.float32
    assert not np.isnan(wrong).any()
    assert not np.array_equal(wrong, right), "the pictures differ"
    assert np.isfinite(right).any()
    wrong_cost, right_cost = measured.costs
    assert math.isfinite(wrong_cost)
    assert abs(wrong_cost - right_cost) > 0.05 * max(abs(wrong_cost), abs(right_cost)), "the mistake costs something"
