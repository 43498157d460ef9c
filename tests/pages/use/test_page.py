"""The lesson “use” as a reader opens it."""

from __future__ import annotations

import json

import pytest

from alibi_viz import timing
from alibi_viz.files import read_weights
from alibi_viz.lessons import load
from alibi_viz.results import pretrained
from pages.use.study import PLACES, snippet
from tests.pages.apptest import numbers, open_page, said, says


@pytest.fixture(autouse=True)
def no_timing(monkeypatch):
    """No test measures: what would be measured is what was shipped."""
    monkeypatch.setattr(timing, "COMMAND", ["sh", "-c", f"cat {timing.FILE}"])
    monkeypatch.setattr(timing, "HERE", timing.Measurement())


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("heads", [1, 12, 128])
def test_every_place_has_its_code_to_copy_and_a_file(place, heads):
    at = open_page("use", use_where=place, heads=str(heads))
    assert at.code[0].value == snippet(place, heads).code.strip()
    assert says(said(at), "use", f"seen_{place}")
    (button,) = (part.proto for part in at.get("download_button"))
    assert button.label == load("use").label("download", file=snippet(place, heads).file)
    tables = [part.proto.body for part in at.get("html") if "two-sources" in part.proto.body]
    assert len(tables) == (place == "block")


def test_presented_the_code_stays():
    at = open_page("use", present="true")
    assert "AlibiAttention" in at.code[0].value
    assert not at.get("download_button")
    assert not at.expander


def test_what_was_learned_is_told_of_one_seed_with_its_size():
    at = open_page("use", use_open="learned")
    weights = read_weights(pretrained.weights_path("alibi", "blocks", 8), 10**7)
    assert f"{sum(tensor.numel() for tensor in weights.values()):,} parameters" in said(at)
    assert len(at.get("plotly_chart")) == 1
    beyond = open_page("use", use_open="learned", use_show="beyond").get("plotly_chart")[0].proto
    assert "2,048 bytes" in beyond.alt


def test_without_the_shipped_runs_a_sentence_stands_there(monkeypatch):
    from pages.use import study

    monkeypatch.setattr(pretrained, "load_all", lambda kind: ())
    study.variants.cache_clear()
    at = open_page("use", use_open="learned,memory")
    assert "are missing" in at.warning[0].value
    assert len(at.get("plotly_chart")) == 1, "the other section stays"


def test_memory_follows_heads_and_tokens():
    memory = said(open_page("use", use_open="memory")).replace("\u00a0", " ")
    for size in ("128 GiB", "2 MiB", "32 bytes"):
        assert size in memory
    memory = said(open_page("use", use_open="memory", heads="112", use_tokens="2048")).replace("\u00a0", " ")
    assert "1.75 GiB" in memory  # 4 x 112 x 2048 x 2048
    assert "448 bytes" in memory


def test_the_old_address_of_cost_opens_memory_and_time():
    at = open_page("use", use_open="memory,time")
    assert len(at.get("plotly_chart")) == 2


@pytest.mark.parametrize("kind", timing.PASSES)
def test_the_time_chart_shows_what_was_measured(kind):
    at = open_page("use", use_open="time", use_pass=kind)
    (chart,) = at.get("plotly_chart")
    traces = {trace["name"]: numbers(trace["y"]) for trace in json.loads(chart.proto.spec)["data"]}
    shipped, names = timing.shipped()[kind], load("use").entries("cases")
    assert traces.keys() == {names[case] for case, rows in shipped.ratios.items() if rows}
    for case, rows in shipped.ratios.items():
        if rows:
            assert traces[names[case]] == pytest.approx([row[1] for row in rows])
        else:
            assert f"Left out: {names[case]}" in said(at)


def test_a_reader_measures_this_machine():
    at = open_page("use", use_open="time")
    at.button(key="use_measure").click().run()
    while timing.HERE.is_running():
        pass
    at.run()
    assert not at.exception
    assert len(at.get("plotly_chart")) == 2
    assert says(said(at), "use", "measured_here")
    assert not at.button(key="use_measure").disabled
    assert len(open_page("use", use_open="time").get("plotly_chart")) == 2, "another reader has it too"


def test_a_measurement_that_fails_says_so_and_can_be_asked_for_again(monkeypatch):
    monkeypatch.setattr(timing, "COMMAND", ["false"])
    at = open_page("use", use_open="time")
    at.button(key="use_measure").click().run()
    while timing.HERE.is_running():
        pass
    at.run()
    assert "did not end as it should" in at.warning[0].value
    assert not at.button(key="use_measure").disabled
    assert len(at.get("plotly_chart")) == 1


def test_the_same_runs_can_be_trained_here():
    train = open_page("train", train="alibi,rope", train_block="llama", train_heads="8", train_show="loss")
    assert not train.warning
    refused = open_page("train", train="alibi,t5", train_block="llama")
    assert "rope, alibi" in refused.warning[0].value.replace("\\", "")
