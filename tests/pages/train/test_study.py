"""Runs while they are trained, as the page shows them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.charts.lines import Line
from alibi_viz.lessons import load
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import Run
from pages.train import page, study
from pages.train.study import POINTS, plan_for, results, smoothed

CONFIG = TrainConfig(steps=100)


def sample(length: int, perplexity: float | None, step: int) -> dict[str, object]:
    return {"length": length, "stride": length, "perplexity": perplexity, "step": step}


def final(length: int, perplexity: float, stride: int | None = None) -> dict[str, object]:
    return {"length": length, "stride": stride or length // 4, "perplexity": perplexity}


@given(st.lists(st.floats(0, 10), max_size=1000))
def test_smoothing_keeps_the_mean_and_the_last_step(losses):
    steps, means = smoothed(losses)
    assert len(steps) == len(means) <= POINTS + 1
    sizes = np.diff(steps, prepend=0)
    assert (sizes > 0).all()
    assert sizes.sum() == len(losses)
    assert (sizes * means).sum() == pytest.approx(sum(losses))


def test_what_was_never_asked_for_has_no_results():
    run = Run(CONFIG, status="new")
    assert (run.is_active, run.step, len(results(run).values)) == (False, 0, 0)


def test_the_newest_sample_is_shown_until_the_finished_model_is_measured_as_far():
    run = Run(CONFIG, status="running", step=60, seconds=3.0, losses=(2.0,) * 60)
    samples = (sample(128, 9.0, 30), sample(512, 9.5, 30), sample(128, 8.0, 60), sample(512, 8.5, 60))
    run = replace(run, interim_evaluations=samples)
    newest = results(run)
    assert (newest.at(1), newest.at(4), newest.stage) == (8.0, 8.5, "training")
    quick = (sample(128, 7.9, 100), sample(512, 8.4, 100))
    run = replace(run, step=100, interim_evaluations=(*samples, *quick), evaluations=(final(128, 7.5),))
    newest = results(run)
    assert (newest.at(1), newest.at(4), newest.stage) == (7.9, 8.4, "quick")
    measured = (final(64, 7.5), final(128, 7.0), final(512, 7.1), final(512, 6.0, stride=512))
    run = replace(run, evaluations=measured)
    newest = results(run)
    assert (newest.at(1), newest.at(4), newest.stage, len(run.measurements)) == (7.0, 7.1, "full", 4)


def test_what_cannot_be_measured_is_no_number():
    ended = {"length": 256, "stride": 64, "missing": "no vector"}
    endless = {"length": 512, "stride": 128, "perplexity": None}
    newest = results(Run(CONFIG, status="finished", step=100, evaluations=(final(128, 7.0), ended, endless)))
    assert newest.lengths.tolist() == [128]
    assert newest.ends
    assert newest.at(2) is None


def test_recall_shows_accuracies():
    four = ({"length": 121, "pairs": 4, "accuracy": 0.9}, {"length": 505, "pairs": 4, "accuracy": 0.0})
    accuracies = (*four, {"length": 125, "pairs": 2, "accuracy": 1.0}, {"length": 113, "pairs": 8, "accuracy": 0.2})
    newest = results(Run(replace(CONFIG, corpus="recall"), status="finished", step=100, recall=accuracies))
    assert (newest.at(1), newest.at(4), newest.stage) == (0.9, 0.0, "full")


@pytest.mark.parametrize("steps", [25, 400, 5000])
def test_a_run_is_sampled_on_the_way_but_not_all_the_time(steps):
    assert 1 <= steps / plan_for(steps).sample_every <= 10


WORDS = load("train").entries("chart")


def measured(*perplexities: float, method: str = "rope") -> Run:
    evaluations = tuple(final(64 * 2**at, value) for at, value in enumerate(perplexities))
    return Run(TrainConfig(method), status="running", step=400, evaluations=evaluations)


def test_the_axes_stay_while_the_curve_moves_a_little():
    """Else the picture would wander under the eye."""
    early, late = (study.length_axes(WORDS, [measured(first, 12.0)]) for first in (5.0, 5.1))
    assert early == late


@pytest.mark.parametrize("perplexities", [[3.0, 9.0, 40.0], [250.0, 1e6], [1.01], []])
def test_every_perplexity_that_can_be_is_inside_the_axis(perplexities):
    _, axis = study.length_axes(WORDS, [measured(*perplexities)])
    assert 0 < axis.low < axis.high
    assert all(axis.low <= value <= axis.high for value in perplexities if study.LOWEST <= value <= study.HIGHEST)
    assert all(axis.low <= tick <= axis.high for tick in axis.ticks)


@pytest.mark.parametrize("steps", [25, 75, 400, 5000, 10_000])
def test_the_steps_have_a_few_round_numbers(steps):
    axis, _ = study.loss_axes(WORDS, steps)
    assert axis.ticks[0] == axis.low == 0
    assert 2 <= len(axis.ticks) <= 7
    assert axis.ticks[-1] <= axis.high


def test_recall_is_in_percent():
    _, axis = study.length_axes(WORDS, [Run(TrainConfig(corpus="recall"), status="new")])
    assert (axis.low, axis.high) == (0, 100)
    line = Line("alibi", "ALiBi", np.array([64.0, 128.0]), np.array([1.0, 0.1]))
    assert page.curve(line, 0, percent=True).values.tolist() == [100, 10]


def test_a_loss_that_became_nan_is_left_out():
    line = Line("alibi", "ALiBi", np.array([1.0, 2, 3, 4]), np.array([5.0, np.nan, np.inf, 4.0]))
    curve = page.curve(line, 0, percent=False)
    assert (curve.values.tolist(), curve.xs.tolist()) == ([5, 4], [1, 4])
