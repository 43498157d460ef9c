"""Evaluation: equal to a plain loop, every prediction once, both protocols, any length, bounded pieces."""

import math
import random
from statistics import fmean

import pytest
import torch

from alibi_viz.lm import evaluation
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.evaluation import evaluate
from alibi_viz.lm.model import DecoderLM
from tests.lm.tiny import tiny
from tools import measures

TEXT = bytes(random.Random(0).choices(range(256), k=101))  # 100 predictions


def plain_loop(model: DecoderLM, text: bytes, length: int, stride: int) -> list[tuple[int, float]]:
    """(place in its window, loss) of every prediction, one at a time, each from the window that first reaches it."""
    losses = []
    for target in range(1, len(text)):
        begin = 0
        while begin + length < target:
            begin += stride
        scores = model(torch.tensor([list(text[begin:target])]))[0, -1]
        losses.append((target - begin - 1, -float(scores.log_softmax(-1)[text[target]])))
    return losses


@pytest.mark.parametrize("method", ["alibi", "sinusoidal", "learned"])
@torch.inference_mode()
def test_a_cut_context_is_all_that_a_prediction_sees(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same predictions from each context, one at a time."""
    monkeypatch.setattr(measures, "CONTEXTS", (1, 5, 32))
    monkeypatch.setattr(measures, "PREDICTIONS", 10)
    model = tiny(method, 32)
    targets = [int(32 + index * (100 - 32) / 9) for index in range(10)]
    for entry in measures.contexts(model, TrainConfig(method), TEXT):
        context, loss = entry["context"], entry["loss"]
        losses = []
        for target in targets:
            scores = model(torch.tensor([list(TEXT[target - context : target])]))[0, -1]
            losses.append(-float(scores.log_softmax(-1)[TEXT[target]]))
        assert loss == pytest.approx(sum(losses) / 10, abs=1e-3)


@pytest.mark.parametrize("method", ["alibi", "rope", "t5", "learned"])
@pytest.mark.parametrize(("length", "stride"), [(16, 16), (16, 5), (30, 1), (100, 100), (64, 32), (7, 7)])
@torch.inference_mode()
def test_it_equals_a_plain_loop_in_all_and_at_every_place_of_a_window(method, length, stride):
    model = tiny(method, 200)
    losses = plain_loop(model, TEXT, length, stride)
    result = evaluate(model, TEXT, length, stride)
    assert result["loss"] == pytest.approx(fmean(loss for _, loss in losses), abs=1e-5)
    assert result["perplexity"] == pytest.approx(math.exp(result["loss"]))
    assert result["predictions"] == 100
    for place, mean in enumerate(result["by_position"]):
        here = [loss for at, loss in losses if at == place]
        assert mean == (pytest.approx(fmean(here), abs=1e-4) if here else None)


@pytest.mark.parametrize("method", ["alibi", "t5", "sinusoidal"])
def test_small_pieces_give_the_same(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = evaluate(tiny(method, 200), TEXT, 64, 16)
    monkeypatch.setattr(evaluation, "TOKENS", 20)
    monkeypatch.setattr(evaluation, "SCORES", 64 * 2 * 7)
    pieces = evaluate(tiny(method, 200), TEXT, 64, 16)
    assert pieces["loss"] == pytest.approx(whole["loss"], abs=1e-5)
    assert pieces["by_position"] == pytest.approx(whole["by_position"], abs=2e-4)


def test_what_cannot_be_measured_is_missing_with_a_reason() -> None:
    beyond, short = evaluate(tiny("learned", 32), TEXT, 33), evaluate(tiny("alibi", 200), TEXT, 101)
    for missing, words in ((beyond, "position 32 has no vector"), (short, "shorter than one window")):
        assert words in missing["missing"]
    assert "missing" not in evaluate(tiny("learned", 32), TEXT, 32)
    for stride in (0, 17, 2.5, True):
        with pytest.raises(ValueError, match="stride"):
            evaluate(tiny("alibi", 200), TEXT, 16, stride)
