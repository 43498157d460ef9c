"""The bias divided by sqrt(d) together with the scores: every slope is sqrt(d) times too gentle."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from alibi_viz.pitfalls.base import Comparison, Damage, Pictures, causal_weights, floats, visible

TOKENS, SLOPE, WIDTH = 48, 1 / 4, 64


def wrong(q: Tensor, k: Tensor, bias: Tensor) -> Tensor:
    return (q @ k.mT + bias) / math.sqrt(q.shape[-1])


def right(q: Tensor, k: Tensor, bias: Tensor) -> Tensor:
    return q @ k.mT / math.sqrt(q.shape[-1]) + bias


def check(version: Callable[[Tensor, Tensor, Tensor], Tensor]) -> None:
    """Where the content scores are zero, what is left is the bias itself."""
    nothing, bias = torch.zeros(TOKENS, WIDTH), _bias()
    torch.testing.assert_close(version(nothing, nothing, bias), bias)


def _bias() -> Tensor:
    place = torch.arange(TOKENS)
    return -SLOPE * (place[:, None] - place)


def measure() -> Comparison:
    generator = torch.Generator().manual_seed(0)
    q, k = torch.randn(2, TOKENS, WIDTH, generator=generator)
    nothing = torch.zeros(TOKENS, WIDTH)
    weights = [causal_weights(version(q, k, _bias())) for version in (wrong, right)]
    alone = [causal_weights(version(nothing, nothing, _bias()))[-1].flip(0) for version in (wrong, right)]
    # Equal content: the weight falls as e^(-m d), so the logarithm of two neighbours is the slope in effect.
    half = [math.log(2) / float((row[0] / row[1]).log()) for row in alone]
    damage = Damage(
        half[0], half[1], floats(range(TOKENS)), floats(alone[0] / alone[0][0]), floats(alone[1] / alone[1][0])
    )
    return Comparison(Pictures(visible(weights[0]), visible(weights[1]), domain=(0.0, 0.4)), damage)
