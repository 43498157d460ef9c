"""Training until little is gained: where the constant rate ends, what is taken from it, and that it resumes bit for bit."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.lm import training
from alibi_viz.lm.config import VALIDATIONS, TrainConfig
from alibi_viz.lm.corpus import PYTHON_TEXT, Corpus
from alibi_viz.lm.criterion import last_step, learning_rate, plateau_end
from alibi_viz.lm.records import Run
from alibi_viz.lm.training import TrainState, start, train_chunk

CONFIG = TrainConfig(steps=400, stretch=40, least_gain=0.1, warmup=4)  # a validation loss every five steps
SMALL = replace(CONFIG, corpus=PYTHON_TEXT, length=16, width=16, heads=2, batch=4, steps=160)
TEXT = Corpus(PYTHON_TEXT, "text", bytes(range(32, 127)) * 30, b"held out " * 30, b"validation text " * 10)


def falling(by: float, count: int = 80) -> list[float]:
    """Losses that fall by so much a stretch."""
    return [10 - by * n / VALIDATIONS for n in range(count)]


def test_the_rate_is_constant_while_a_stretch_gains_enough() -> None:
    assert plateau_end(CONFIG, falling(0.11)[:71]) is None  # one validation before the latest end
    assert plateau_end(CONFIG, falling(0.11)) == 360
    assert last_step(CONFIG, falling(0.11)) == 400


@pytest.mark.parametrize("by", [0.09, 0.0, -1.0])
def test_it_ends_after_two_stretches_if_little_is_gained_or_the_loss_rises(by: float) -> None:
    assert plateau_end(CONFIG, falling(by)[:15]) is None
    assert plateau_end(CONFIG, falling(by)) == 80
    assert last_step(CONFIG, falling(by)) == 120


def test_it_ends_where_the_gain_ends() -> None:
    losses = falling(0.2, 33) + [falling(0.2, 33)[-1]] * 40
    end = plateau_end(CONFIG, losses)
    assert end is not None
    gains = [  # the mean of the last stretch against that of the one before, by hand
        (sum(losses[n - 16 : n - 8]) - sum(losses[n - 8 : n])) / 8 for n in range(16, len(losses) + 1)
    ]
    assert end == 5 * (16 + next(index for index, gain in enumerate(gains) if gain < 0.1))
    assert 33 * 5 < end < 45 * 5


@given(st.lists(st.floats(0, 10), max_size=80), st.integers(0, 80))
def test_what_was_decided_stays(losses: list[float], at: int) -> None:
    before, after = plateau_end(CONFIG, losses[:at]), plateau_end(CONFIG, losses)
    assert before is None or after == before
    assert last_step(CONFIG, losses) <= CONFIG.steps


def test_recall_is_judged_after_its_curriculum() -> None:
    recall = replace(CONFIG, corpus="recall")  # which is over after 0.65 / 2 of 400 steps
    assert plateau_end(recall, falling(0.0)) == 130 + 80
    assert plateau_end(recall, falling(0.0)[:41]) is None


def test_the_rate_falls_to_zero_in_one_stretch() -> None:
    losses = falling(0.0)[:16]
    rates = [learning_rate(CONFIG, step, losses if step >= 80 else losses[: step // 5]) for step in range(120)]
    assert rates[4:81] == [CONFIG.learning_rate] * 77
    assert all(a > b for a, b in pairwise(rates[80:]))
    assert rates[100] == pytest.approx(CONFIG.learning_rate / 2)
    assert rates[119] == pytest.approx(CONFIG.learning_rate / 40)


@pytest.mark.parametrize("config", [SMALL, replace(SMALL, corpus="recall", steps=240, least_gain=10.0)])
def test_it_resumes_bit_for_bit(config: TrainConfig) -> None:
    corpus = None if config.is_recall else TEXT
    whole = train_chunk(start(config, corpus), 1000, corpus)
    state = start(config, corpus)
    while not state.finished:
        state.check()
        state = TrainState.from_bytes(train_chunk(state, 7, corpus).to_bytes())
    assert state.step == whole.step == last_step(config, whole.validation.tolist()) < config.steps
    assert torch.equal(state.validation, whole.validation)
    assert all(torch.equal(state.weights[name], weight) for name, weight in whole.weights.items())
    assert Run(config).after(whole).is_trained
    assert not Run(config).after(start(config, corpus)).is_trained


def test_the_weights_of_the_lowest_validation_loss_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    losses = iter([5.0, 4.0, 3.0, *range(4, 80)])
    monkeypatch.setattr(training, "validation_loss", lambda *_: next(losses))
    best = train_chunk(start(SMALL, TEXT), 15, TEXT).weights  # the third
    losses = iter([5.0, 4.0, 3.0, *range(4, 80)])
    state = train_chunk(start(SMALL, TEXT), 1000, TEXT)
    assert state.finished
    assert state.step == 120
    assert all(torch.equal(state.weights[name], weight) for name, weight in best.items())


def test_a_text_without_a_validation_part_is_refused() -> None:
    with pytest.raises(ValueError, match="no part to watch"):
        start(SMALL, replace(TEXT, validation=b""))


@pytest.mark.parametrize("change", [{"stretch": 12}, {"stretch": 136}, {"least_gain": -0.1}])
def test_a_criterion_out_of_range_is_refused(change: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"stretch|least_gain"):
        replace(CONFIG, **change)  # type: ignore[arg-type]


def test_a_state_with_another_number_of_validation_losses_is_refused() -> None:
    state = train_chunk(start(SMALL, TEXT), 12, TEXT)
    state.check()
    for wrong in (replace(state, validation=state.validation[:1]), replace(state, best={})):
        with pytest.raises(ValueError, match="validation losses"):
            wrong.check()
