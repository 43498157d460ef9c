"""ALiBi with other shapes of its penalty. All but "none" and "window" start with the same slope m and grow differently.

With u = m |d|, the slope times the distance:

    none         0                   every distance is alike
    linear       -u                  ALiBi
    log          -ln(1 + u)          weights fall like 1 / (1 + u): there is no limit to the reach
    root         1 - sqrt(1 + 2u)    between the two
    exponential  1 - e^u             the paper found it worse than linear
    window       0 while u <= 1      -inf beyond: the nearest 1/m tokens and nothing else

Not in the registry: these are a lesson about ALiBi, not published methods. The log shape is KERPLE's with p = 1.
"""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from alibi_viz.checks import one_of
from alibi_viz.positions.alibi import Alibi

LARGEST = 1e30  # keeps the exponential finite, so that no row becomes NaN

SHAPES: dict[str, Callable[[Tensor], Tensor]] = {
    "none": torch.zeros_like,
    "linear": torch.neg,
    "log": lambda u: -torch.log1p(u),
    "root": lambda u: 1 - torch.sqrt(1 + 2 * u),
    "exponential": lambda u: -torch.expm1(u.clamp(max=math.log(LARGEST))),
    "window": lambda u: torch.where(u <= 1, 0.0, -math.inf),
}


class ShapedAlibi(Alibi):
    """ALiBi whose penalty is SHAPES[shape] of slope x distance. Raises ValueError for an unknown shape."""

    def __init__(
        self, heads: int, head_dim: int, width: int, max_length: int = 2048, *, shape: str, **options: Any
    ) -> None:
        super().__init__(heads, head_dim, width, max_length, form="symmetric", **options)
        self.shape = one_of(shape, "The shape", SHAPES)

    def bias_by_distance(self, distance: Tensor) -> Tensor:
        return SHAPES[self.shape](-super().bias_by_distance(distance))

    def linear_slopes(self) -> Tensor | None:
        return super().linear_slopes() if self.shape == "linear" else None

    def key_bias(self, k_positions: Tensor) -> Tensor | None:
        return super().key_bias(k_positions) if self.shape == "linear" else None  # no other has one row for all
