"""-1e9 is beyond float16, so it becomes -inf; the softmax of a row without any key is then NaN, and NaN spreads."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from alibi_viz.pitfalls.base import Comparison, Damage, Pictures, causal, floats, picture

TOKENS, PADDING, LAYERS, WIDTH = 24, 5, 3, 16


def wrong(scores: Tensor, allowed: Tensor) -> Tensor:
    scores = scores + ~allowed * -1e9
    return scores.half().softmax(-1)


def right(scores: Tensor, allowed: Tensor) -> Tensor:
    some = allowed.any(-1, keepdim=True)
    scores = scores.masked_fill(~allowed, -math.inf).masked_fill(~some, 0)
    return (scores.softmax(-1) * some).half()


def check(version: Callable[[Tensor, Tensor], Tensor]) -> None:
    """A padded batch gives finite numbers in float16, and a query without any key gives zeros."""
    weights = version(torch.zeros(TOKENS, TOKENS), _allowed())
    assert weights.isfinite().all(), "there are NaN"
    assert not weights[:PADDING].any(), "padding attends to something"


def _allowed() -> Tensor:
    """A text that is padded on the left, under a causal mask: bool [T, T]."""
    return causal(TOKENS, TOKENS) & (torch.arange(TOKENS) >= PADDING)


def measure() -> Comparison:
    scores = torch.randn(TOKENS, TOKENS, generator=torch.Generator().manual_seed(0))
    weights = [version(scores, _allowed()) for version in (wrong, right)]
    broken = []
    for matrix in weights:
        x, shares = torch.ones(TOKENS, WIDTH), [0.0]
        for _ in range(LAYERS):
            x = matrix.float() @ x  # 0 times NaN is NaN: one padded key reaches every query
            shares.append(float(x.isnan().float().mean()))
        broken.append(floats(shares))
    damage = Damage(float(broken[0][-1]), float(broken[1][-1]), floats(range(LAYERS + 1)), broken[0], broken[1])
    return Comparison(Pictures(picture(weights[0]), picture(weights[1]), domain=(0.0, 0.5)), damage)
