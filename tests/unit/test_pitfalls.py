"""Every pitfall is caught by its check, the right version passes it, and the mistake costs something."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from alibi_viz.pitfalls import PITFALLS, measure
from alibi_viz.positions.alibi import slopes

every = pytest.mark.parametrize("name", PITFALLS)


@every
def test_the_check_passes_the_right_version(name):
    PITFALLS[name].check(PITFALLS[name].right)


@every
def test_the_check_fails_the_wrong_version(name):
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
    wrong_total, right_total = measured.totals
    assert math.isfinite(wrong_total)
    assert abs(wrong_total - right_total) > 0.2 * max(abs(wrong_total), abs(right_total)), "the mistake costs something"


def test_right_slopes_are_those_of_the_library():
    assert PITFALLS["slopes_power"].right(12) == slopes(12)
    assert PITFALLS["slopes_blog"].right(32) == slopes(32)


def test_known_costs():
    """Numbers that follow from the rules by hand."""
    wrong = {
        name: measure(PITFALLS[name]).totals[0] for name in ("sqrt_d", "cache_offset", "slopes_blog", "masked_rows")
    }
    assert wrong["sqrt_d"] == pytest.approx(8 * math.log(2) / 0.25, rel=1e-3)
    assert wrong["cache_offset"] > 0.5
    # After the 17th head 2^-h is so small that a key 2,048 tokens back weighs less than 1% below the nearest.
    assert wrong["slopes_blog"] == 32 - math.floor(math.log2(2048 / -math.log(0.99)))
    assert wrong["masked_rows"] == 1.0


def test_nan_begins_in_the_padding_alone():
    weights = PITFALLS["masked_rows"].wrong(torch.zeros(4, 4), torch.ones(4, 4).tril().bool() & (torch.arange(4) > 0))
    assert weights.isnan().all(-1).tolist() == [True, False, False, False]
