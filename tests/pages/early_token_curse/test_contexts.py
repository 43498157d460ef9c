"""How far each model looks: what counts as enough context, and what the shipped runs have."""

from __future__ import annotations

import dataclasses

import pytest

from alibi_viz.lm.config import TrainConfig
from alibi_viz.results import measured, pretrained
from alibi_viz.results.measured import WORSE, MeasuredRun
from pages.early_token_curse.contexts import reaches

CONFIG, BYTES_PER_WORD = TrainConfig("alibi", length=8, steps=10), 5.0
ENOUGH = WORSE / BYTES_PER_WORD


def run(seed: int, *losses: float) -> MeasuredRun:
    contexts = tuple((2**power, loss) for power, loss in enumerate(losses))
    return MeasuredRun(
        dataclasses.replace(CONFIG, seed=seed), "shipped", "", (), bytes_per_word=BYTES_PER_WORD, contexts=contexts
    )


def test_enough_is_counted_from_the_training_length():
    (reach,) = reaches([run(0, 3.0, 2.0, 1.6, 1.5, 1.2), run(1, 3.0, 2.2, 1.42 + ENOUGH, 1.5, 1.4)])
    assert (reach.at_length, reach.needed) == (1.5, 4)
    assert reach.beyond == pytest.approx(-0.2)
    assert (reach.low[1], reach.high[1]) == (2.0, 2.2)
    (short,) = reaches([run(0, 3.0, 2.0, 1.6, 1.5)])
    assert (short.needed, short.beyond) == (8, None)
    assert reaches([dataclasses.replace(run(0), contexts=())]) == []


def test_the_shipped_runs_have_it_for_every_method():
    found = reaches(measured.shipped())
    assert [reach.method for reach in found] == list(pretrained.METHODS)
    assert all(reach.loss[0] > reach.loss[2] for reach in found)
    assert [reach.method for reach in found if reach.beyond is None] == ["learned"]
