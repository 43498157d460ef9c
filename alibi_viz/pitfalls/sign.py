"""The distance with the other sign: far keys are rewarded."""

from collections.abc import Callable

import torch
from torch import Tensor

from alibi_viz.pitfalls.base import Comparison, Damage, Pictures, causal, causal_weights, floats, visible

TOKENS, SLOPE = 48, 1 / 8


def wrong(slope: float, queries: Tensor, keys: Tensor) -> Tensor:
    return slope * (queries[:, None] - keys)


def right(slope: float, queries: Tensor, keys: Tensor) -> Tensor:
    return slope * (keys - queries[:, None])


def check(version: Callable[[float, Tensor, Tensor], Tensor]) -> None:
    """For equal content the nearest key, the token itself, has the largest weight."""
    place = torch.arange(TOKENS)
    bias = version(SLOPE, place, place)
    nearest = bias.masked_fill(~causal(TOKENS, TOKENS), -torch.inf).argmax(-1)
    torch.testing.assert_close(nearest, place)


def measure() -> Comparison:
    place = torch.arange(TOKENS)
    weights = [causal_weights(version(SLOPE, place, place)) for version in (wrong, right)]
    far = [(matrix * (place[:, None] - place)).sum(-1) for matrix in weights]  # mean distance, in tokens
    ends = [float(distance[-1]) for distance in far]
    damage = Damage(ends[0], ends[1], floats(place), floats(far[0]), floats(far[1]))
    return Comparison(Pictures(visible(weights[0]), visible(weights[1]), domain=(0.0, 0.25)), damage)
