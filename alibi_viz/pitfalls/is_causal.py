"""`is_causal=True` beside a cache: the kernel's mask begins at the first key, so one query sees key 0 alone."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from alibi_viz.pitfalls.base import Comparison, Damage, Pictures, floats, moved, visible

TOKENS, WIDTH = 48, 16


def wrong(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def right(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    queries, keys = q.shape[-2], k.shape[-2]
    allowed = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=allowed)


def check(version: Callable[[Tensor, Tensor, Tensor], Tensor]) -> None:
    """A token decoded with a cache has the output that a pass over the whole text gives it."""
    q, k = _tokens()
    v = torch.eye(TOKENS)[None, None]
    torch.testing.assert_close(_decoded(version), version(q, k, v)[0, 0])


def _tokens() -> Tensor:
    """Queries and keys: [2, 1, 1, T, d]."""
    return torch.randn(2, 1, 1, TOKENS, WIDTH, generator=torch.Generator().manual_seed(0))


def _decoded(version: Callable[[Tensor, Tensor, Tensor], Tensor]) -> Tensor:
    """The weights of every token as it is decoded, which are the output if the values are the identity: [T, T]."""
    q, k = _tokens()
    values = torch.eye(TOKENS)[None, None]
    rows = [version(q[..., t : t + 1, :], k[..., : t + 1, :], values[..., : t + 1, :]) for t in range(TOKENS)]
    return torch.cat(rows, dim=-2)[0, 0]


def measure() -> Comparison:
    weights = [_decoded(version) for version in (wrong, right)]
    share = moved(weights[0], weights[1])
    damage = Damage(float(share[-1]), 0.0, floats(range(TOKENS)), floats(share), floats([0.0] * TOKENS))
    return Comparison(Pictures(visible(weights[0]), visible(weights[1]), domain=(0.0, 0.25)), damage)
