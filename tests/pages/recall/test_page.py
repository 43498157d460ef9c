"""The Recall page as a reader opens it: who learned the task, and the two controls."""

from __future__ import annotations

import dataclasses

import pytest

from alibi_viz.lessons import load
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.recall import farthest
from alibi_viz.results import measured
from alibi_viz.results.pretrained import METHODS
from pages.recall import study
from pages.recall.facts import facts_of
from tests.pages.apptest import asks, open_page, said, says


def opened(**url: str):
    return open_page("recall", **url)


def recall_run(
    method: str, seed: int, trained: float, far: float | None, wrong_key: float = 0.0, wrong_far: float = 0.0
) -> measured.MeasuredRun:
    points = [
        measured.RecallPoint(farthest(window, pairs), pairs, right, control, 0.0)
        for pairs in (2, 4, 8)
        for window, right, control in (
            (64, trained, wrong_key),
            (128, trained, wrong_key),
            *((window, far, max(wrong_key, wrong_far)) for window in (256, 512, 1024, 2048)),
        )
        if right is not None
    ]
    return measured.MeasuredRun(TrainConfig(method, corpus="recall", seed=seed), "shipped", "", (), tuple(points))


@pytest.fixture
def recall_runs(monkeypatch):
    """Puts recall runs in place of the shipped ones."""
    shipped = measured.shipped

    def put(*runs: measured.MeasuredRun) -> None:
        monkeypatch.setattr(measured, "shipped", lambda kind="text": runs if kind == "recall" else shipped(kind))

    return put


def test_recall_of_the_first_form_is_not_shown(recall_runs):
    """It did not ask for recall: models were right whatever key was asked."""
    recall_runs(dataclasses.replace(recall_run("alibi", 0, 1.0, 1.0), recall=()))
    at = opened(predict="true")
    assert any("no measured runs of this task" in info.value for info in at.info)
    assert not at.exception
    assert "learned the" not in said(at)


def test_recall_names_only_who_follows_the_key(recall_runs):
    recall_runs(
        recall_run("alibi", 0, 1.0, 0.5),
        recall_run("rope", 0, 1.0, 0.95),
        recall_run("none", 0, 1.0, 1.0, wrong_key=1.0),
        recall_run("learned", 0, 1.0, None),
    )
    prose = said(opened(recall_open="controls"))
    assert "**With 4 pairs, 3 of 4 methods learned the task**" in prose
    assert "Learned: ALiBi, RoPE, Learned. Not learned, with the share of right" in prose
    assert "it is right in 50% of the cases. Methods that recall there and are right more often: 1." in prose
    at = opened(recall_open="table")
    assert "of 8 L RoPE; of 16 L RoPE." in said(at)
    table = at.dataframe[0].value.set_index("Method")
    assert table.loc["ALiBi"]["2,041"] == "50%"
    assert table.loc["Learned"]["2,041"] == "–"
    assert ": RoPE (**95%**). ALiBi: **50%**." in prose
    assert "ALiBi: **" not in said(opened(recall_methods="rope,none"))
    assert not opened(curse_pairs="8").exception
    recall_runs(recall_run("rope", 0, 0.2, 0.1))
    assert "0 of 1 methods learned the task**" in said(opened())


def test_the_control_counts_at_every_distance(recall_runs):
    recall_runs(recall_run("t5", 0, 1.0, 1.0, wrong_far=0.2), recall_run("kerple", 0, 1.0, 0.95))
    at = opened(recall_open="table", recall_methods="t5,kerple")
    assert "2 of 2 methods learned the task**" in said(at)
    assert "of 2 L KERPLE log; of 4 L KERPLE log; of 8 L KERPLE log; of 16 L KERPLE log." in said(at)
    assert ": KERPLE log (**95%**)." in said(at)
    assert "The best of the methods" not in said(opened(recall_methods="t5")), "none recalls there"


def test_the_rule_that_only_some_fulfil_is_told_with_the_task():
    prose = said(opened(recall_open="task"))
    assert "tested with 4 pairs, at distances up to 2,041" in prose
    assert "names\na random digit is right in 10% of the cases" in prose


def test_methods_are_chosen_and_an_unknown_one_is_told():
    assert "T5 bias " in alt(opened(recall_methods="t5"))
    assert "ALiBi" not in alt(opened(recall_methods="t5"))
    assert "robe" in opened(recall_methods="alibi,robe").info[0].value
    assert "at least one" in opened(recall_methods="").info[0].value


def alt(at) -> str:
    """The picture in words."""
    return at.get("plotly_chart")[0].proto.alt


def test_the_question_is_judged_by_the_runs(recall_runs):
    recall_runs(recall_run("alibi", 0, 1.0, 0.95), recall_run("rope", 0, 1.0, 0.2), recall_run("learned", 0, 1.0, None))
    at = opened(predict="true")
    at.button(key="question_recall.predict_1").click().run()
    assert says(said(at), "words", "predict.wrong", chosen="RoPE", right="ALiBi")
    recall_runs(recall_run("alibi", 0, 1.0, 0.94), recall_run("rope", 0, 1.0, 0.92), recall_run("rope", 1, 1.0, 1.0))
    at = opened(predict="true")
    at.button(key="question_recall.predict_1").click().run()
    assert says(said(at), "words", "predict.right", chosen="RoPE"), "the mean of the seeds counts"


def test_methods_with_the_same_share_are_all_right_and_a_draw_of_all_is_not_asked(recall_runs):
    runs = [recall_run(method, 0, 1.0, far) for method, far in (("alibi", 1.0), ("rope", 0.2), ("t5", 0.9999))]
    recall_runs(*runs)
    at = opened(predict="true")
    assert ": ALiBi, T5 bias (**100%**)." in said(at)
    at.button(key="question_skip").click().run()
    assert says(said(at), "words", "predict.skipped", right="ALiBi, T5 bias")
    recall_runs(runs[0], runs[2])
    assert not asks(opened(predict="true"))


@pytest.mark.parametrize("pairs", ["2", "4", "8"])
def test_alibi_learned_the_task_and_is_behind_others(pairs):
    result = study.study(study.Controls(METHODS, int(pairs)))
    facts = facts_of(load("recall"), result)
    assert facts.ahead >= 1
    assert says(said(opened(curse_pairs=pairs)), "recall", "behind", ahead=facts.ahead)
