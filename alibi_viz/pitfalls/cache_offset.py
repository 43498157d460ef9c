"""The bias built over the queries alone: one query beside a cache has one number, and softmax cancels it."""

from collections.abc import Callable

import torch
from torch import Tensor

from alibi_viz.pitfalls.base import Comparison, Damage, Pictures, causal_weights, floats, moved, visible

TOKENS, SLOPE = 48, 1 / 8


def wrong(slope: float, queries: int, keys: int) -> Tensor:
    return slope * torch.arange(queries)


def right(slope: float, queries: int, keys: int) -> Tensor:
    return slope * torch.arange(keys)


def check(version: Callable[[float, int, int], Tensor]) -> None:
    """A token decoded with a cache has the weights that a pass over the whole text gives it."""
    full = causal_weights(version(SLOPE, TOKENS, TOKENS).expand(TOKENS, TOKENS))
    torch.testing.assert_close(_decoded(version), full)


def _decoded(version: Callable[[float, int, int], Tensor]) -> Tensor:
    """Weights of every token as it is decoded: one query, and the keys so far. Equal content: float32 [T, T]."""
    weights = torch.zeros(TOKENS, TOKENS)
    for row in range(TOKENS):
        weights[row, : row + 1] = (torch.zeros(row + 1) + version(SLOPE, 1, row + 1)).softmax(-1)
    return weights


def measure() -> Comparison:
    weights = [_decoded(version) for version in (wrong, right)]
    share = moved(weights[0], weights[1])
    damage = Damage(float(share[-1]), 0.0, floats(range(TOKENS)), floats(share), floats([0.0] * TOKENS))
    return Comparison(Pictures(visible(weights[0]), visible(weights[1]), domain=(0.0, 0.25)), damage)
