"""Far keys as a reader opens it: who learned the task, and who recalls beyond L."""

from __future__ import annotations

import pytest

from alibi_viz.positions import METHODS
from alibi_viz.results import facts, pretrained
from pages.recall import study
from tests.pages.apptest import asks, lines, numbers, open_page, said, says

L = 128


def answers(method: str, pairs: int) -> dict[int, dict]:
    """The stored answers by distance; those of methods that cannot read so far are left out."""
    (record,) = (
        r for r in pretrained.load_all("recall") if r["config"]["method"] == method and not r["config"]["options"]
    )
    return {entry["length"]: entry for entry in record["recall"] if entry["pairs"] == pairs and "accuracy" in entry}


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
    best = here["far"][next(method for method in here["far"] if method in here["recalling"]["16"])]
    assert here["far"]["alibi"] < best, "ALiBi is not the best"
    assert here["flatter"]["share"] > here["far"]["alibi"]
    at = open_page("recall", curse_pairs=str(pairs))
    assert says(said(at), "recall", "seen", count=len(here["learned"]))
    for method, name in (("alibi", "ALiBi"), ("learned", "(Learned)")):
        stored = [answer["accuracy"] for _, answer in sorted(answers(method, pairs).items())]
        assert numbers(lines(at)[name]["y"]).tolist() == pytest.approx(stored)


def test_the_question_is_judged_by_the_stored_answers():
    at = open_page("recall", predict="true")
    assert max(numbers(line["x"]).max() for line in lines(at).values()) < L, "what is asked for is not drawn"
    far = f"ALiBi {facts.load('recall')['4']['far']['alibi']:.0%}"
    assert far not in at.get("plotly_chart")[0].proto.alt
    at.button(key="question_recall_0").click().run()
    assert max(numbers(line["x"]).max() for line in lines(at).values()) > 15 * L
    assert far in at.get("plotly_chart")[0].proto.alt
    best = METHODS[next(iter(facts.load("recall")["4"]["far"]))].title
    assert says(said(at), "words", "predict.wrong", chosen="ALiBi", right=best)
    assert not asks(open_page("recall", predict="true", recall_methods="t5,kerple")), "all are right equally often"
    key, digit = study.example()[-2:]
    assert f"{key}{digit}" in study.example()[:-2], "an example can be answered"
