"""The one rule of comparison: what it says of known differences, and that every sentence takes its word from it."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.results import comparison
from alibi_viz.results.comparison import FEWEST_BLOCKS, WORSE, Break, Difference, difference, over_blocks, over_seeds

PER_WORD = 4.0


def runs(losses, blocks=None, length=256):
    """A row a seed; the first one with its blocks."""
    rows = [
        {"method": "rope", "seed": seed, "loss": loss, "bytes_per_word": PER_WORD, "train_length": 128}
        | {"length": length, "by_block": blocks if blocks and not seed else None}
        for seed, loss in enumerate(losses)
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (-0.1, 0.1, "same"),
        (0.02, 0.08, "same"),
        (0.11, 0.2, "worse"),
        (-0.2, -0.11, "better"),
        (0.05, 0.15, "open"),
        (-0.3, 0.3, "open"),
        (-0.15, -0.05, "open"),
        (-math.inf, math.inf, "open"),
    ],
)
def test_the_whole_interval_decides(low, high, verdict):
    assert Difference((low + high) / 2, low, high, 3).verdict == verdict


def test_three_seeds_give_a_paired_t_interval():
    """4.3027 is the 97.5 % quantile with two degrees of freedom, from a printed table."""
    differences = np.array([0.2, 0.3, 0.25])
    found = over_seeds(differences)
    half = 4.3027 * np.std(differences, ddof=1) / math.sqrt(3)
    assert (found.low, found.mean, found.high) == pytest.approx((0.25 - half, 0.25, 0.25 + half), abs=1e-5)
    shift = np.array([1.0, 3.0, 2.0])  # seeds differ by much, in both measurements alike
    paired = difference(runs((shift + differences / PER_WORD).tolist()), runs(shift.tolist()))
    assert (paired.low, paired.high) == pytest.approx((found.low, found.high))
    assert paired.seeds == 3


def test_one_seed_is_judged_by_the_blocks_of_its_text():
    rng = np.random.default_rng(1)
    text = rng.normal(1.5, 0.4, 64)  # blocks are hard or easy, for both alike
    noise = rng.normal(0.05, 0.02, 64)
    found = difference(
        runs([float((text + noise).mean())], (text + noise).tolist()), runs([float(text.mean())], text.tolist())
    )
    assert found.seeds == 1
    assert found.mean == pytest.approx(PER_WORD * noise.mean())
    half = 1.96 * PER_WORD * noise.std(ddof=1) / 8
    assert (found.low, found.high) == pytest.approx((found.mean - half, found.mean + half), abs=0.2 * half)
    with pytest.raises(ValueError, match="share neither"):
        difference(runs([1.0, 1.1]), runs([1.0, 1.1]))
    with pytest.raises(ValueError, match="share neither"):
        difference(runs([1.0], [1.0] * 64), runs([1.0]))


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=80), st.floats(-3, 3))
def test_a_text_of_few_blocks_tells_nothing_and_a_constant_difference_everything(blocks, constant):
    found = over_blocks(np.array(blocks))
    assert found.low <= found.mean + 1e-9
    assert found.mean <= found.high + 1e-9
    assert (
        over_blocks(-np.array(blocks)).verdict
        == {"worse": "better", "better": "worse"}.get(found.verdict, found.verdict)
        or min(abs(abs(end) - WORSE) for end in (found.low, found.high)) < 0.05
    ), "but for the edge of a percentile"
    if len(blocks) < FEWEST_BLOCKS:
        assert found.verdict == "open"
    else:
        steady = over_blocks(np.full(len(blocks), constant))
        assert (steady.low, steady.high) == pytest.approx((constant, constant))


def test_a_method_breaks_at_the_first_window_that_is_worse_and_holds_if_none_is_open():
    same, worse, unclear = Difference(0, -0.05, 0.05, 3), Difference(1, 0.5, 1.5, 3), Difference(0.1, 0, 0.2, 3)
    better, good = Difference(-1, -1.5, -0.5, 3), Difference(-0.1, -0.2, 0.0, 3)  # the same or better: open which
    found = comparison.breaks(
        {
            "broken": {2.0: same, 4.0: unclear, 8.0: worse, 16.0: worse},
            "held": {2.0: same, 4.0: good, 16.0: better},
            "unclear": {2.0: same, 16.0: unclear},
        }
    )
    assert found == {
        "broken": Break(8.0, 2.0, 16.0),
        "held": Break(None, 16.0, 16.0),
        "unclear": Break(None, 2.0, 16.0),
    }
    assert [name for name, one in found.items() if one.holds] == ["held"]
