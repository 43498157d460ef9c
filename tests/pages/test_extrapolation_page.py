"""Extrapolation through Streamlit's test runner: at its defaults, at the extremes, with nonsense, and with own runs."""

from __future__ import annotations

import dataclasses
import re

import pytest

from alibi_viz.config import TrainConfig
from alibi_viz.lessons import load
from alibi_viz.runs import Run, RunStore
from alibi_viz.studies.measured import shipped
from alibi_viz.ui.method_pills import TITLES
from tests.pages.test_pages import open_page, said

KEYS = (
    "ext_methods ext_protocol ext_quantity ext_unit ext_x ext_y ext_paper ext_own ext_other ext_window ext_read ext_layer"
    " ext_head"
).split()
NONSENSE = ("-1", "0", "1e9", "nan", "abc", "", "<b>x</b>", "🙂", "1e999", "12.7", "true")
TRAINED = [TITLES[name] for name in ("alibi", "rope", "t5", "sinusoidal", "learned", "none")]


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch) -> RunStore:
    """No run of the machine's own store on the page."""
    monkeypatch.setenv("ALIBI_VIZ_DATA", str(tmp_path))
    return RunStore(tmp_path)


def own_run(store: RunStore, sha: str, values: dict[int, float], **config: object) -> None:
    found = tuple(
        {"length": n, "stride": stride, "perplexity": value} for n, value in values.items() for stride in (n, n // 4)
    )
    made = TrainConfig(**{"method": "alibi", "length": 64, "steps": 20, **config})
    store.finish(Run(made, sha, "finished", evaluations=found), {})


def table(at):
    return at.dataframe[0].value


def test_the_page_opens_on_the_shipped_runs():
    at = open_page("extrapolation")
    assert at.title[0].value == load("extrapolation").text("title")
    assert not at.info
    assert not at.warning
    assert sorted(table(at).iloc[:, 0]) == sorted(TRAINED)
    first = next(one for one in shipped() if one.config.method == "alibi").at(128).perplexity
    assert f"{first:.3f}" in said(at)  # the formula's number is the run's


@pytest.mark.parametrize("value", NONSENSE)
def test_a_url_can_say_anything(value):
    open_page("extrapolation", **dict.fromkeys(KEYS, value))


@pytest.mark.parametrize("protocol", ["nonoverlapping", "sliding"])
@pytest.mark.parametrize("quantity", ["perplexity", "ratio"])
@pytest.mark.parametrize("scale", ["log", "linear"])
def test_every_view(protocol, quantity, scale):
    at = open_page(
        "extrapolation",
        ext_protocol=protocol,
        ext_quantity=quantity,
        ext_unit="times L",
        ext_x=scale,
        ext_y=scale,
        ext_paper="1024",
    )
    assert not at.info
    assert "1024" in table(at).columns[-1].replace(",", "")


def test_every_button_opens_a_page_that_works():
    for key in load("extrapolation").entries("try"):
        at = open_page("extrapolation")
        at.button(key=f"try_extrapolation_{key}").click().run()
        assert not at.exception, key


def test_the_words_do_not_promise_that_alibi_wins():
    words = said(open_page("extrapolation"))
    assert "not ALiBi" in words
    assert re.search(r"sliding window.*from 4\.79 to 4\.79", words, re.DOTALL)
    assert "no vector" in words.replace("\\", "")


def test_choosing_methods_changes_chart_and_table():
    at = open_page("extrapolation", ext_methods="alibi,rope")
    assert sorted(table(at).iloc[:, 0]) == ["ALiBi", "RoPE"]
    at.button_group(key="ext_methods_pills").set_value(["T5 bias"]).run()
    assert not at.exception
    assert table(at).iloc[:, 0].tolist() == ["T5 bias"]
    assert "left out" in open_page("extrapolation", ext_methods="alibi,robe").info[0].value
    assert "at least one" in open_page("extrapolation", ext_methods="").info[0].value


def test_own_runs_join_the_chart(data):
    text = shipped()[0].corpus
    own_run(data, text, {64: 9.0, 128: 8.0, 256: 12.5, 1024: 20.25})
    at = open_page("extrapolation")
    row = table(at).set_index(table(at).columns[0]).loc["ALiBi, L 64, 20 steps"]
    assert row.tolist()[0] == "9.00"
    assert row.tolist()[2:4] == ["12.50", "20.25"]
    assert "another length than 128" in said(at)
    at.toggle(key="ext_own").set_value(False).run()
    assert len(table(at)) == len(TRAINED)


def test_a_run_that_was_not_measured_at_its_length_has_no_ratio(data):
    own_run(data, shipped()[0].corpus, {128: 8.0, 256: 12.5})
    assert "No ratio for ALiBi, L 64" in said(open_page("extrapolation", ext_quantity="ratio"))
    assert "No ratio" not in said(open_page("extrapolation"))


def test_runs_on_another_text_wait_until_they_are_asked_for(data):
    own_run(data, "another text", {128: 3.0, 256: 3.0}, length=128, corpus="text:0")
    at = open_page("extrapolation")
    assert len(table(at)) == len(TRAINED)
    assert "left out" in said(at)
    at = open_page("extrapolation", ext_other="true")
    assert table(at).iloc[-1, 0] == "ALiBi, L 128, 20 steps, other text"
    assert "cannot be compared" in said(at)


def test_only_the_newest_own_runs_are_shown(data):
    for seed in range(12):
        own_run(data, shipped()[0].corpus, {64: 5.0 + seed}, steps=20 + seed)
    assert len(table(open_page("extrapolation"))) == len(TRAINED) + 8


def test_recall_runs_are_not_on_this_chart(data):
    data.finish(Run(TrainConfig(corpus="recall", steps=10), "", "finished"), {})
    assert len(table(open_page("extrapolation"))) == len(TRAINED)


def test_loss_by_place_speaks_of_the_chosen_window():
    assert "jumps at L" in said(open_page("extrapolation", ext_window="512", ext_methods="sinusoidal"))
    assert "rises later" in said(open_page("extrapolation", ext_window="512", ext_methods="rope"))
    assert "goes on as before" in said(open_page("extrapolation", ext_window="512", ext_methods="alibi"))
    assert "nothing is extrapolated" in said(open_page("extrapolation", ext_window="128"))
    assert "Not measured at this window: Learned" in said(open_page("extrapolation", ext_window="256"))


def test_a_reader_s_text():
    at = open_page("extrapolation", ext_read="a short one")
    assert "11 bytes" in said(at)
    at = open_page("extrapolation", ext_read="ж" * 400)
    assert "first 512" in said(at)
    at = open_page("extrapolation", ext_methods="learned,alibi")
    assert "no vector" in said(at).replace("\\", "")
    assert "first 320 bytes" in said(at)


def test_the_link_knows_four_methods_of_six():
    """Four matrices fit; the words below them speak of the same four."""
    words = said(open_page("extrapolation"))
    told = re.search(r"Loss on this text\*\*, inside the first L bytes and beyond: (.*?)\. ", words)[1]
    assert [part.strip().rsplit(" ", 3)[0] for part in told.split(",")] == ["ALiBi", "RoPE", "T5 bias", "Sinusoidal"]


def test_lost_buckets_are_named():
    words = said(open_page("extrapolation"))
    assert "27, 28, 29, 30, 31" in words
    assert "no bucket that training did not touch" in words


def test_own_seeds_are_one_curve(data):
    for seed in (0, 1):
        own_run(data, shipped()[0].corpus, {64: 5.0 + seed}, seed=seed)
    rows = table(open_page("extrapolation"))
    assert len(rows) == len(TRAINED) + 1
    assert rows.iloc[-1, 1] == "5.50"
    assert dataclasses.asdict(shipped()[0].config)["seed"] == 0
