"""Texts, of which nothing held out was trained on; the n-gram model, beside which a model is judged; and training: bit for
bit resumable, the same for equal configurations, and it does learn.
"""

import math
import random
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import (
    LONGEST_PARAGRAPH,
    MAX_BYTES,
    MIN_BYTES,
    SHARED_BYTES,
    Corpus,
    normal_form,
    normalise,
    own_text,
    paragraphs,
    python_text,
)
from alibi_viz.lm.evaluation import evaluate
from alibi_viz.lm.ngram import ngram_loss
from alibi_viz.lm.training import TrainState, batch, build_model, learning_rate, start, train_chunk
from alibi_viz.positions import METHODS
from pages.train.study import bigram


def words(count, seed=0):
    draw = random.Random(seed)
    return "\n\n".join(f"{n} " + " ".join(draw.choices("alpha beta gamma delta".split(), k=9)) for n in range(count))


def leaks(corpus):
    train, held_out = (
        {normal_form(p) for p in part.decode().split("\n\n")} for part in (corpus.train, corpus.held_out)
    )
    return train & held_out


def test_own_text_is_held_out_in_blocks_and_does_not_leak():
    text = words(3000)
    corpus = own_text(text)
    assert not leaks(corpus)
    assert 0.07 < len(corpus.held_out) / len(text) < 0.13
    numbers = [int(p.split()[0]) for p in corpus.held_out.decode().split("\n\n")]
    assert sum(b - a > 1 for a, b in pairwise(numbers)) <= 1  # contiguous blocks
    assert own_text(text.encode()) == own_text("\ufeff" + text.replace("\n", "\r\n")) == corpus
    unbroken = own_text(text.replace("\n\n", " "))
    assert 0.07 < len(unbroken.held_out) / len(text) < 0.13
    assert not leaks(unbroken)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a" * (MIN_BYTES - 1), "not 19,999"),
        ("a" * (MAX_BYTES + 1), "at most 5,000,000"),
        (b"a" * MIN_BYTES + b"\xff", "UTF-8; byte 20,000"),
        ("a" * MIN_BYTES + "\ud800", "lone surrogate"),
        ("a\0" * MIN_BYTES, "zero bytes"),
        ("the same line again and again\n\n" * 2000, "repeats itself"),
    ],
)
def test_an_unsuitable_text_gets_one_clear_sentence(text, message):
    with pytest.raises(ValueError, match=message):
        own_text(text)


@given(st.text(max_size=200), st.integers(1, 40))
def test_cutting_loses_no_letter(text, times):
    long = normalise(text * times)
    pieces = paragraphs(long)
    assert "".join("".join(pieces).split()) == "".join(long.split())
    assert all(len(piece.encode()) <= LONGEST_PARAGRAPH for piece in pieces)


def test_the_parts_of_the_built_in_text_share_no_long_string():
    corpus, n = python_text(), SHARED_BYTES
    assert not leaks(corpus)
    paragraphs = (corpus.held_out + b"\n\n" + corpus.validation).split(b"\n\n")
    strings = {paragraph[at : at + n] for paragraph in paragraphs for at in range(len(paragraph) - n + 1)}
    assert len(strings) > 50_000
    assert not any(corpus.train[at : at + n] in strings for at in range(len(corpus.train) - n + 1))


def test_the_fingerprint_depends_on_every_part_and_on_where_it_ends():
    parts = [(b"ab", b"c", b""), (b"a", b"bc", b""), (b"ab", b"", b"c"), (b"", b"abc", b""), (b"abc", b"", b"")]
    assert len({Corpus("k", *part).sha256 for part in parts}) == len(parts)


texts = st.binary(min_size=9, max_size=60).map(lambda data: bytes(byte % 3 + 97 for byte in data))


def counted(train, order):
    """context -> how often each byte follows it, of all contexts of up to `order` - 1 bytes."""
    after: dict[bytes, Counter[int]] = defaultdict(Counter)
    for n in range(order):
        for end in range(n, len(train)):
            after[train[end - n : end]][train[end]] += 1
    return after


def probability(after, context, byte):
    """The recursion as it is written in the formula."""
    lower = probability(after, context[1:], byte) if context else 1 / 256
    followers = after.get(context)
    if not followers:
        return lower
    return (followers[byte] + len(followers) * lower) / (followers.total() + len(followers))


@given(texts, texts, st.integers(1, 4))
def test_as_the_formula_says(train, text, order):
    after = counted(train, order)
    losses = [-math.log(probability(after, text[max(0, i - order + 1) : i], text[i])) for i in range(1, len(text))]
    assert ngram_loss(train, text, order) == pytest.approx(sum(losses) / len(losses), rel=1e-9)


SMALL = TrainConfig(length=16, width=16, heads=2, batch=4, steps=20, warmup=4)
RECALL = replace(SMALL, corpus="recall")


def same(a, b):
    """Bit for bit, but for the time it took."""
    whole = (a.config, a.corpus) == (b.config, b.corpus) and torch.equal(a.losses, b.losses)
    return whole and _equal(a.weights, b.weights) and _equal(a.moments, b.moments)


def _equal(a, b):
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize("method", ["alibi", "t5", "learned"])
def test_chunks_are_bit_for_bit_one_run(method):
    config, corpus = replace(SMALL, method=method), python_text()
    whole = train_chunk(start(config, corpus), 20, corpus)
    state = start(config, corpus)
    for steps in (7, 1, 12):
        state = TrainState.from_bytes(train_chunk(state, steps, corpus).to_bytes())
    assert same(whole, state)
    assert whole.step == config.steps
    assert same(train_chunk(whole, 5, corpus), whole)  # nothing is left to do


@pytest.mark.parametrize("method", ["alibi", "t5"])
def test_the_steps_are_those_of_pytorchs_own_adamw(method):
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


def test_seed_and_step_make_the_batch():
    text = torch.arange(250, dtype=torch.uint8)
    inputs, targets = batch(SMALL, 3, text)
    assert torch.equal(targets, inputs + 1)
    assert torch.equal(inputs, batch(replace(SMALL, method="rope"), 3, text)[0])
    assert not torch.equal(inputs, batch(SMALL, 4, text)[0])
    assert not torch.equal(inputs, batch(replace(SMALL, seed=1), 3, text)[0])
    seen = {int(row) for step in range(900) for row in batch(SMALL, step, text)[0][:, 0]}
    assert seen == set(range(250 - 16))  # every place that has 16 bytes and a next one, and no other


def test_the_learning_rate_rises_and_falls():
    rates = [learning_rate(TrainConfig(steps=1000), step) for step in range(1000)]
    assert [rates[0], rates[99], rates[-1]] == pytest.approx([1e-4, 1e-2, 1e-3], rel=0.01)
    assert all(a <= b for a, b in pairwise(rates[:100]))
    assert all(a >= b for a, b in pairwise(rates[99:]))
    assert learning_rate(TrainConfig(steps=1), 0) == pytest.approx(1e-2)
    assert [TrainConfig(width=width).learning_rate for width in (16, 64, 128, 256)] == [0.01, 0.01, 0.005, 0.0025]


def test_it_learns_what_a_bigram_model_cannot():
    corpus = python_text()
    config = TrainConfig(length=32, width=32, layers=1, heads=4, steps=400, batch=16, learning_rate=1e-2)
    state = train_chunk(start(config, corpus), config.steps, corpus)
    result = evaluate(state.model(), corpus.held_out[:20_000], config.length)
    assert result["loss"] < math.log(bigram(corpus)) - 0.05
    assert state.losses[-20:].mean() < state.losses[:20].mean() - 1


def test_a_run_keeps_to_its_text():
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
def test_a_configuration_out_of_range_raises(change, message):
    with pytest.raises(ValueError, match=message):
        TrainConfig(**change)


def test_the_hash_stands_for_the_configuration():
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
def test_the_count_of_parameters_is_that_of_the_model(change):
    config = TrainConfig(**change)
    assert config.parameters == sum(p.numel() for p in build_model(config).parameters())


@pytest.mark.parametrize("method", METHODS)
def test_the_weights_of_any_model_fit_into_the_file_that_is_read(method):
    config = TrainConfig(method, width=128, heads=64, head_dim=2, layers=6)
    assert 4 * sum(p.numel() for p in build_model(config).parameters()) + 100_000 < config.largest_file
