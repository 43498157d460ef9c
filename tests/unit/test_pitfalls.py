"""Every pitfall is caught by its check, the right version passes it, and the mistake costs something."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from alibi_viz.pitfalls import PITFALLS, masked_rows, slopes_blog, slopes_power
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
def test_the_damage_is_measured(name):
    measured = PITFALLS[name].measure()
    pictures, damage = measured.pictures, measured.damage
    assert pictures.wrong.shape == pictures.right.shape
    assert pictures.wrong.dtype == pictures.right.dtype == np.float32
    assert not np.isnan(pictures.wrong).any()
    assert not np.array_equal(pictures.wrong, pictures.right), "the pictures differ"
    assert np.isfinite(pictures.right).any()
    assert pictures.domain[0] < pictures.domain[1]
    assert math.isfinite(damage.wrong)
    assert abs(damage.wrong - damage.right) > 0.2 * max(abs(damage.wrong), abs(damage.right)), (
        "the mistake costs something"
    )
    assert len(damage.x) == len(damage.wrong_y) == len(damage.right_y)
    assert (np.diff(damage.x) > 0).all()


def test_two_runs_measure_the_same():
    for name in ("no_mask", "t5_scaled", "is_causal"):
        first, second = (PITFALLS[name].measure().damage for _ in range(2))
        assert (first.wrong, first.right) == (second.wrong, second.right)


def test_right_slopes_are_those_of_the_library():
    assert slopes_power.right(12) == slopes(12)
    assert slopes_blog.right(32) == slopes(32)


def test_known_sizes_of_the_damage():
    """Numbers that follow from the rules by hand."""
    assert PITFALLS["sqrt_d"].measure().damage.wrong == pytest.approx(8 * math.log(2) / 0.25, rel=1e-3)
    assert PITFALLS["cache_offset"].measure().damage.wrong > 0.5
    # 2^-h falls below BLIND / FAR after the 17th head: the rest weigh all keys alike.
    assert PITFALLS["slopes_blog"].measure().damage.wrong == 32 - math.floor(math.log2(2048 / -math.log(0.99)))
    assert PITFALLS["masked_rows"].measure().damage.wrong == 1.0


def test_nan_begins_in_the_padding_alone():
    weights = masked_rows.wrong(torch.zeros(4, 4), torch.ones(4, 4).tril().bool() & (torch.arange(4) > 0))
    assert weights.isnan().all(-1).tolist() == [True, False, False, False]
