"""The clocks against the method that attention uses, context scaling, and what the page says of them."""

import dataclasses
import math

import numpy as np
import pytest
import torch

from alibi_viz.positions.rotary import inv_freq, scaled_inv_freq
from alibi_viz.rules import ROPE_SCALINGS
from pages.lab_rope.study import Controls, compute, method
from tests.pages.apptest import hands, open_page, picture, said, says

LAB = Controls(32, 10_000, "none", 8.0, 2048, 40)


@pytest.mark.parametrize("position", [40, 2047, 2048, 5000, 16_384])
@pytest.mark.parametrize("scaling", ROPE_SCALINGS)
def test_hands_stand_where_the_method_turns_a_pair_and_are_told_from_angles_of_training(scaling, position):
    result = compute(dataclasses.replace(LAB, scaling=scaling, position=position))
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


@pytest.mark.parametrize("scaling", ROPE_SCALINGS)
@pytest.mark.parametrize("dim", ["2", "7", "128"])
def test_every_scaling_at_the_extremes(scaling, dim):
    url = {"scaling": scaling, "rope_dim": dim, "position": "16384", "rope_trained": "1", "factor": "128"}
    at = open_page("lab_rope", **url)
    refused = scaling == "dynamic" and dim == "2"
    assert ("above 2" in picture(at)["problem"]) == refused
    assert says(said(at), "lab_rope", "seen") != refused
    assert hands(at)["values"]["rope_dim"] == int(dim) // 2 * 2, "a pair needs two numbers; the hands stay"


@pytest.mark.parametrize("scaling", ROPE_SCALINGS[1:])
@pytest.mark.parametrize(("dim", "base", "trained"), [(32, 10_000, 2048), (64, 10_000, 300), (128, 500_000, 8192)])
def test_the_formula_says_what_the_scaling_does(scaling, dim, base, trained):
    """Its lists of pairs are those that are kept and divided."""
    url = {
        "scaling": scaling,
        "rope_dim": dim,
        "rope_base": base,
        "rope_trained": trained,
        "factor": 4,
        "position": 5000,
    }
    shown = said(open_page("lab_rope", **{key: str(value) for key, value in url.items()}))
    plain = inv_freq(dim, base).tolist()
    scaled, stretch = scaled_inv_freq(dim, base, scaling, 4.0, trained, 5001)
    assert rf"\theta_i = {base:,}^{{-2i/{dim}}}".replace(",", "{,}") in shown
    assert r"p = 5{,}000" in shown
    if scaling in ("yarn", "llama3"):
        kept = [pair for pair in range(dim // 2) if math.isclose(scaled[pair], plain[pair])]
        divided = [pair for pair in range(dim // 2) if math.isclose(scaled[pair], plain[pair] / 4)]
        between = [pair for pair in range(dim // 2) if pair not in kept + divided]
        ranges = {"kept": kept, "divided": divided, "between": between}
        ranges = {name: f"{pairs[0]}–{pairs[-1]}" if pairs else "–" for name, pairs in ranges.items()}
        assert says(shown, "lab_rope", "formula_ramp", factor=4.0, **ranges)
    assert (rf"m = 0.1 \ln 4 + 1 = {stretch:.4g}" in shown) == (scaling == "yarn")
    assert (r"= m \begin{pmatrix} \cos" in shown) == (scaling == "yarn")


def test_the_page_opens_where_clocks_have_passed_their_training():
    at = open_page("lab_rope")
    result = compute(dataclasses.replace(LAB, position=int(hands(at)["values"]["position"])))
    assert 0 < int((~result.within).sum()) < len(result.within)
