"""The language model: causal, the same by every path, at any length, and equal where methods do not differ."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from alibi_viz.attention.kv_cache import KVCache
from alibi_viz.lm.config import BLOCKS
from alibi_viz.lm.model import DecoderLM
from alibi_viz.positions import METHODS

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
    caches = [KVCache() for _ in range(2)]
    pieces = [model(part, caches=caches) for part in text.split((7, 1, 12), dim=1)]
    assert torch.allclose(whole, torch.cat(pieces, dim=1), atol=1e-5)
    caches = [KVCache() for _ in range(2)]
    for part in text[:, :12].split((7, 5), dim=1):
        model.read(part, caches)
    assert torch.allclose(whole[:, 12:], model(text[:, 12:], caches=caches), atol=1e-5)


def test_methods_of_one_seed_start_from_the_same_network() -> None:
    first = dict(small("alibi").named_parameters())
    for method in NAMES:
        model = small(method)
        shared = {name: p for name, p in model.named_parameters() if "position" not in name.split(".")}
        assert shared.keys() == first.keys()
        assert all(torch.equal(p, first[name]) for name, p in shared.items())


@pytest.mark.parametrize("method", METHODS)
def test_a_llama_layer_refuses_what_it_cannot_do(method: str) -> None:
    if method in BLOCKS["llama"]:
        assert DecoderLM(method, block="llama")(torch.zeros(1, 3, dtype=torch.long)).shape == (1, 3, 256)
    else:
        with pytest.raises(ValueError, match="RoPE or ALiBi"):
            DecoderLM(method, block="llama")
