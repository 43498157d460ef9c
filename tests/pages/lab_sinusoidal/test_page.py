"""Sinusoidal vectors and their similarities against the formula, and what the page says and draws of them."""

from __future__ import annotations

import json
import math

import pytest

from pages.lab_sinusoidal.study import Controls, study
from tests.pages.apptest import open_page, said, says, shown


def test_vectors_and_similarities():
    result = study(Controls(50, 16, 10_000, 3))
    assert result.table[7, 6] == pytest.approx(math.sin(7 / 10_000 ** (6 / 16)), abs=1e-6)
    assert result.wavelengths[3] == pytest.approx(2 * math.pi * 10_000 ** (6 / 16))
    mean = sum(math.cos(9 / 10_000 ** (2 * pair / 16)) for pair in range(8)) / 8
    assert result.similarities[9] == pytest.approx(mean, abs=1e-6)
    assert result.similarities[0] == pytest.approx(1)
    assert result.of_pair[9] == pytest.approx(math.cos(9 / 10_000 ** (6 / 16)), abs=1e-5)
    assert result.deviation < 1e-5


def test_one_pair_repeats_and_many_do_not():
    """44 tokens are almost exactly 7 turns of the fastest pair: 44 / (2 pi) = 7.003."""
    at = open_page("lab_sinusoidal")
    assert says(said(at), "lab_sinusoidal", "note", closest=1, likeness="0.9662")
    at.button(key="try_lab_sinusoidal_one").click().run()
    assert says(said(at), "lab_sinusoidal", "note", closest=44, likeness=f"{math.cos(44):.4f}")
    assert says(said(at), "lab_sinusoidal", "seen", deviation="0"), "what rounding makes is no change"


def test_the_most_similar_positions_are_marked():
    at = open_page("lab_sinusoidal", waves_n="100", waves_width="2")
    *_, one_pair, whole, closest = json.loads(at.get("plotly_chart")[0].proto.spec)["data"]
    assert one_pair["y"] == whole["y"], "with one pair, the pair is all there is"
    assert closest["name"] == "most similar"


@pytest.mark.parametrize(("width", "pairs"), [("2", 1), ("7", 3), ("512", 256)])
def test_the_pair_is_one_of_the_vector(width, pairs):
    at = open_page("lab_sinusoidal", waves_width=width, pair="300", lab_sinusoidal_open="table")
    assert shown(at, "pair") == pairs - 1
    assert len(at.slider) == (3 if pairs > 1 else 2), "nothing is to choose of one pair"
    assert at.info
