"""Longer windows as a reader opens it: both protocols over any sentence, the measured pair, and its sections."""

from __future__ import annotations

import json

import pytest

from alibi_viz.results import table
from tests.pages.apptest import numbers, open_page, said, says, shown

NAME = "early_token_curse"


def opened(**url: str):
    return open_page(NAME, **{f"curse_{key}": value for key, value in url.items()})


def traces(at, chart: int = 0) -> list[dict]:
    return json.loads(at.get("plotly_chart")[chart].proto.spec)["data"]


def test_the_numbers_in_the_picture_are_the_contexts():
    plain, sliding = (trace for trace in traces(opened()) if trace["type"] == "heatmap")
    assert [[word for word in row if word] for row in plain["text"]] == [["1", "2", "3", "4"], ["1", "2", "3"]]
    assert [[word for word in row if word] for row in sliding["text"]] == [["1", "2", "3", "4"], ["4"], ["4"], ["4"]]


@pytest.mark.parametrize("window", ["2", "7"])
def test_both_ways_are_counted_in_words(window):
    numbers = {"2": {"plain_short": 7, "sliding_short": 7}, "7": {"plain_short": 2, "sliding_short": 2}}[window]
    assert says(said(opened(window=window)), NAME, "note", **numbers)


def test_the_measured_pair_is_alibi_both_ways():
    every = table.losses()
    drawn = [trace for trace in traces(opened(), 1) if trace.get("name")]
    for trace, protocol in zip(drawn, ("nonoverlapping", "sliding"), strict=True):
        rows = every[(every.method == "alibi") & (every.protocol == protocol)]
        assert numbers(trace["y"]).tolist() == pytest.approx(rows.groupby("length").loss.mean().tolist(), rel=1e-6)


@pytest.mark.parametrize(("text", "is_short"), [("", True), ("one two three", True), (". , <b>", False)])
def test_a_short_sentence_gets_a_sentence_and_loses_nothing(text, is_short):
    at = opened(text=text)
    assert ["at least 4" in warning.value for warning in at.warning] == [True] * is_short
    assert says(said(at), NAME, "pair")
    at.text_input(key="widget_curse_text").set_value("one two three four").run()
    assert not at.exception
    assert not at.warning


def test_a_long_sentence_is_cut():
    at = opened(text=" ".join(f"w{n}" for n in range(30)))
    assert "30 words and punctuation marks" in at.info[0].value
    assert len(traces(at)[0]["text"][0]) == 12


def test_sliders_stay_within_the_sentence_and_the_window():
    at = opened(text="one two three four", window="11", stride="11", least="11")
    assert [shown(at, f"curse_{key}") for key in ("window", "stride", "least")] == [3, 3, 3]
    at.slider(key="widget_curse_window").set_value(2).run()
    assert not at.exception
    assert shown(at, "curse_stride") == 2


def test_every_section_opens():
    at = open_page(NAME, early_token_curse_open="cost,measured,context")
    for section in ("cost", "changes", "paper", "context"):
        assert says(said(at), NAME, section), section
    assert at.dataframe[0].value.iloc[:, 2].tolist() == ["1.0", "4.0", "508.0"]
