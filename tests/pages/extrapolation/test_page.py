"""The result as a reader opens it: who is drawn, what is said, and the question that the shipped runs answer."""

from __future__ import annotations

import json

import pytest

from alibi_viz.lessons import load
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import Run, RunStore
from alibi_viz.results import facts, pretrained, table
from pages.extrapolation import study
from tests.pages.apptest import asks, numbers, open_page, said, says, shown


def lines(at, chart: int = 0) -> dict[str, dict]:
    """The named lines of a chart."""
    traces = json.loads(at.get("plotly_chart")[chart].proto.spec)["data"]
    return {trace["name"]: trace for trace in traces if trace.get("name")}


@pytest.mark.parametrize("protocol", ["sliding", "nonoverlapping"])
def test_the_picture_is_the_mean_of_the_seeds(protocol):
    every = table.losses()
    rows = every[(every.protocol == protocol) & (every.method == "rope")]
    drawn = lines(open_page("extrapolation", ext_protocol=protocol))["RoPE"]
    assert numbers(drawn["y"]).tolist() == pytest.approx(rows.groupby("length").loss.mean().tolist(), rel=1e-6)


def test_any_methods_can_be_drawn_and_at_least_one_is():
    at = open_page("extrapolation", ext_methods="alibi,rope")
    assert list(lines(at)) == ["ALiBi", "RoPE"]
    at.button_group(key="widget_ext_methods").set_value(["t5"]).run()
    assert list(lines(at)) == ["T5 bias"]
    assert shown(at, "ext_methods") == "t5"
    at.button_group(key="widget_ext_methods").set_value([]).run()
    assert len(lines(at)) == len(pretrained.MAIN)
    at = open_page("extrapolation", ext_methods="alibi,robe")
    assert list(lines(at)) == ["ALiBi"]
    assert "robe" in at.info[0].value


def test_a_run_of_a_reader_is_drawn_beside_no_shipped_one(tmp_path, monkeypatch):
    """Its curve would have the method's colour, in every browser."""
    monkeypatch.setenv("ALIBI_VIZ_DATA", str(tmp_path))
    before = open_page("extrapolation").get("plotly_chart")[0].proto.spec
    corpus = pretrained.load_all()[0]["corpus"]["sha256"]
    evaluations = tuple({"length": n, "stride": s, "perplexity": 6.5} for n in (128, 512) for s in (n, n // 4))
    RunStore(tmp_path).finish(Run(TrainConfig(steps=20), corpus, "finished", evaluations=evaluations), {})
    assert open_page("extrapolation").get("plotly_chart")[0].proto.spec == before


@pytest.mark.parametrize("paper", ["512", "1024"])
def test_the_paper_stands_beside_ours_in_one_unit(paper):
    at = open_page("extrapolation", extrapolation_open="paper", ext_paper=paper)
    theirs = lines(at, 2)
    assert set(theirs) == {"Sinusoidal", "RoPE", "T5 bias", "ALiBi"}
    assert all(numbers(trace["y"])[0] == 0 for trace in theirs.values()), "0 at L"
    assert says(said(at), "extrapolation", "paper", rank={"512": 2, "1024": 1}[paper])
    assert len(at.dataframe[0].value) == 8, "the two rows that stand in both tables, once"


def test_published_numbers_are_read_as_printed():
    names = {line.name: line for line in study.paper_short_and_long()}
    assert names["L = 512"].y.tolist() == [19.73, 18.81, 18.5, 18.48, 18.4]
    assert names["Sinusoidal"].y[-1] == 18.67


def test_a_line_of_equal_bytes_begins_where_its_model_was_trained():
    ours = study.short_and_long()
    assert [line.x[0] for line in ours if line.method == "alibi"] == [64, 128, 256, 512]
    assert [line.x.tolist() for line in ours if line.method == "sinusoidal"] == [[64, 128, 256, 512]]


def test_methods_that_the_paper_has_not_leave_its_chart_away():
    at = open_page("extrapolation", extrapolation_open="paper", ext_methods="learned,none")
    assert len(at.get("plotly_chart")) == 1
    assert says(said(at), "extrapolation", "paper")


@pytest.mark.parametrize(("drawn", "other"), [("sliding", "nonoverlapping"), ("nonoverlapping", "sliding")])
def test_the_question_is_about_the_windows_that_are_not_shown_and_the_shipped_runs_judge(drawn, other):
    at = open_page("extrapolation", predict="true", ext_protocol=drawn)
    rise, book = facts.load("extrapolation")[other]["rise"]["alibi"], load("extrapolation")
    right = book.entry("answers", "lower" if rise < -0.1 else "higher" if rise > 0.1 else "same")
    at.button(key=f"question_extrapolation.{other}_2").click().run()
    assert says(said(at), "words", "predict.wrong", chosen=book.entry("answers", "higher"), right=right)
    at.button_group(key="widget_ext_protocol").set_value(other).run()
    assert asks(at), "those are another question"
