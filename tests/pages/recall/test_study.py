"""The Recall page's study: seeds that are joined, who learned the task, the penalty of a far key."""

from __future__ import annotations

import dataclasses

import pytest

from alibi_viz.lm.config import TrainConfig
from alibi_viz.results import measured
from alibi_viz.results.measured import MeasuredRun, RecallPoint
from alibi_viz.results.pretrained import METHODS
from pages.recall import charts, study

RECALL = TrainConfig(corpus="recall", length=16, steps=10)


def recalled(seed: int, *shares: float | None, wrong_key: float = 0.0) -> MeasuredRun:
    points = (RecallPoint(at, 4, share, wrong_key) for at, share in zip((2, 8, 32), shares, strict=True))
    return MeasuredRun(dataclasses.replace(RECALL, seed=seed), "own", "", (), tuple(points))


def test_recall_joins_seeds_and_leaves_out_what_one_of_them_lacks():
    (curve,) = measured.recall_curves([recalled(1, 1.0, 0.8, None), recalled(0, 1.0, 0.6, 0.5)])
    assert curve.seeds == (0, 1)
    assert curve.distances.tolist() == [2, 8]
    assert curve.at(8) == pytest.approx(0.7)
    assert curve.at(32) is None
    assert measured.recall_curves(measured.shipped()) == ()


@pytest.mark.parametrize(
    ("runs", "learned"),
    [
        ([recalled(0, 1.0, 0.9, 0.0)], True),  # distance 32 was not trained: L is 16
        ([recalled(0, 1.0, 1.0, 1.0), recalled(1, 1.0, 0.8, 1.0)], False),  # not with every seed
        ([recalled(0, 1.0, 1.0, 1.0, wrong_key=1.0)], False),  # whatever key is asked
    ],
)
def test_recall_is_learned_only_by_who_follows_the_key_with_every_seed(runs, learned):
    every = {share: measured.recall_curves(runs, share) for share in study.SHARES}
    assert bool(measured.learned(every["right"], every["wrong_key"])) == learned


def test_the_example_is_a_question_with_its_answer():
    text = study.example(24)
    key, digit = text[-2:]
    first = text.index(key)
    assert (text[first + 1], len(text) - 2 - first) == (digit, 24)
    assert sum(letter.isdigit() for letter in text[:-1]) == 3


def test_the_shipped_runs():
    result = study.study(study.Controls(METHODS, 4))
    assert (result.trained, result.far) == (127, 2041)
    assert list(result.at_far().values()) == sorted(result.at_far().values(), reverse=True)
    assert set(result.at_far()) == {curve.config.method for curve in result.learned}, "others are not ranked"
    assert result.penalty == (1 / 256, 2041 / 256)
    assert charts.formula(result).endswith("= 7.97")
    few = study.study(study.Controls(("t5",), 4))
    assert list(few.at_far()) == ["t5"]
    assert len(few.right) == len(METHODS), "the table has all"
    assert study.study(study.Controls(("rope",), 3)) is None


@pytest.mark.parametrize(
    ("pairs", "learned", "recalling"),
    [
        (
            2,
            "alibi rope t5 sinusoidal none kerple kerple_power sandwich fire",
            "t5 sinusoidal none kerple sandwich fire",
        ),
        (4, "alibi rope t5 none kerple kerple_power sandwich fire", "t5 none kerple sandwich fire"),
        (8, "alibi rope t5 kerple kerple_power sandwich fire", "t5 kerple sandwich fire"),
    ],
)
def test_who_learned_the_task_and_who_recalls_at_sixteen_times_the_length(pairs, learned, recalling):
    """The sentences of the page, from the shipped runs."""
    result = study.study(study.Controls(METHODS, pairs))
    assert [curve.config.method for curve in result.learned] == learned.split()
    assert [curve.config.method for curve in result.recalling(result.far)] == recalling.split()
    assert result.times == 16
