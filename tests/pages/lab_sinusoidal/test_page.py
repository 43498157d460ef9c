"""Sinusoidal vectors and their similarities against the formula, and what the page says and draws of them."""

from __future__ import annotations

import math

import numpy as np

from pages.lab_sinusoidal.study import Controls, compute
from tests.pages.apptest import open_page, said, says, traces


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
    at.button(key="try_lab_sinusoidal_one").click().run()
    assert says(said(at), "lab_sinusoidal", "note", closest=44, likeness=f"{math.cos(44):.4f}")
    assert says(said(at), "lab_sinusoidal", "seen", deviation="0"), "what rounding makes is no change"
    *_, one_pair, whole, _ = traces(at)
    assert one_pair["y"] == whole["y"], "with one pair, the pair is all there is"


def test_a_slider_that_is_moved_while_a_press_takes_it_away_is_let_go():
    at = open_page("lab_sinusoidal")
    before = at._tree  # what the browser still shows
    at.button(key="try_lab_sinusoidal_one").click().run()
    assert "widget_pair" not in {slider.key for slider in at.slider}
    at._tree = before
    at.slider(key="widget_pair").set_value(7).run()
    assert not at.exception
    assert says(said(at), "lab_sinusoidal", "note", closest=44)
