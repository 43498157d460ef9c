"""The language model: causal, the same by every path, at any length, and equal where methods do not differ."""

import pytest
import torch
from torch import Tensor

from alibi_viz.attention.kv_cache import KVCache
from alibi_viz.lm.config import BLOCKS
from alibi_viz.lm.model import DecoderLM
from alibi_viz.positions import METHODS
from tests.lm.tiny import tiny

NAMES = sorted(METHODS)


def tokens(count: int = 20, rows: int = 2) -> Tensor:
    return torch.randint(256, (rows, count), generator=torch.Generator().manual_seed(5))


@pytest.mark.parametrize("method", NAMES)
def test_trace_and_pieces_through_the_cache_give_the_same_logits(method: str) -> None:
    model, text = tiny(method), tokens()
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
    first = dict(tiny("alibi").named_parameters())
    for method in NAMES:
        model = tiny(method)
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
