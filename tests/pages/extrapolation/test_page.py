"""The Extrapolation page as a reader opens it: the shipped runs, and every view of them."""

from __future__ import annotations

from math import inf

import pytest

from alibi_viz.lessons import load
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import Run, RunStore
from alibi_viz.results import measured
from alibi_viz.results.measured import shipped
from alibi_viz.ui.controls.method_pills import TITLES
from pages.extrapolation import study
from pages.extrapolation.facts import paper_of
from tests.pages.apptest import asks, open_page, said, says

TRAINED = [TITLES[name] for name in ("alibi", "rope", "t5", "sinusoidal", "learned", "none")]


def opened(section: str = "gave", **url: str):
    """The page with one of its sections open."""
    return open_page("extrapolation", extrapolation_open=section, **url)


def table(at):
    """The table of the runs, in the section that tells what they gave."""
    return at.dataframe[0].value


def test_the_page_opens_on_the_shipped_runs():
    at = opened()
    assert sorted(table(at).iloc[:, 0]) == sorted(TRAINED)
    first = next(run for run in shipped() if run.config.method == "alibi").at(128, "sliding").perplexity
    assert f"{first:.3f}" in said(at)  # the formula's number is the run's


@pytest.mark.parametrize("protocol", ["nonoverlapping", "sliding"])
@pytest.mark.parametrize("quantity", ["perplexity", "ratio"])
@pytest.mark.parametrize("scale", ["log", "linear"])
def test_every_view(protocol, quantity, scale):
    at = opened(
        ext_protocol=protocol,
        ext_quantity=quantity,
        ext_unit="times L",
        ext_x=scale,
        ext_y=scale,
        ext_paper="1024",
    )
    assert not at.info
    assert "1024" in table(at).columns[-1].replace(",", "")


@pytest.mark.parametrize("lesson", ["extrapolation", "early_token_curse"])
def test_a_run_of_a_reader_is_drawn_beside_no_shipped_one(lesson, tmp_path, monkeypatch):
    """Its curve would have the method's colour, in every browser."""
    monkeypatch.setenv("ALIBI_VIZ_DATA", str(tmp_path))
    section = {f"{lesson}_open": "measured" if lesson == "early_token_curse" else "gave"}

    def drawn() -> list[str]:
        return [chart.proto.spec for chart in open_page(lesson, **section).get("plotly_chart")]

    before = drawn()
    evaluations = tuple({"length": n, "stride": s, "perplexity": 6.5} for n in (128, 512) for s in (n, n // 4))
    RunStore(tmp_path).finish(Run(TrainConfig(steps=20), shipped()[0].corpus, "finished", evaluations=evaluations), {})
    assert before
    assert drawn() == before


def test_the_words_do_not_promise_that_alibi_wins():
    words = said(opened())
    assert says(words, "extrapolation", "seen.best")
    assert "no vector" in words.replace("\\", "")


def test_choosing_methods_changes_chart_and_table():
    at = opened(ext_methods="alibi,rope")
    assert sorted(table(at).iloc[:, 0]) == ["ALiBi", "RoPE"]
    at.button_group(key="ext_methods_pills").set_value(["T5 bias"]).run()
    assert not at.exception
    assert table(at).iloc[:, 0].tolist() == ["T5 bias"]
    assert says(opened(ext_methods="alibi,robe").info[0].value, "extrapolation", "unknown")
    assert says(opened(ext_methods="").info[0].value, "extrapolation", "nothing")


def test_terms_stand_where_the_runs_are_explained():
    words = said(opened("made"))
    for term in (
        "**L** is the training length, here 128 bytes",
        "(**seeds**)",
        "**sliding**: overlapping",
        "**perplexity**",
    ):
        assert term in words


@pytest.mark.parametrize("paper", ["512", "1024"])
def test_the_paper_s_order_is_told(paper):
    words, length = said(opened("paper", ext_paper=paper)), int(paper)
    facts, shorter = paper_of(length)
    assert says(words, "extrapolation", "seen.paper", order=facts.order, ours=facts.ours, best=facts.best)
    assert says(words, "extrapolation", "seen.rises", ours_far=facts.ours_far)
    assert all(says(words, "extrapolation", "seen.rises_ends", name=last.name) for last in shorter)
    assert bool(shorter) == (facts.best == "ALiBi") == (paper == "1024")
    theirs = study.paper_breaks(length)
    for breaks in (theirs, *(study.breaks(study.shipped_curves(kind).values()) for kind in measured.PROTOCOLS)):
        first = min(theirs, key=lambda method: breaks[method].at or inf)
        assert (first, breaks["alibi"].at) == ("sinusoidal", None), "the claim: in all three"


def test_no_method_is_no_picture_to_describe():
    at = opened(ext_methods="")
    headings = [heading.value for heading in at.header]
    assert load("extrapolation").label("seen") in headings
    assert load("words").label("seen") not in headings


def test_a_chart_without_a_curve_offers_no_empty_file():
    """The paper has neither learned positions nor none in this figure."""
    ids = [
        {button.proto.id.split("-")[-1] for button in opened("paper", ext_methods=methods).get("download_button")}
        for methods in ("alibi,none", "learned,none")
    ]
    assert len(ids[0] - ids[1]) == 1
    assert "published" in (ids[0] - ids[1]).pop()


def test_the_note_says_who_breaks_first_under_the_chosen_windows():
    plain, slide = (said(open_page("extrapolation", ext_protocol=kind)) for kind in ("nonoverlapping", "sliding"))
    for words in (plain, slide):
        assert says(words, "extrapolation", "note")
    assert plain != slide


@pytest.mark.parametrize("section", ["steps", "lengths", "stretched"])
def test_further_experiments_open_one_at_a_time(section):
    at = opened(section)
    charts = [chart.proto.alt for chart in at.get("plotly_chart")]
    assert len(charts) == (3 if section == "lengths" else 2)
    assert all("ALiBi" in alt or "L = " in alt for alt in charts)


@pytest.mark.parametrize(("shown", "other"), [("sliding", "nonoverlapping"), ("nonoverlapping", "sliding")])
def test_the_question_is_about_the_windows_that_are_not_shown_and_the_shipped_runs_judge(shown, other):
    at = open_page("extrapolation", predict="true", ext_protocol=shown)
    curve, book = study.shipped_curves(other)["alibi"], load("extrapolation")
    rise = curve.rise_at(study.FAR * study.TRAIN_LENGTH)
    answers = [book.entry("answers", answer, worse=measured.WORSE) for answer in ("lower", "same", "higher")]
    right = answers[0 if rise < -measured.WORSE else 2 if rise > measured.WORSE else 1]
    assert says(said(at), "extrapolation", "predict", shown=shown, other=other)
    at.button(key=f"question_extrapolation.{other}_2").click().run()
    assert says(said(at), "words", "predict.wrong", chosen=answers[2], right=right)
    at.button_group(key="ext_protocol").set_value(book.entry("choices", other)).run()
    assert asks(at), "those are another question"
