"""The sinusoidal lab as a reader opens it."""

from __future__ import annotations

from tests.pages.apptest import open_page, said


def test_one_pair_is_not_enough():
    at = open_page("lab_sinusoidal")
    assert "have distance\n**1** and similarity **0.966" in said(at)
    at.button(key="try_lab_sinusoidal_one").click().run()
    assert at.session_state["waves_width"] == 2
    assert "have distance\n**44** and similarity **0.9998**" in said(at)


def test_a_section_is_computed_when_it_is_opened():
    assert not open_page("lab_sinusoidal").dataframe
    rows = open_page("lab_sinusoidal", waves_n="64", lab_sinusoidal_open="numbers").dataframe[0].value
    assert list(rows["Distance in tokens"]) == list(range(64))


def test_what_rounding_makes_is_no_change():
    assert "it changes by **0**" in said(open_page("lab_sinusoidal"))
