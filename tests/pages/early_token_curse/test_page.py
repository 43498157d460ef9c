"""The Early token curse page as a reader opens it: its sentences and its numbers."""

from __future__ import annotations

import re
import typing

import pytest

from alibi_viz.positions import METHODS
from alibi_viz.results import measured
from alibi_viz.results.pretrained import METHODS as SHIPPED
from pages.early_token_curse import controls, study
from tests.pages.apptest import open_page, said, says
from tests.ui.unpacking import unpack

NAME = "early_token_curse"


def opened(section: str = "none", **url: str):
    """The page with one of its sections open."""
    return open_page(NAME, early_token_curse_open=section, **{f"curse_{key}": value for key, value in url.items()})


def test_the_page_says_what_it_shows():
    prose = said(opened("measured"))
    for words in ("2 passes", "4 passes", "57%", "29%"):
        assert words in prose, words
    assert says(prose, NAME, "seen_why")


def test_the_runs_numbers_are_those_of_the_files():
    prose = said(opened("measured"))
    pair = next(pair for pair in study.both(measured.shipped()) if pair["sliding"].config.method == "alibi")
    assert len(pair) == 2
    for curve in pair.values():
        for length in (64, 128, 2048):
            assert f"{curve.at(length):.2f}" in prose


@pytest.mark.parametrize(("trained", "change", "t5"), [("L512", "1.8%", "71.7%"), ("L1024", "2.6%", "17.1%")])
def test_the_papers_alibi_is_not_called_flat_where_it_got_worse(trained, change, t5):
    prose = said(opened("paper", paper=trained))
    assert says(prose, NAME, "paper.worse", **{"sliding.change": change, "t5.change": t5})
    rises = {(row.method, row.protocol): row.rise for row in study.paper(int(trained[1:]))}
    assert study.change(rises["alibi", "sliding"]) == "worse"


def test_a_method_is_named_worse_only_beyond_the_pages_own_rule():
    """At L, sliding against nonoverlapping windows."""
    prose = said(opened("measured"))
    (names,) = re.findall(r"At L itself, some methods do \*\*worse\*\* [^:]+: (.+?)\.", prose)
    pairs = {pair["sliding"].config.method: pair for pair in study.both(measured.shipped())}
    ratios = {method: pair["sliding"].at(128) / pair["nonoverlapping"].at(128) for method, pair in pairs.items()}
    assert names.split(", ") == [METHODS[method].title for method, ratio in ratios.items() if ratio > 1 + study.FLAT]
    assert "hardly helps" not in prose
    assert says(prose, "early_token_curse", "measured.reversed")


@pytest.mark.parametrize("window", ["2", "7"])
def test_passes_are_counted_in_words(window):
    """One pass where the window holds the whole sentence; then both protocols are the same."""
    prose = said(opened(window=window))
    assert says(prose, NAME, "seen_one") == (window == "7")
    assert prose.count("**1 pass**") == (2 if window == "7" else 0)
    assert "1 passes" not in prose


def test_what_is_said_of_alibi_holds():
    """“Better” in nonoverlapping windows, “stay flat” in sliding ones."""
    pair = next(pair for pair in study.both(measured.shipped()) if pair["sliding"].config.method == "alibi")
    assert {protocol: study.changed(curve) for protocol, curve in pair.items()} == {
        "nonoverlapping": "better",
        "sliding": "flat",
    }


def test_the_verdict_on_the_shipped_runs():
    """Both protocols, as the page says it; a wrong group would be a wrong claim."""
    prose = said(opened("measured"))
    for protocol, title in (("nonoverlapping", "Nonoverlapping windows"), ("sliding", "Sliding window")):
        words = re.search(rf"\*\*{title}\.\*\* Better: (.+?)\. Flat: (.+?)\. Worse: (.+?)\.", prose).groups()
        for change, names in zip(typing.get_args(study.Change), words, strict=True):
            curves = measured.curves(measured.shipped(), protocol)
            titles = [METHODS[curve.config.method].title for curve in curves if study.changed(curve) == change]
            assert names == (", ".join(titles) or "no method")


def test_stored_numbers_are_not_said_to_be_measured_here():
    at = opened("measured")
    assert "easured here" not in said(at) + " ".join(heading.value for heading in at.header)


@pytest.mark.parametrize("method", SHIPPED)
@pytest.mark.parametrize("length", [controls.LENGTH.choices[0], controls.LENGTH.choices[-1]])
def test_loss_by_position_of_every_method_and_window(method, length):
    at = opened("positions", method=method, length=length)
    missing = method == "learned" and int(length) > 128
    assert any("no vector" in info.value for info in at.info) == missing


@pytest.mark.parametrize(("text", "is_short"), [("", True), ("one two three", True), (". , <b>", False)])
def test_a_short_sentence_gets_a_sentence_and_loses_nothing(text, is_short):
    at = opened("measured", text=text)
    assert ["at least 4" in warning.value for warning in at.warning] == [True] * is_short
    assert "ALiBi" in said(at)
    at.text_input(key="curse_text").set_value("one two three four").run()
    assert not at.exception
    assert not at.warning


def test_a_long_sentence_is_cut():
    at = opened(text=" ".join(f"w{n}" for n in range(30)))
    assert "30 words and punctuation marks" in said(at)
    assert not at.exception


def test_sliders_stay_within_the_sentence_and_the_window():
    at = opened(text="one two three four", window="11", stride="11", least="11")
    state = at.session_state
    assert (state["curse_window"], state["curse_stride"], state["curse_least"]) == (3, 3, 3)
    at.number_input(key="curse_window").set_value(2).run()
    assert not at.exception
    assert at.session_state["curse_stride"] == 2


def test_the_picture_shows_the_chosen_protocol_and_says_it():
    at = opened("cost")
    views = [one.proto for one in at.get("bidi_component") if one.proto.component_name == "alibi_viz_windows_view"]
    _, first, second = (unpack(view.bytes)[0]["alt"] for view in views)  # after the stage's own
    assert first.startswith("Nonoverlapping windows: 2 windows over the sentence. 57%")
    assert second.startswith("Sliding window: 4 windows over the sentence. 29%")
    share, cost = (chart.proto.alt for chart in at.get("plotly_chart"))
    assert "nonoverlapping 6.1%" in share
    assert cost
