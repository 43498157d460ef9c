"""The clocks against the method that attention uses, context scaling, and what the page says of them."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import torch

from alibi_viz.positions.rotary import SCALINGS
from pages.lab_rope.study import Controls, method, study
from tests.pages.apptest import hands, open_page, picture, said, says

LAB = Controls(32, 10_000, "none", 8.0, 2048, 40)  # as the page opens


@pytest.mark.parametrize("position", [40, 2047, 2048, 5000, 16_384])
@pytest.mark.parametrize("scaling", SCALINGS)
def test_hands_stand_where_the_method_turns_a_pair_and_are_told_from_angles_of_training(scaling, position):
    result = study(dataclasses.replace(LAB, scaling=scaling, position=position))
    q, at = torch.ones(1, 1, 1, 32), torch.tensor([position])
    first, second = method(result.controls).rotate(q, q, at, at)[0][0, 0, 0].view(2, 16)  # pairs (i, i + d/2)
    turned = np.arctan2(second, first) - math.pi / 4
    np.testing.assert_allclose(np.cos(turned - 2 * math.pi * position * result.turns), 1, atol=1e-5)
    assert float(first.square().add(second.square()).mean()) == pytest.approx(2 * result.stretch**2, rel=1e-5)
    for pair in range(16):  # one clock after the other, from the angles themselves
        in_training, now = np.arange(2048) * result.plain[pair], np.arange(position + 1) * result.turns[pair]
        round_once = result.plain[pair] * 2048 >= 1
        assert (result.trained[pair] >= 1) == round_once
        assert result.within[pair] == (round_once or now.max() <= in_training.max() * (1 + 1e-12))


@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("dim", ["2", "7", "128"])
def test_every_scaling_at_the_extremes(scaling, dim):
    url = {"scaling": scaling, "rope_dim": dim, "position": "16384", "rope_trained": "1", "factor": "128"}
    at = open_page("lab_rope", **url)
    refused = scaling == "dynamic" and dim == "2"
    assert ("above 2" in picture(at)["problem"]) == refused
    assert says(said(at), "lab_rope", "seen") != refused
    assert hands(at)["values"]["rope_dim"] == int(dim) // 2 * 2, "a pair needs two numbers; the hands stay"
