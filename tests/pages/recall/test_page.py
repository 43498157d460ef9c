"""Far keys as a reader opens it: who learned the task, who recalls beyond L, and the two controls."""

from __future__ import annotations

import json
from itertools import product

import pytest

from alibi_viz.positions import METHODS
from alibi_viz.results import facts, pretrained
from pages.recall import study
from tests.pages.apptest import asks, numbers, open_page, said, says

L = 128


def answers(method: str, pairs: int) -> dict[int, dict]:
    """The stored answers by distance; those of methods that cannot read so far are left out."""
    (record,) = (
        r for r in pretrained.load_all("recall") if r["config"]["method"] == method and not r["config"]["options"]
    )
    return {entry["length"]: entry for entry in record["recall"] if entry["pairs"] == pairs and "accuracy" in entry}


def lines(at, chart: int = 0) -> dict[str, dict]:
    traces = json.loads(at.get("plotly_chart")[chart].proto.spec)["data"]
    return {trace["name"]: trace for trace in traces if trace.get("name")}


@pytest.mark.parametrize("pairs", [2, 4, 8])
def test_who_learned_the_task_and_who_recalls_again(pairs):
    """From the records alone: right at every trained distance, and not the same digit when another key is asked."""
    here = facts.load("recall")[str(pairs)]
    for method in pretrained.METHODS:
        every = answers(method, pairs)
        good = {n: e["accuracy"] >= 0.9 and e["wrong_key"] <= 0.1 for n, e in every.items()}
        learned = all(holds for n, holds in good.items() if n < L)
        assert (method in here["learned"]) == learned
        for times in (2, 4, 8, 16):
            distance = times * L - 1 - 2 * (pairs - 1)
            assert (method in here["recalling"][str(times)]) == (learned and good.get(distance, False)), (method, times)


@pytest.mark.parametrize("pairs", [2, 4, 8])
def test_what_the_sentences_claim(pairs):
    here = facts.load("recall")[str(pairs)]
    best = here["far"][next(method for method in here["far"] if method in here["recalling"]["16"])]
    assert "alibi" in here["learned"]
    assert here["far"]["alibi"] < best, "ALiBi is not the best"
    assert here["flatter"]["share"] > here["far"]["alibi"]
    assert says(said(open_page("recall", curse_pairs=str(pairs))), "recall", "seen", count=len(here["learned"]))


@pytest.mark.parametrize(("method", "pairs"), product(["alibi", "learned"], [4]))
def test_the_picture_has_the_stored_shares(method, pairs):
    drawn = lines(open_page("recall"))
    name = {"alibi": "ALiBi", "learned": "(Learned)"}[method]
    stored = [answer["accuracy"] for _, answer in sorted(answers(method, pairs).items())]
    assert numbers(drawn[name]["y"]).tolist() == pytest.approx(stored)
    assert ("opacity" in drawn[name]) == (method == "learned"), "what did not learn the task is faint"


def test_every_section_opens():
    at = open_page("recall", recall_open="controls,table,task")
    assert len(at.get("plotly_chart")) == 3
    for section in ("controls", "table", "task", "choice"):
        assert says(said(at), "recall", section), section
    table = at.dataframe[0].value.set_index("Method")
    assert table.loc["Learned"].tolist()[-1] == "–"
    assert len(table) == len(pretrained.METHODS)


def test_an_example_can_be_answered():
    text = study.example()
    key, digit = text[-2:]
    assert f"{key}{digit}" in text[:-2]


def test_the_question_is_judged_by_the_stored_answers():
    at = open_page("recall", predict="true")
    assert asks(at)
    at.button(key="question_recall.predict_0").click().run()
    here = facts.load("recall")["4"]
    best = METHODS[next(iter(here["far"]))].title
    assert says(said(at), "words", "predict.wrong", chosen="ALiBi", right=best)
    assert not asks(open_page("recall", predict="true", recall_methods="t5,kerple")), "all are right equally often"
