"""Training: bit for bit resumable, the same for equal configurations, and it does learn."""

import math
from dataclasses import replace
from itertools import pairwise

import pytest
import torch

from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import python_text
from alibi_viz.lm.evaluation import evaluate
from alibi_viz.lm.training import TrainState, batch, build_model, learning_rate, start, train_chunk
from alibi_viz.positions import METHODS
from pages.train.study import bigram

SMALL = TrainConfig(length=16, width=16, heads=2, batch=4, steps=20, warmup=4)
RECALL = replace(SMALL, corpus="recall")


def same(a: TrainState, b: TrainState) -> bool:
    """Bit for bit, but for the time it took."""
    whole = (a.config, a.corpus) == (b.config, b.corpus) and torch.equal(a.losses, b.losses)
    return whole and _equal(a.weights, b.weights) and _equal(a.moments, b.moments)


def _equal(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> bool:
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize("method", ["alibi", "t5", "learned"])
def test_chunks_are_bit_for_bit_one_run(method: str) -> None:
    config, corpus = replace(SMALL, method=method), python_text()
    whole = train_chunk(start(config, corpus), 20, corpus)
    state = start(config, corpus)
    for steps in (7, 1, 12):
        state = TrainState.from_bytes(train_chunk(state, steps, corpus).to_bytes())
    assert same(whole, state)
    assert whole.step == config.steps
    assert same(train_chunk(whole, 5, corpus), whole)  # nothing is left to do


@pytest.mark.parametrize("method", ["alibi", "t5"])
def test_the_steps_are_those_of_pytorchs_own_adamw(method: str) -> None:
    """Bit for bit; a T5 table does not decay, nor do norms."""
    config, corpus = replace(SMALL, method=method), python_text()
    model, text = build_model(config), torch.frombuffer(bytearray(corpus.train), dtype=torch.uint8)
    kept = [p for name, p in model.named_parameters() if p.ndim < 2 or name.startswith("position")]
    rest = [p for p in model.parameters() if all(p is not other for other in kept)]
    groups = [{"params": rest, "weight_decay": config.weight_decay}, {"params": kept, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, fused=True)
    for step in range(6):
        inputs, targets = batch(config, step, text)
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(inputs).flatten(0, 1), targets.flatten()).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), config.clip)
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(config, step)
        optimizer.step()
    assert _equal(train_chunk(start(config, corpus), 6, corpus).weights, dict(model.named_parameters()))


def test_seed_and_step_make_the_batch() -> None:
    text = torch.arange(250, dtype=torch.uint8)
    inputs, targets = batch(SMALL, 3, text)
    assert torch.equal(targets, inputs + 1)
    assert torch.equal(inputs, batch(replace(SMALL, method="rope"), 3, text)[0])
    assert not torch.equal(inputs, batch(SMALL, 4, text)[0])
    assert not torch.equal(inputs, batch(replace(SMALL, seed=1), 3, text)[0])
    seen = {int(row) for step in range(900) for row in batch(SMALL, step, text)[0][:, 0]}
    assert seen == set(range(250 - 16))  # every place that has 16 bytes and a next one, and no other


def test_the_learning_rate_rises_and_falls() -> None:
    rates = [learning_rate(TrainConfig(steps=1000), step) for step in range(1000)]
    assert [rates[0], rates[99], rates[-1]] == pytest.approx([1e-4, 1e-2, 1e-3], rel=0.01)
    assert all(a <= b for a, b in pairwise(rates[:100]))
    assert all(a >= b for a, b in pairwise(rates[99:]))
    assert learning_rate(TrainConfig(steps=1), 0) == pytest.approx(1e-2)
    assert [TrainConfig(width=width).learning_rate for width in (16, 64, 128, 256)] == [0.01, 0.01, 0.005, 0.0025]


def test_it_learns_what_a_bigram_model_cannot() -> None:
    corpus = python_text()
    config = TrainConfig(length=32, width=32, layers=1, heads=4, steps=400, batch=16, learning_rate=1e-2)
    state = train_chunk(start(config, corpus), config.steps, corpus)
    result = evaluate(state.model(), corpus.held_out[:20_000], config.length)
    assert result["loss"] < math.log(bigram(corpus)) - 0.05
    assert state.losses[-20:].mean() < state.losses[:20].mean() - 1


def test_a_run_keeps_to_its_text() -> None:
    corpus = python_text()
    other = replace(corpus, train=corpus.train + b"!")
    with pytest.raises(ValueError, match="another text"):
        train_chunk(start(SMALL, corpus), 1, other)
    with pytest.raises(ValueError, match="another text"):
        train_chunk(start(SMALL, corpus), 1)
    with pytest.raises(ValueError, match="needs the corpus 'recall'"):
        start(RECALL, corpus)
    with pytest.raises(ValueError, match="longer than one training sequence"):
        start(SMALL, replace(corpus, train=b"short"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": "guess"}, "position method must be one of"),
        ({"length": 4}, "length must be a whole number between 8 and 4,096, not 4"),
        ({"steps": True}, "steps"),
        ({"learning_rate": math.nan}, "learning_rate"),
        ({"corpus": "/etc/passwd"}, "corpus"),
        ({"corpus": "recall", "length": 10}, "4 pairs needs a length of at least 11"),
        ({"pairs": 9}, "pairs must be a whole number between 2 and 8, not 9"),
        ({"seed": -1}, "seed"),
    ],
)
def test_a_configuration_out_of_range_raises(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TrainConfig(**change)


def test_the_hash_stands_for_the_configuration() -> None:
    config = TrainConfig(method="t5", options={"max_distance": 64, "faithful": True})
    assert TrainConfig(**config.to_dict()) == config
    assert TrainConfig(method="t5", options=(("faithful", True), ("max_distance", 64))).hash == config.hash
    changes = ({"seed": 1}, {"steps": 1999}, {"method": "rope"}, {"learning_rate": 0.001}, {"corpus": "recall"})
    hashes = {TrainConfig(**change).hash for change in changes} | {config.hash}
    assert len(hashes) == 6
    assert TrainConfig(learning_rate=1).hash == TrainConfig(learning_rate=1.0).hash
    assert TrainConfig().hash == "4ed71f81bc42deb8"  # shared runs on every machine: it changes only with FORMAT


@pytest.mark.parametrize(
    "change", [{}, {"width": 48, "layers": 3}, {"block": "llama"}, {"block": "llama", "heads": 3, "head_dim": 8}]
)
def test_the_count_of_parameters_is_that_of_the_model(change) -> None:
    config = TrainConfig(**change)
    assert config.parameters == sum(p.numel() for p in build_model(config).parameters())


@pytest.mark.parametrize("method", METHODS)
def test_the_weights_of_any_model_fit_into_the_file_that_is_read(method: str) -> None:
    config = TrainConfig(method, width=128, heads=64, head_dim=2, layers=6)
    assert 4 * sum(p.numel() for p in build_model(config).parameters()) + 100_000 < config.largest_file
