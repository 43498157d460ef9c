"""The Start page: what it says about models without positions comes from the shipped runs, and the runs say it."""

from __future__ import annotations

import pytest

from alibi_viz import measured
from alibi_viz.ui.shell import navigation
from tests.pages.apptest import open_page, said


def test_models_without_positions_come_with_the_numbers_of_the_runs():
    """The page says “less well” on text and “better” on recall: the runs must say so too."""
    text = {curve.config.method: curve for curve in measured.curves(measured.shipped(), "nonoverlapping")}
    recall = {curve.config.method: curve for curve in measured.recall_curves(measured.shipped("recall"))}
    if not recall:
        assert "perplexity" not in said(open_page("start"))
        pytest.skip("no shipped run of the recall task's present form")
    length, distance = text["none"].config.length, int(recall["none"].distances[-1])
    none, alibi = (text[method].at(length) for method in ("none", "alibi"))
    none_right, alibi_right = (recall[method].at(distance) for method in ("none", "alibi"))
    assert none > alibi
    assert none_right > alibi_right
    page = said(open_page("start"))
    shares = (f"**{100 * none_right:.0f}%**", f"ALiBi in {100 * alibi_right:.0f}%")
    for number in (f"{none:.2f}", f"{alibi:.2f}", f"{distance:,} bytes", *shares):
        assert number in page


def test_without_the_runs_nothing_is_claimed(monkeypatch):
    monkeypatch.setattr(measured, "shipped", lambda *, recall=False: ())
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
