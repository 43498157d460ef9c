"""The Early token curse page through Streamlit's test runner: defaults, extremes, nonsense, and what it says."""

from __future__ import annotations

import dataclasses
import json
import re

import pytest

from alibi_viz import measured
from alibi_viz.lessons import load
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import Run, RunStore
from alibi_viz.positions import METHODS
from alibi_viz.pretrained import METHODS as SHIPPED
from pages.early_token_curse import study as study
from pages.early_token_curse.sections import LENGTHS, percent, run_name
from tests.pages.test_pages import NONSENSE, open_page, said

NAME = "early_token_curse"
KEYS = "text window stride least bytes scale own paper method length"


@pytest.fixture(autouse=True)
def empty_store(tmp_path, monkeypatch):
    """No runs of the reader."""
    monkeypatch.setenv("ALIBI_VIZ_DATA", str(tmp_path))
    return RunStore(tmp_path)


def opened(**url: str):
    return open_page(NAME, **{f"curse_{key}": value for key, value in url.items()})


def test_the_page_opens_and_says_what_it_shows():
    at = opened()
    assert at.title[0].value == load(NAME).text("title")
    assert not at.warning
    assert not at.info
    told = said(at)
    for words in ("2 passes", "4 passes", "57%", "29%", "relief", "no finished run", "third form"):
        assert words in told, words


def test_the_runs_numbers_are_those_of_the_files():
    told = said(opened())
    pair = next(one for one in study.both(measured.shipped()) if one.config.method == "alibi")
    for curve in (pair.nonoverlapping, pair.sliding):
        for length in (64, 128, 2048):
            assert f"{curve.at(length):.2f}" in told
    for one in measured.recall_curves(measured.shipped(recall=True)):
        title, share = METHODS[one.config.method].title, one.at(2047)
        row = opened().dataframe[0].value.set_index("Method").loc[title]
        assert row["2,047"] == ("–" if share is None else percent(share))


@pytest.mark.parametrize(("trained", "change", "t5"), [("L512", "1.8%", "71.7%"), ("L1024", "2.6%", "17.1%")])
def test_the_papers_alibi_is_not_called_flat_where_it_got_worse(trained, change, t5):
    told = said(opened(paper=trained))
    assert f"worse by {change}" in told
    assert f"less than T5 ({t5})" in told


def test_a_method_is_named_worse_only_beyond_the_pages_own_rule():
    """At L, sliding against nonoverlapping windows."""
    told = said(opened())
    (words,) = re.findall(r"At L itself, (.+?) do \*\*worse", told)
    named = {one.config.method for one in study.both(measured.shipped()) if METHODS[one.config.method].title in words}
    pairs = {
        one.config.method: (one.nonoverlapping.at(128), one.sliding.at(128)) for one in study.both(measured.shipped())
    }
    assert named == {name for name, (plain, slide) in pairs.items() if slide / plain > 1 + study.WITHIN}
    assert "hardly helps" not in told
    assert "not shown here" in told


def test_stored_numbers_are_not_said_to_be_measured_here():
    at = opened()
    assert "easured here" not in said(at) + " ".join(one.value for one in at.subheader)


def test_own_runs_that_differ_have_different_names(empty_store):
    config, found = TrainConfig(), ({"length": 128, "stride": 128, "perplexity": 7.0},)
    configs = [dataclasses.replace(config, **change) for change in ({}, {"heads": 4}, {"batch": 8}, {"width": 32})]
    for one in configs:
        empty_store.finish(Run(one, "ab12", "finished", evaluations=found), {})
    own = study.both(measured.own())
    names = {run_name(load(NAME), one.nonoverlapping) for one in own}
    assert len(names) == len(own) == 4
    assert "Open markers" in said(opened())


def test_a_damaged_run_breaks_nothing(empty_store):
    for seed, changes in enumerate(({"evaluations": [{"length": 128}]}, {"losses": ["a"]}, {"corpus": []})):
        run = Run(TrainConfig(seed=seed), "ab12", "finished")
        empty_store.save(run)
        (empty_store.path(run.hash) / "run.json").write_text(json.dumps({**run.to_dict(), **changes}))
    assert "no finished run" in said(opened())


def test_help_has_no_open_places():
    assert "{{" not in " ".join(load(NAME).entries("help").values())


@pytest.mark.parametrize("value", NONSENSE)
def test_a_url_can_say_anything(value):
    opened(**dict.fromkeys(KEYS.split(), value))


def test_every_button_opens_a_page_that_works():
    for key in load(NAME).entries("try"):
        at = opened()
        at.button(key=f"try_{NAME}_{key}").click().run()
        assert not at.exception, key


@pytest.mark.parametrize("method", SHIPPED)
@pytest.mark.parametrize("length", LENGTHS)
def test_loss_by_position_of_every_method_and_window(method, length):
    at = opened(method=method, length=length)
    missing = method == "learned" and int(length) > 128
    assert any("no vector" in one.value for one in at.info) == missing


@pytest.mark.parametrize(
    ("text", "words"), [("", "at least 4"), ("one two three", "at least 4"), (". , <b>", "at least 4")]
)
def test_a_short_sentence_gets_a_sentence_and_loses_nothing(text, words):
    at = opened(text=text)
    if len(at.warning):
        assert words in at.warning[0].value.replace("\\", "")
    assert "ALiBi" in said(at)
    at.text_input(key="curse_text").set_value("one two three four").run()
    assert not at.exception
    assert not at.warning


def test_a_long_sentence_is_cut():
    at = opened(text=" ".join(f"w{n}" for n in range(30)))
    assert "30 words and signs" in said(at)
    assert not at.exception


def test_sliders_stay_within_the_sentence_and_the_window():
    at = opened(text="one two three four", window="11", stride="11", least="11")
    state = at.session_state
    assert (state["curse_window"], state["curse_stride"], state["curse_least"]) == (3, 3, 3)
    at.number_input(key="curse_window").set_value(2).run()
    assert not at.exception
    assert at.session_state["curse_stride"] == 2


def test_own_runs_stand_beside_the_shipped_ones(empty_store):
    config = TrainConfig(method="kerple", length=32, steps=50)
    found = tuple({"length": n, "stride": s, "perplexity": 7.0} for n in (32, 64) for s in (n, n // 4))
    empty_store.finish(Run(config, "x", "finished", evaluations=found), {})
    other = dataclasses.replace(config, corpus="recall")
    empty_store.finish(Run(other, "", "finished", recall=({"length": 32, "accuracy": 0.5},)), {})
    told = said(opened())
    assert "Open markers" in told
    assert "Open markers" not in said(opened(own="false"))


def test_a_percentage_never_hides_a_little():
    assert [percent(share) for share in (0, 0.0004, 0.051, 0.5, 1)] == ["0%", "0.04%", "5.1%", "50%", "100%"]
