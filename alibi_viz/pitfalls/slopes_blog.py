"""Slopes 2^-1, 2^-2, 2^-3 ... whatever the number of heads: right for 8 heads, and with 32 most heads have no position."""

from collections.abc import Callable

import torch

from alibi_viz.pitfalls.base import Comparison, Damage, Pictures, floats
from alibi_viz.pitfalls.decay import decay

HEADS, FAR, STEP = 32, 2048, 48
BLIND = 0.01  # a head that weighs a key FAR tokens back less than 1% lower than the nearest one


def wrong(heads: int) -> list[float]:
    return [2 ** -(h + 1) for h in range(heads)]


def right(heads: int) -> list[float]:
    return [2 ** (-8 * (h + 1) / heads) for h in range(heads)]


def check(version: Callable[[int], list[float]]) -> None:
    """However many heads, the gentlest slope is 2^-8: every head can tell near from far."""
    for heads in (1, 2, 4, 8, 16, 32, 64):
        assert min(version(heads)) >= 2**-8, f"{heads} heads: the gentlest slope is {min(version(heads))}"


def measure() -> Comparison:
    versions = wrong(HEADS), right(HEADS)
    far = [torch.exp(-FAR * torch.tensor(slopes, dtype=torch.float64)) for slopes in versions]
    blind = [float((weights > 1 - BLIND).sum()) for weights in far]
    damage = Damage(blind[0], blind[1], floats(range(1, HEADS + 1)), floats(far[0]), floats(far[1]))
    return Comparison(Pictures(decay(versions[0], STEP), decay(versions[1], STEP), row=1, step=STEP), damage)
