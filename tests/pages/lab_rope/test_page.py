"""The clocks against the method that attention uses, context scaling, and what the page says of them."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import torch

from alibi_viz.positions.rotary import SCALINGS
from pages.lab_rope.study import Controls, method, study
from tests.pages.apptest import hands, open_page, picture_problem, release, said, says

LAB = Controls(32, 10_000, "none", 8.0, 2048, 40)  # as the page opens


@pytest.mark.parametrize("scaling", SCALINGS)
def test_hands_stand_where_the_method_turns_a_pair(scaling):
    result = study(dataclasses.replace(LAB, scaling=scaling, position=5000))
    q, at = torch.ones(1, 1, 1, 32), torch.tensor([5000])
    first, second = method(result.controls).rotate(q, q, at, at)[0][0, 0, 0].view(2, 16)  # pairs (i, i + d/2)
    turned = np.arctan2(second, first) - math.pi / 4
    np.testing.assert_allclose(np.cos(turned - 2 * math.pi * 5000 * result.turns), 1, atol=1e-5)
    assert float(first.square().add(second.square()).mean()) == pytest.approx(2 * result.stretch**2, rel=1e-5)
    assert (result.turns <= result.plain * (1 + 1e-12)).all()


@pytest.mark.parametrize(("head_dim", "full"), [(32, 11), (64, 21)])
@pytest.mark.parametrize("scaling", SCALINGS)
def test_training_knows_no_scaling(scaling, head_dim, full):
    """By hand: 2 pi 10000^(2i/d) <= 2048 for i <= 10.05 (d = 32) and i <= 20.1 (d = 64)."""
    chosen = dataclasses.replace(LAB, scaling=scaling, head_dim=head_dim, position=16_384)
    assert (study(chosen).trained >= 1).sum() == full


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
    assert study(chosen).within.sum() == within


@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("position", [2047, 5000, 16_384])
def test_angles_that_training_had_against_every_angle(scaling, position):
    """One clock after the other, from the angles themselves."""
    result = study(dataclasses.replace(LAB, scaling=scaling, position=position))
    for pair in range(16):
        in_training, now = np.arange(2048) * result.plain[pair], np.arange(position + 1) * result.turns[pair]
        round_once = result.plain[pair] * 2048 >= 1
        assert result.within[pair] == (round_once or now.max() <= in_training.max() * (1 + 1e-12))


@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("dim", ["2", "7", "128"])
def test_every_scaling_at_the_extremes(scaling, dim):
    url = {"scaling": scaling, "rope_dim": dim, "position": "16384", "rope_trained": "1", "factor": "128"}
    at = open_page("lab_rope", **url)
    refused = scaling == "dynamic" and dim == "2"
    assert ("above 2" in picture_problem(at)) == refused
    assert says(said(at), "lab_rope", "seen") != refused
    assert hands(at)["values"]["rope_dim"] == int(dim) // 2 * 2, "a pair needs two numbers; the hands stay"


def test_the_sentences_count_the_clocks_of_training():
    at = open_page("lab_rope", scaling="linear", factor="2", position="16384")
    assert says(said(at), "lab_rope", "seen", full=11, pairs=16, within=11, position=16_384)
    release(at, position=40, scaling="yarn")
    assert says(said(at), "lab_rope", "seen", full=11, within=16, position=40)
    assert says(said(at), "lab_rope", "seen_yarn", stretch="1.069")  # 0.1 ln 2 + 1
