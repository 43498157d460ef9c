"""The RoPE lab as a reader opens it."""

from __future__ import annotations

import pytest

from alibi_viz.positions.rotary import SCALINGS
from tests.pages.apptest import open_page, said


@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize("dim", ["2", "7", "128"])
def test_every_scaling_at_the_extremes(scaling, dim):
    at = open_page("lab_rope", scaling=scaling, rope_dim=dim, position="16384", rope_trained="1", factor="128")
    assert ("above 2" in said(at)) == (scaling == "dynamic" and dim == "2")


def test_the_sentences_count_the_clocks_of_training():
    linear = " ".join(said(open_page("lab_rope", scaling="linear", factor="2", position="16384")).split())
    assert "11 of 16 clocks make a full turn within the 2,048 tokens" in linear
    assert "up to position 16,384, 11 of 16 clocks stay within the angles of training" in linear
    assert "All clocks stay" not in linear
    assert "40, 16 of 16 clocks stay within" in said(open_page("lab_rope", scaling="linear"))
    assert "21 of 32 clocks" in said(open_page("lab_rope", scaling="yarn", rope_dim="64"))


def test_the_note_says_how_many_clocks_are_beyond_training():
    assert "all 16 clocks are within the angles of training" in said(open_page("lab_rope"))
    assert "**5** of 16 clocks have passed" in said(open_page("lab_rope", position="3000"))


def test_what_is_closed_is_opened_by_its_address():
    assert not open_page("lab_rope").get("plotly_chart")
    at = open_page("lab_rope", lab_rope_open="forms")
    assert "**Without** the permutation" in said(at)
    for section, words in (("wavelengths", "11 make a full turn"), ("score", "At distance 512")):
        at = open_page("lab_rope", lab_rope_open=section, rope_farthest="512")
        assert words in at.get("plotly_chart")[0].proto.alt


def test_the_scalings_name_their_authors():
    sources = said(open_page("lab_rope"))
    for author in ("Chen and others 2023", "u/bloc97", "u/emozilla", "2309.00071"):
        assert author in sources
