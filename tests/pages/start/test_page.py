"""The Start page: what it says about models without positions comes from the shipped runs, and the runs say it."""

from __future__ import annotations

from alibi_viz import measured
from alibi_viz.ui.shell import navigation
from tests.pages.test_pages import open_page, said


def test_models_without_positions_are_told_with_the_numbers_of_the_runs():
    """The words say “less well” on text and “better” on recall: the runs must say so too."""
    text = {one.config.method: one for one in measured.curves(measured.shipped(), "nonoverlapping")}
    recall = {one.config.method: one for one in measured.recall_curves(measured.shipped(recall=True))}
    length, distance = text["none"].config.length, int(recall["none"].distances[-1])
    none, alibi = (text[method].at(length) for method in ("none", "alibi"))
    found, lost = (recall[method].at(distance) for method in ("none", "alibi"))
    assert none > alibi
    assert found > lost
    told = said(open_page("start"))
    for number in (f"{none:.2f}", f"{alibi:.2f}", f"{distance:,} bytes", f"{100 * found:.0f} %", f"{100 * lost:.0f} %"):
        assert number in told


def test_without_the_runs_nothing_is_claimed(monkeypatch):
    monkeypatch.setattr(measured, "shipped", lambda *, recall=False: ())
    assert "Shipped runs" not in said(open_page("start"))


def test_the_card_counts_the_labs():
    labs = [name for name in navigation.COMPARE if name.startswith("lab_")]
    assert f"labs for {len(labs)} of them" in said(open_page("start"))


def test_the_sidebar_says_where_numbers_come_from():
    at = open_page("start")
    about = " ".join(one.value for one in at.sidebar.caption)
    assert "shipped runs" in about
    assert "Every number is computed here" not in about
