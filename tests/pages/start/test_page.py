"""The Start page: what it says about models without positions comes from the shipped runs, and the runs say it."""

from __future__ import annotations

import json

from alibi_viz.lessons import load
from alibi_viz.results import measured
from alibi_viz.ui.shell import navigation
from tests.pages.apptest import asks, open_page, said, says


def test_models_without_positions_come_with_the_numbers_of_the_runs():
    """The page says “less well”: the runs must say so too."""
    text = {curve.config.method: curve for curve in measured.curves(measured.shipped(), "nonoverlapping")}
    none, alibi = (text[method].at(text[method].config.length) for method in ("none", "alibi"))
    assert none > alibi
    page = said(open_page("start", start_open="mask"))
    assert f"**{none:.2f}** without positions and of {alibi:.2f} with ALiBi" in page


def test_without_the_runs_nothing_is_claimed(monkeypatch):
    monkeypatch.setattr(measured, "shipped", lambda kind="text": ())
    assert "perplexity" not in said(open_page("start", start_open="mask"))


def test_the_map_says_of_each_lesson_what_it_is_about():
    text = said(open_page("start", start_open="map"))
    assert [name for name in navigation.ICONS if load(name).label("page_help") not in text] == ["start"]


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
    assert says(said(at), "start", "seen")


def test_a_script_without_spaces_has_words_too():
    at = open_page("start")
    at.button(key="try_start_chinese").click().run()
    assert not at.warning
    assert says(said(at), "start", "seen")
    (chips,) = (part for part in at.get("bidi_component") if part.component_name.endswith("words"))
    assert json.loads(chips.json)["words"] == list("老鼠追猫")


def test_methods_are_compared_under_the_same_mask():
    """With the causal mask the words change anyway: the first screen compares without it."""
    at = open_page("start", start_open="mask")
    table = at.dataframe[0].value.set_index("Positions")
    assert float(table.loc["none", "Causal mask"]) > 0.1
    assert table.loc["none", "No mask"] == "0", "rounding is no difference"
    assert f"they differ by up to **{table.loc['ALiBi', 'No mask']}**" in " ".join(said(at).split())


def test_one_sentence_twice_changes_nothing_and_the_page_says_so():
    text = said(open_page("start", first="we came", second="we came"))
    assert says(text, "start", "note.same")
    assert not says(text, "start", "seen")


def test_the_map_stays_while_the_sentences_do_not_fit():
    at = open_page("start", first="", second="a", start_open="map")
    assert at.warning
    assert load("slopes").label("page_help") in said(at)


def test_nothing_is_asked_of_one_sentence_twice():
    assert not asks(open_page("start", predict="true", first="we came", second="we came"))
