"""Sinusoidal vectors and their similarities against the formula, and what the page says and draws of them."""

import math

import numpy as np

from pages.lab_sinusoidal.study import Controls, compute
from tests.pages.apptest import hands, open_page, presets, release, said, says, shown, traces


def test_vectors_and_similarities_follow_the_formula():
    result = compute(Controls(50, 16, 10_000, 3))
    frequencies = 10_000 ** (-2 * np.arange(8) / 16)
    angles = np.outer(np.arange(50), frequencies)
    np.testing.assert_allclose(result.table, np.stack([np.sin(angles), np.cos(angles)], -1).reshape(50, 16), atol=1e-5)
    np.testing.assert_allclose(result.wavelengths, 2 * math.pi / frequencies)
    np.testing.assert_allclose(result.similarities, np.cos(angles).mean(1), atol=1e-5)
    np.testing.assert_allclose(result.of_pair, np.cos(angles[:, 3]), atol=1e-5)


def test_one_pair_repeats_and_many_do_not():
    """44 tokens are almost exactly 7 turns of the fastest pair: 44 / (2 pi) = 7.003."""
    at = open_page("lab_sinusoidal")
    assert says(said(at), "lab_sinusoidal", "note", closest=1, likeness="0.9662")
    release(at, **presets("lab_sinusoidal")["one"])
    assert says(said(at), "lab_sinusoidal", "note", closest=44, likeness=f"{math.cos(44):.4f}")
    assert says(said(at), "lab_sinusoidal", "seen", deviation="0"), "what rounding makes is no change"
    *_, one_pair, whole, _ = traces(at)
    assert one_pair["y"] == whole["y"], "with one pair, the pair is all there is"


def test_a_slider_with_one_value_alone_is_not_shown():
    at = open_page("lab_sinusoidal", waves_width="2", pair="0")
    assert "pair" not in {hand["key"] for hand in hands(at)["hands"]}
    release(at, pair=7)  # as a browser may that still shows it
    assert shown(at, "pair") == 0
