"""The key-only row m j in bfloat16: far from the start of the text its numbers are large, and so is their rounding."""

from collections.abc import Callable

import torch
from torch import Tensor

from alibi_viz.pitfalls.base import Comparison, Damage, Pictures, causal_weights, floats, visible

TOKENS, SLOPE = 2048, 2**-0.5  # the steepest extra head of 12
WINDOW = 32  # tokens at the end of the text, which are drawn


def wrong(slope: float, query: int, keys: Tensor) -> Tensor:
    return (slope * keys).bfloat16()


def right(slope: float, query: int, keys: Tensor) -> Tensor:
    return (-slope * (query - keys)).bfloat16()


def check(version: Callable[[float, int, Tensor], Tensor]) -> None:
    """At the end of a long text the weights are those of the exact bias, within 0.01."""
    keys, last = torch.arange(TOKENS), TOKENS - 1
    exact = (-SLOPE * (last - keys).double()).softmax(-1)
    torch.testing.assert_close(version(SLOPE, last, keys).double().softmax(-1), exact, atol=0.01, rtol=0)


def _weights(version: Callable[[float, int, Tensor], Tensor]) -> Tensor:
    """The last queries of the text and their nearest keys, float32 [WINDOW, WINDOW]; farther keys have no weight."""
    keys = torch.arange(TOKENS)[-WINDOW:]
    return causal_weights(torch.stack([version(SLOPE, query, keys).float() for query in keys.tolist()]))


def measure() -> Comparison:
    weights = [_weights(version) for version in (wrong, right)]
    error = float((weights[0] - weights[1]).abs().max())
    by_distance = [floats(matrix[-1].flip(0)) for matrix in weights]
    damage = Damage(error, 0.0, floats(range(WINDOW)), by_distance[0], by_distance[1])
    first = TOKENS - WINDOW
    return Comparison(
        Pictures(visible(weights[0]), visible(weights[1]), domain=(0.0, 0.6), row=first, col=first), damage
    )
