"""One formula of slopes for every number of heads. The authors' code has two families if it is no power of two."""

import math
from collections.abc import Callable

import torch

from alibi_viz.pitfalls.base import Comparison, Damage, Pictures, causal_weights, floats, moved
from alibi_viz.pitfalls.decay import bias_of_last_query, decay
from alibi_viz.positions.alibi import slopes

HEADS = 12


def wrong(heads: int) -> list[float]:
    return [2 ** (-8 * h / heads) for h in range(1, heads + 1)]


def right(heads: int) -> list[float]:
    power = 2 ** math.floor(math.log2(heads))
    extra = [2 ** (-8 * h / (2 * power)) for h in range(1, 2 * (heads - power), 2)]
    return [2 ** (-8 * h / power) for h in range(1, power + 1)] + extra


def check(version: Callable[[int], list[float]]) -> None:
    """The slopes are those of the authors' code, for powers of two and for all other numbers of heads."""
    for heads in range(1, 129):
        torch.testing.assert_close(torch.tensor(version(heads)), torch.tensor(slopes(heads)))


def measure() -> Comparison:
    versions = wrong(HEADS), right(HEADS)
    weights = [causal_weights(bias_of_last_query(slopes)) for slopes in versions]
    share = moved(weights[0], weights[1]).flatten()
    damage = Damage(float(share.max()), 0.0, floats(range(1, HEADS + 1)), floats(share), floats([0.0] * HEADS))
    return Comparison(Pictures(decay(versions[0]), decay(versions[1]), row=1), damage)
