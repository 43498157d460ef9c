"""Evaluation: equal to a plain loop, every prediction once, both protocols, any length, bounded pieces."""

from __future__ import annotations

import math
import random

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.lm import evaluation
from alibi_viz.lm.evaluation import Evaluation, Missing, context_losses, evaluate, tokens_processed, windows
from alibi_viz.lm.model import DecoderLM

TEXT = bytes(random.Random(0).choices(range(256), k=101))  # 100 predictions


def small(method: str = "alibi", length: int = 200) -> DecoderLM:
    torch.manual_seed(2)
    return DecoderLM(method, train_length=length, width=16, heads=2, layers=2).eval()


def measured(*arguments: object) -> Evaluation:
    result = evaluate(*arguments)  # type: ignore[arg-type]
    assert isinstance(result, Evaluation)
    return result


def plain_loop(model: DecoderLM, text: bytes, length: int, stride: int) -> list[float]:
    """Loss of every prediction, one at a time, each from the window that first reaches it."""
    losses = []
    for target in range(1, len(text)):
        begin = 0
        while begin + length < target:
            begin += stride
        scores = model(torch.tensor([list(text[begin:target])]))[0, -1]
        losses.append(-float(scores.log_softmax(-1)[text[target]]))
    return losses


def counts(length: int, stride: int) -> list[int]:
    """Predictions behind each position of the window."""
    spans = [(first, end - begin) for begin, end, first in windows(100, length, stride)]
    return [sum(first <= position < size for first, size in spans) for position in range(length)]


@pytest.mark.parametrize("method", ["alibi", "sinusoidal", "learned"])
@torch.inference_mode()
def test_a_cut_context_is_all_that_a_prediction_sees(method: str) -> None:
    """The same predictions from each context, one at a time."""
    model, contexts = small(method, length=32), (1, 5, 32)
    targets = [int(32 + index * (100 - 32) / 9) for index in range(10)]
    for context, loss in zip(contexts, context_losses(model, TEXT, contexts, 10), strict=True):
        losses = []
        for target in targets:
            scores = model(torch.tensor([list(TEXT[target - context : target])]))[0, -1]
            losses.append(-float(scores.log_softmax(-1)[TEXT[target]]))
        assert loss == pytest.approx(sum(losses) / 10, abs=1e-3)
    with pytest.raises(ValueError, match="longer than 101 bytes"):
        context_losses(model, TEXT, (1, 101), 10)


@pytest.mark.parametrize("method", ["alibi", "rope", "t5", "learned"])
@pytest.mark.parametrize(("length", "stride"), [(16, 16), (16, 5), (30, 1), (100, 100), (64, 32), (7, 7)])
@torch.inference_mode()
def test_it_equals_a_plain_loop(method: str, length: int, stride: int) -> None:
    model = small(method)
    losses = plain_loop(model, TEXT, length, stride)
    result = measured(model, TEXT, length, stride)
    assert result.loss == pytest.approx(math.fsum(losses) / 100, abs=1e-5)
    assert result.perplexity == pytest.approx(math.exp(result.loss))
    assert result.predictions == 100
    assert sum(counts(length, stride)) == 100
    assert [loss is None for loss in result.by_position] == [count == 0 for count in counts(length, stride)]
    by_position = zip(result.by_position, counts(length, stride), strict=True)
    assert math.fsum(loss * count for loss, count in by_position if loss is not None) == pytest.approx(
        100 * result.loss
    )


def test_stride_equal_to_the_length_is_nonoverlapping() -> None:
    assert evaluate(small(), TEXT, 16, 16) == evaluate(small(), TEXT, 16)


@given(st.integers(1, 200), st.integers(1, 60), st.data())
def test_every_prediction_counts_once_and_with_the_context_that_is_promised(
    predictions: int, length: int, data: st.DataObject
) -> None:
    stride = data.draw(st.integers(1, length))
    expected = 0
    for begin, end, first in windows(predictions, length, stride):
        assert 0 <= begin < end <= predictions
        assert end - begin <= length
        assert begin + first == expected
        assert begin == 0 or first == length - stride
        expected = end
    assert expected == predictions


def test_what_it_costs() -> None:
    assert tokens_processed(100, 10, 10) == 100
    assert tokens_processed(100, 10, 1) == 10 * 91


@torch.inference_mode()
def test_loss_by_position_is_the_mean_over_the_windows() -> None:
    model = small()
    result = measured(model, TEXT, 30)
    losses = plain_loop(model, TEXT, 30, 30)
    assert counts(30, 30) == [4] * 10 + [3] * 20
    for place in (0, 9, 10, 29):
        mine = losses[place::30]
        assert result.by_position[place] == pytest.approx(sum(mine) / len(mine), abs=1e-5)
    sliding = measured(model, TEXT, 30, 10)
    assert counts(30, 10) == [1] * 20 + [8] * 10
    losses = plain_loop(model, TEXT, 30, 10)
    assert sliding.by_position[:20] == pytest.approx(losses[:20], abs=1e-5)
    for position in (20, 29):
        mine = losses[position::10]
        assert sliding.by_position[position] == pytest.approx(sum(mine) / len(mine), abs=1e-5)


@pytest.mark.parametrize("method", ["alibi", "t5", "sinusoidal"])
def test_small_pieces_give_the_same(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = measured(small(method), TEXT, 64, 16)
    monkeypatch.setattr(evaluation, "TOKENS", 20)
    monkeypatch.setattr(evaluation, "SCORES", 64 * 2 * 7)
    pieces = measured(small(method), TEXT, 64, 16)
    assert pieces.loss == pytest.approx(whole.loss, abs=1e-5)
    assert pieces.by_position == pytest.approx(whole.by_position, abs=1e-4)


def test_no_piece_is_larger_than_promised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "TOKENS", 64)
    monkeypatch.setattr(evaluation, "SCORES", 2 * 64 * 16)
    for method, largest in (("t5", 16 * 64), ("alibi", 64)):
        model, seen = small(method), []
        model.register_forward_pre_hook(lambda _, inputs, seen=seen: seen.append(inputs[0].shape))
        measured(model, TEXT[:65], 64)
        assert max(rows * tokens for rows, tokens in seen) <= largest
        assert method != "t5" or max(tokens for _, tokens in seen) == 16


def test_what_cannot_be_measured_is_missing_with_a_reason() -> None:
    beyond = evaluate(small("learned", 32), TEXT, 33)
    assert isinstance(beyond, Missing)
    assert "position 32 has no vector" in beyond.reason
    assert isinstance(evaluate(small("learned", 32), TEXT, 32), Evaluation)
    short = evaluate(small(), TEXT, 101)
    assert isinstance(short, Missing)
    assert "shorter than one window" in short.reason
    assert short.to_dict() == {"length": 101, "stride": 101, "missing": short.reason}


@pytest.mark.parametrize("stride", [0, 17, -1, 2.5, True])
def test_a_stride_outside_the_window_raises(stride: object) -> None:
    with pytest.raises(ValueError, match="stride"):
        evaluate(small(), TEXT, 16, stride)  # type: ignore[arg-type]


def test_progress_reaches_the_end() -> None:
    calls: list[tuple[int, int]] = []
    evaluate(small(), TEXT, 10, 5, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (100, 100)
    assert [done for done, _ in calls] == sorted({done for done, _ in calls})
