"""How far stacked layers reach, against a second way to compute it."""

from __future__ import annotations

from math import comb, exp

import numpy as np
import pytest

from alibi_viz.positions.alibi import slopes
from pages.slopes import depth
from pages.slopes.facts import SHARE
from tests.pages.apptest import open_page, said, says


@pytest.mark.parametrize("slope", [0.5, 1 / 16])
def test_one_head_in_every_layer_is_a_negative_binomial(slope):
    found = depth.reach((slope,))
    assert found.all_heads == found.gentlest
    for layers, tokens in zip(depth.LAYERS, found.gentlest, strict=True):
        stay = 1 - exp(-slope)
        chances = [comb(d + layers - 1, d) * stay**layers * exp(-slope * d) for d in range(tokens)]
        assert sum(chances) >= SHARE
        assert sum(chances[:-1]) < SHARE


def test_many_heads_by_drawing():
    rng, heads = np.random.default_rng(0), np.array(slopes(8))
    found = dict(zip(depth.LAYERS, depth.reach(tuple(heads)).all_heads, strict=True))
    chosen = 1 - np.exp(-rng.choice(heads, size=(40_000, 8)))
    drawn = (rng.geometric(chosen) - 1).sum(1)
    assert np.mean(drawn < found[8]) == pytest.approx(SHARE, abs=0.01)


@pytest.mark.parametrize("refused", [(0.5, 0.0), (0.5, -0.1), (1e-9,)])
def test_slopes_without_an_end_get_a_sentence(refused):
    assert depth.reach(refused) is None


def test_the_section_has_its_numbers():
    assert says(said(open_page("slopes", slopes_open="depth")), "slopes", "depth")
    assert says(said(open_page("slopes", slopes_open="depth", rule="own list", own="0, 0.5")), "slopes", "depth.none")
