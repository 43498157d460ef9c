"""Far pairs as a reader opens it: who learned the task, and who recalls beyond L."""

import json
import math

import pytest

from alibi_viz.positions import METHODS
from alibi_viz.results import pretrained
from alibi_viz.results.facts import load_facts
from pages.recall import study
from tests.pages.apptest import asks, lines, numbers, open_page, said, says

L = 128


def answers(method, pairs):
    """The stored answers by distance; those of methods that cannot read so far are left out."""
    (record,) = (
        r for r in pretrained.load_all("recall") if r["config"]["method"] == method and not r["config"]["options"]
    )
    return {entry["length"]: entry for entry in record["recall"] if entry["pairs"] == pairs and "accuracy" in entry}


@pytest.mark.parametrize("pairs", [2, 4, 8])
def test_who_learned_the_task_and_who_recalls_again(pairs):
    """From the records alone: right by the asked letter at every distance so far, and who is left out by that alone."""
    here = load_facts("recall")[str(pairs)]
    left_out = {}
    for method in pretrained.methods_of("recall"):
        every = answers(method, pairs)
        good = {n: e["accuracy"] - e["wrong_key"] >= 0.9 for n, e in every.items()}
        learned = all(holds for n, holds in good.items() if n < L)
        assert (method in here["learned"]) == learned
        for times in (2, 4, 8, 16):
            distance = times * L - 1 - 2 * (pairs - 1)
            recalls = learned and distance in good and all(holds for n, holds in good.items() if n <= distance)
            assert (method in here["recalling"][str(times)]) == recalls, (method, times)
        first = next((n for n, holds in sorted(good.items()) if not holds), None)
        if learned and first is not None and every[first]["accuracy"] >= 0.9:
            left_out[method] = (first, every[first]["accuracy"], every[first]["wrong_key"])
    assert here["far"]["alibi"] < max(here["far"].values()), "ALiBi is not the best"
    assert here["flatter"]["share"] > here["far"]["alibi"]
    at = open_page("recall", curse_pairs=str(pairs))
    assert says(said(at), "recall", "seen", count=len(here["learned"]))
    for method, (distance, right, same) in left_out.items():
        title = METHODS[method].title
        assert says(said(at), "recall", "left_out", title=title, distance=distance, right=right, same=same)
    assert says(said(at), "recall", "left_out") == bool(left_out)
    for method, name in (("alibi", "ALiBi"), ("learned", "(Learned)")):
        stored = [answer["accuracy"] for _, answer in sorted(answers(method, pairs).items())]
        assert numbers(lines(at)[name]["y"]).tolist() == pytest.approx(stored)


@pytest.mark.parametrize(("pairs", "chance"), [(2, "50%"), (4, "25%"), (8, "12.5%")])
def test_a_guess_is_one_among_the_digits_of_the_text(pairs, chance):
    """Its line stands there; and the page says whether ALiBi is better at the farthest distance: within two standard errors
    of the 256 questions it is not."""
    (far, entry), *_ = sorted(answers("alibi", pairs).items(), reverse=True)
    right, questions = round(entry["accuracy"] * entry["questions"]), entry["questions"]
    luck = 2 * math.sqrt((pairs - 1) / pairs**2 / questions)
    guesses = right / questions <= 1 / pairs + luck
    at = open_page("recall", curse_pairs=str(pairs))
    section = "note_guess" if guesses else "note"
    assert says(said(at), "recall", section, far=far, pairs=str(pairs), chance=chance)
    assert guesses == (pairs < 8), "with 8 pairs it is still better than a guess"
    layout = json.loads(at.get("plotly_chart")[0].proto.spec)["layout"]
    assert 1 / pairs in [shape["y0"] for shape in layout["shapes"] if shape["yref"] == "y"]
    (name,) = (note for note in layout["annotations"] if note["text"] == f"guess: 1 in {pairs}")
    assert (name["xref"], name["xanchor"]) == ("x domain", "left"), "beside the curves, where no mark covers it"


def test_the_question_is_judged_by_the_stored_answers():
    at = open_page("recall", predict="true")
    assert max(numbers(line["x"]).max() for line in lines(at).values()) < L, "what is asked for is not drawn"
    far = f"ALiBi {load_facts('recall')['4']['far']['alibi']:.0%}"
    assert far not in at.get("plotly_chart")[0].proto.alt
    at.button(key="question_recall_0").click().run()
    assert max(numbers(line["x"]).max() for line in lines(at).values()) > 15 * L
    assert far in at.get("plotly_chart")[0].proto.alt
    best = METHODS[next(iter(load_facts("recall")["4"]["far"]))].title
    assert says(said(at), "shared", "predict.wrong", chosen="ALiBi", right=best)
    assert not asks(open_page("recall", predict="true", recall_methods="t5,kerple")), "all are right equally often"


def test_an_example_of_the_task_stands_in_sight_and_can_be_answered():
    letter, digit = study.example()[-2:]
    assert f"{letter}{digit}" in study.example()[:-2]
    assert says(said(open_page("recall")), "recall", "lead", question=study.example()[:-1], answer=digit)
