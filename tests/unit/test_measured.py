"""Measured runs in one form: which runs share a curve, which lengths count, and what is missing."""

from __future__ import annotations

import dataclasses
import math

import pytest

from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import Run
from alibi_viz.results import measured, pretrained
from alibi_viz.results.measured import MeasuredRun, Point, curves, shipped

CONFIG = TrainConfig(length=16, steps=10)


def run(seed: int, perplexities: dict[int, float | None], **changes: object) -> MeasuredRun:
    points = tuple(Point(n, n, value, "" if value else "It ends.") for n, value in perplexities.items())
    config = dataclasses.replace(CONFIG, seed=seed)
    return dataclasses.replace(MeasuredRun(config, "own", "a text", points), **changes)


def test_seeds_share_a_curve_and_nothing_else_does():
    other = dataclasses.replace(CONFIG, seed=1, steps=20)
    grouped = curves(
        [
            run(1, {16: 4.0}),
            run(0, {16: 2.0}),
            run(1, {16: 9.0}, corpus="another text"),
            run(1, {16: 9.0}, origin="shipped"),
            run(1, {16: 9.0}, config=other),
        ]
    )
    assert [curve.seeds for curve in grouped] == [(0, 1), (1,), (1,), (1,)]
    first = grouped[0]
    assert (first.mean[0], first.low[0], first.high[0]) == (3.0, 2.0, 4.0)
    assert first.per_seed.tolist() == [[2.0, 4.0]]  # in the order of the seeds, not of the runs


def test_a_length_that_one_seed_lacks_does_not_count():
    curve = curves([run(0, {16: 2.0, 32: 3.0}), run(1, {16: 2.0})])[0]
    assert curve.lengths.tolist() == [16]
    assert curve.at(32) is None


def test_what_cannot_be_measured_is_kept_with_its_reason():
    curve = curves([run(0, {16: 2.0, 32: None})])[0]
    assert curve.lengths.tolist() == [16]
    assert curve.missing == {32: "It ends."}


def test_the_rise_is_zero_at_the_training_length():
    known = dataclasses.replace(run(0, {8: 3.0, 16: 2.0, 32: 6.0}), bytes_per_word=4.0)
    curve = curves([known])[0]
    assert curve.rise[:, 0].tolist() == pytest.approx([4 * math.log(1.5), 0.0, 4 * math.log(3)])
    assert curves([dataclasses.replace(run(0, {8: 3.0}), bytes_per_word=4.0)])[0].rise is None
    assert curves([run(0, {16: 2.0})])[0].rise is None


def test_recall_has_no_perplexity():
    assert curves([run(0, {16: 2.0}, config=TrainConfig(corpus="recall"))]) == ()


def test_recall_has_a_curve_for_each_share_and_number_of_pairs():
    config = TrainConfig(corpus="recall", pairs=2)
    two = {"length": 8, "pairs": 2, "questions": 9, "accuracy": 0.5, "wrong_key": 0.25, "nearest": None}
    four = two | {"pairs": 4, "accuracy": 0.75, "nearest": 0.125}
    beyond = {"length": 32, "pairs": 4, "missing": "It ends."}
    run_of = measured.from_run(Run(config, recall=(two, four, beyond)))
    shares = {"right": (0.5, 0.75), "wrong_key": (0.25, 0.25), "nearest": (None, 0.125)}
    for share, (of_two, of_four) in shares.items():
        assert measured.recall_curves([run_of], share)[0].at(8) == of_two  # as many pairs as in training
        (curve,) = measured.recall_curves([run_of], share, pairs=4)
        assert curve.at(8) == of_four
        assert curve.at(32) is None
    assert measured.recall_curves([run_of], pairs=8) == ()


def test_sliding_windows_are_not_mixed_with_nonoverlapping_ones():
    points = (Point(16, 16, 2.0), Point(16, 4, 3.0))
    both = MeasuredRun(CONFIG, "own", "", points)
    assert both.at(16).perplexity == 2.0
    assert both.at(16, "sliding").perplexity == 3.0
    assert curves([both], "sliding")[0].mean.tolist() == [3.0]


@pytest.mark.parametrize("method", pretrained.METHODS)
def test_shipped_runs_are_those_on_disk(method):
    by_seed = {entry.config.seed: entry for entry in shipped() if entry.config.method == method}
    assert set(by_seed) == set(pretrained.SEEDS if method in pretrained.MAIN else pretrained.SEEDS[:1])
    for seed, entry in by_seed.items():
        stored = pretrained.load(method, seed)
        assert entry.config.hash == stored["hash"]
        measured_points = {point.length: point.perplexity for point in entry.of("sliding")}
        assert measured_points == {point["length"]: point.get("perplexity") for point in stored["sliding"]}


def test_a_measurement_that_stands_twice_counts_once():
    points = (Point(16, 16, 2.0), Point(16, 16, 2.0))
    assert curves([MeasuredRun(CONFIG, "own", "a text", points), run(1, {})]) == ()
    (curve,) = curves([MeasuredRun(CONFIG, "own", "a text", points), run(1, {16: 4.0})])
    assert curve.per_seed.tolist() == [[2.0, 4.0]]
