"""What is changed in a trained model, against plain loops on tiny models."""

import math
import random

import pytest
import torch

from alibi_viz.classroom import drawing
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.evaluation import evaluate
from alibi_viz.lm.model import Block
from alibi_viz.positions import METHODS
from alibi_viz.results import pretrained
from pages.why import study as why
from tests.cases import some
from tests.lm.tiny import tiny
from tools.measures import windows, without_heads

TEXT = bytes(random.Random(0).choices(range(256), k=97))
LENGTH = 24
CONFIG = TrainConfig(length=LENGTH)


def by_hand(model, change):
    """The loss with every stage of attention computed step by step; `change(layer, weights)` gives other weights."""
    total, count = 0.0, 0
    for begin in range(0, len(TEXT) - 1, LENGTH):
        window = TEXT[begin : begin + LENGTH + 1]
        tokens, targets = torch.tensor([list(window[:-1])]), torch.tensor(list(window[1:]))
        positions = torch.arange(tokens.shape[1])
        x = model._embed(tokens, positions)
        for layer, block in enumerate(model.blocks):
            assert isinstance(block, Block)
            stages, _ = block.attention.trace(block.attention_norm(x))
            weights = change(layer, stages.masked)
            x = block._mlp(x + block.attention._merge(weights @ stages.v))
        logs = model._logits(x)[0].log_softmax(-1)
        total -= float(logs[torch.arange(len(targets)), targets].sum())
        count += len(targets)
    return total / count


@pytest.mark.parametrize("method", ["alibi", "sinusoidal"])
@torch.no_grad()
def test_a_head_that_is_left_out_adds_nothing(method):
    model = tiny(method, 200, heads=4)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    losses = without_heads(model, CONFIG, TEXT)
    assert [len(of_layer) for of_layer in losses] == [4, 4]
    for layer, head in ((0, 0), (1, 3)):

        def silent(at, scores, layer=layer, head=head):
            weights = scores.softmax(-1)
            return weights if at != layer else weights * (torch.arange(4) != head).view(4, 1, 1)

        assert losses[layer][head] == pytest.approx(by_hand(model, silent), abs=2e-5)
    assert len({round(loss, 6) for of_layer in losses for loss in of_layer}) == 8
    assert all(torch.equal(before[name], tensor) for name, tensor in model.state_dict().items())


@pytest.mark.parametrize("method", some(METHODS, "alibi", "rope", "learned"))
@torch.no_grad()
def test_a_window_hides_what_is_farther(method):
    model = tiny(method, 200, heads=4)

    def near(window, scores):
        positions = torch.arange(scores.shape[-1])
        return scores.masked_fill(positions[:, None] - positions > window, -math.inf).softmax(-1)

    losses = {entry["window"]: entry["loss"] for entry in windows(model, CONFIG, TEXT) if entry["length"] == LENGTH}
    for window in (1, 4):
        assert losses[window] == pytest.approx(by_hand(model, lambda _, scores, w=window: near(w, scores)), abs=2e-5)
    assert losses[LENGTH] == pytest.approx(evaluate(model, TEXT, LENGTH)["loss"], abs=2e-5)
    assert losses[1] != pytest.approx(losses[LENGTH], abs=1e-4)


@pytest.mark.parametrize("method", sorted({*why.HIDDEN, *drawing.SHOWN}))
def test_what_stands_beside_other_numbers_was_measured_on_the_same_text(method):
    """Nothing hidden, it is the loss in nonoverlapping windows of all held-out text: a sample differed by up to 0.1. The
    weights were float16 for the one and float32 for the other."""
    record = pretrained.load(method, pretrained.SEEDS[0])
    whole = {entry["length"]: entry["loss"] for entry in record["nonoverlapping"] if "loss" in entry}
    seen = {entry["length"]: entry["loss"] for entry in record["windows"] if entry["window"] == entry["length"]}
    assert len(seen) == 2
    assert seen == pytest.approx({length: whole[length] for length in seen}, abs=3e-4)
