"""The language model: causal, the same by every path, at any length, and equal where methods do not differ."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from alibi_viz.attention.kv_cache import KVCache
from alibi_viz.lm.model import DecoderLM, position_for
from alibi_viz.positions import METHODS
from alibi_viz.positions.t5 import T5Bias

NAMES = sorted(METHODS)


def small(method: str, length: int = 24, **options: object) -> DecoderLM:
    torch.manual_seed(3)
    return DecoderLM(method, train_length=length, width=16, heads=2, layers=2, options=options).eval()


def tokens(count: int = 20, rows: int = 2) -> Tensor:
    return torch.randint(256, (rows, count), generator=torch.Generator().manual_seed(5))


@pytest.mark.parametrize("method", NAMES)
def test_no_logit_depends_on_a_later_byte(method: str) -> None:
    model, text = small(method), tokens()
    changed = text.clone()
    changed[:, 12:] = (changed[:, 12:] + 1) % 256
    before, after = model(text), model(changed)
    assert torch.allclose(before[:, :12], after[:, :12], atol=1e-5)
    assert not torch.allclose(before[:, 12], after[:, 12], atol=1e-3)


@pytest.mark.parametrize("method", NAMES)
def test_trace_and_pieces_through_the_cache_give_the_same_logits(method: str) -> None:
    model, text = small(method), tokens()
    whole = model(text)
    stages, traced = model.trace(text)
    assert len(stages) == 2
    assert stages[0].weights.shape == (2, 2, 20, 20)
    assert torch.allclose(whole, traced, atol=1e-5)
    caches = [KVCache.empty() for _ in range(2)]
    pieces = [model(part, caches=caches) for part in text.split((7, 1, 12), dim=1)]
    assert torch.allclose(whole, torch.cat(pieces, dim=1), atol=1e-5)
    caches = [KVCache.empty() for _ in range(2)]
    for part in text[:, :12].split((7, 5), dim=1):
        model.read(part, caches)
    assert torch.allclose(whole[:, 12:], model(text[:, 12:], caches=caches), atol=1e-5)


@pytest.mark.parametrize("method", sorted(set(NAMES) - {"learned"}))
def test_it_reads_far_beyond_its_training_length(method: str) -> None:
    assert small(method)(tokens(24 * 8, 1)).isfinite().all()


def test_learned_positions_end_at_the_training_length() -> None:
    with pytest.raises(ValueError, match="position 24 has no vector"):
        small("learned")(tokens(25))


def test_methods_of_one_seed_start_from_the_same_network() -> None:
    first = dict(small("alibi").named_parameters())
    for method in NAMES:
        model = small(method)
        own = {id(p) for p in model.position.parameters()}
        shared = {name: p for name, p in model.named_parameters() if id(p) not in own}
        assert shared.keys() == first.keys()
        assert all(torch.equal(p, first[name]) for name, p in shared.items())


def test_the_position_method_is_shared_by_the_layers_and_counted_once() -> None:
    model = small("t5")
    assert sum("table" in name for name, _ in model.named_parameters()) == 1
    assert {id(block.attention.position) for block in model.blocks} == {id(model.position)}  # type: ignore[union-attr]


def used_buckets(position: T5Bias, length: int) -> set[int]:
    return set(position.bucket(torch.arange(length)).tolist())


@pytest.mark.parametrize(("length", "expected"), [(128, 32), (512, 128), (32, 17), (64, 17)])
def test_t5_gets_a_quarter_of_the_training_length(length: int, expected: int) -> None:
    position = position_for("t5", train_length=length, width=16, heads=2, head_dim=8)
    assert isinstance(position, T5Bias)
    assert position.max_distance == expected
    assert used_buckets(position, length) == used_buckets(position, 16 * length), "a longer text meets no other bucket"


def test_t5_left_at_128_never_trains_its_last_buckets() -> None:
    position = position_for("t5", train_length=64, width=16, heads=2, head_dim=8, options={"max_distance": 128})
    assert isinstance(position, T5Bias)
    assert used_buckets(position, 64) == {*range(27)}, "the last bucket that 63 reaches starts at 59"
    assert used_buckets(position, 128) == {*range(32)}


def test_numbers_that_do_not_fit_raise() -> None:
    with pytest.raises(ValueError, match="multiple of the heads"):
        DecoderLM("alibi", width=10, heads=4)
    with pytest.raises(ValueError, match="one cache"):
        small("alibi")(tokens(), caches=[KVCache.empty()])


@pytest.mark.skipif(not torch.cuda.is_available(), reason="this machine has no CUDA device")
@pytest.mark.parametrize("method", NAMES)
def test_the_same_on_a_gpu(method: str) -> None:
    model, text = small(method), tokens()
    here = model(text)
    there = model.to("cuda")(text.to("cuda"))
    assert torch.allclose(here, there.cpu(), atol=1e-4)
