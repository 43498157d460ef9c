"""T5's scores divided by sqrt(d): T5 has the division in its initial weights, so this divides twice."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from alibi_viz.pitfalls.base import Comparison, Damage, Pictures, causal_weights, floats, visible

TOKENS, WIDTH, HEAD_DIM = 48, 512, 64  # of T5-small


def wrong(q: Tensor, k: Tensor, bias: Tensor) -> Tensor:
    return q @ k.mT / math.sqrt(q.shape[-1]) + bias


def right(q: Tensor, k: Tensor, bias: Tensor) -> Tensor:
    return q @ k.mT + bias


def check(version: Callable[[Tensor, Tensor, Tensor], Tensor]) -> None:
    """With T5's own initial weights the scores of unit inputs have a standard deviation of 1."""
    deviation = float(version(*_inputs()).std())
    assert 0.8 < deviation < 1.25, f"the scores have a standard deviation of {deviation:.2f}"


def _inputs() -> tuple[Tensor, Tensor, Tensor]:
    """q and k [T, d] of a layer of T5 at initialization, and no bias: its table is learned."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(TOKENS, WIDTH, generator=generator)
    to_q = torch.randn(WIDTH, HEAD_DIM, generator=generator) * (WIDTH * HEAD_DIM) ** -0.5
    to_k = torch.randn(WIDTH, HEAD_DIM, generator=generator) * WIDTH**-0.5
    return x @ to_q, x @ to_k, torch.zeros(TOKENS, TOKENS)


def measure() -> Comparison:
    weights = [causal_weights(version(*_inputs())) for version in (wrong, right)]
    largest = [matrix.amax(-1) * torch.arange(1, TOKENS + 1) for matrix in weights]  # against equal weights
    ends = [float(row.mean()) for row in largest]
    damage = Damage(ends[0], ends[1], floats(range(TOKENS)), floats(largest[0]), floats(largest[1]))
    return Comparison(Pictures(visible(weights[0]), visible(weights[1]), domain=(0.0, 0.25)), damage)
