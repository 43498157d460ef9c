"""The Start page: what it says about models without positions comes from the shipped runs, and the runs say it."""

from __future__ import annotations

from alibi_viz import measured
from alibi_viz.ui.shell import navigation
from tests.pages.apptest import open_page, said


def test_models_without_positions_come_with_the_numbers_of_the_runs():
    """The page says “less well”: the runs must say so too."""
    text = {curve.config.method: curve for curve in measured.curves(measured.shipped(), "nonoverlapping")}
    none, alibi = (text[method].at(text[method].config.length) for method in ("none", "alibi"))
    assert none > alibi
    page = said(open_page("start"))
    assert f"**{none:.2f}** without positions and of {alibi:.2f} with ALiBi" in page


def test_without_the_runs_nothing_is_claimed(monkeypatch):
    monkeypatch.setattr(measured, "shipped", lambda kind="text": ())
    assert "perplexity" not in said(open_page("start"))


def test_the_card_counts_the_labs():
    labs = [name for name in navigation.ICONS if name.startswith("lab_")]
    assert f"labs for {len(labs)} of them" in said(open_page("start"))


def test_the_sidebar_says_where_numbers_come_from():
    about = " ".join(caption.value for caption in open_page("start").sidebar.caption)
    assert "shipped runs" in about
    assert "Every number is computed here" not in about


def test_the_sentences_need_the_same_words():
    at = open_page("start", first="a b <img>", second="a c")
    assert "same words" in at.warning[0].value
    at.text_input(key="second").set_value("img > < b a").run()
    assert not at.exception
    assert not at.warning
