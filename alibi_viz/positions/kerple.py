"""KERPLE: a learned, kernel-shaped penalty on every score, one curve a head.

Source: Chi, Fan, Ramadge and Rudnicky 2022 (arXiv 2205.09921), equations 2 and 3, and the authors' code for the bounds
and the start.

    log     -p ln(1 + a d)      falls ever more slowly: far tokens stay visible
    power   -a d^p, p <= 2      p = 1 is ALiBi with a learned slope a

Notable choices:
- p and a are learned, two numbers a head, at least 0.01. The authors write the bound into the parameter; here the
  parameter stays as it is, the number in use is bounded, and its gradient passes, so that a head can come back.
- They start at random, as in the authors' code: log with p in 0..2 and a in 0..1; power with a and p in 0..1.
- d is the absolute distance: without a mask the future is punished as the past is.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from alibi_viz.positions.base import DistanceBias

LEAST, LARGEST_POWER = 0.01, 2.0


class Kerple(DistanceBias):
    """The log form: -p ln(1 + a d)."""

    name = "kerple"
    title = "KERPLE log"
    largest_start = 2.0  # p starts between 0 and this
    largest_p = math.inf

    def __init__(self, heads: int, head_dim: int, width: int, max_length: int = 2048) -> None:
        super().__init__(heads, head_dim, width, max_length)
        self.p = nn.Parameter(torch.rand(self.heads) * self.largest_start)
        self.a = nn.Parameter(torch.rand(self.heads))

    def numbers(self) -> tuple[Tensor, Tensor]:
        """p and a as they are used, within their bounds: float32 [H] each."""
        return _within(self.p, self.largest_p), _within(self.a, math.inf)

    def bias_by_distance(self, distance: Tensor) -> Tensor:
        p, a = (number.view(-1, *[1] * distance.ndim) for number in self.numbers())
        return -p * torch.log1p(a * distance.abs())


class KerplePower(Kerple):
    """The power form: -a d^p, p at most 2."""

    name = "kerple_power"
    title = "KERPLE power"
    largest_start = 1.0
    largest_p = LARGEST_POWER

    def bias_by_distance(self, distance: Tensor) -> Tensor:
        p, a = (number.view(-1, *[1] * distance.ndim) for number in self.numbers())
        return -a * distance.abs().float() ** p


def _within(parameter: Tensor, highest: float) -> Tensor:
    """The parameter between its bounds, with a gradient that passes through the bounds: float32."""
    value = parameter.float()
    return value + (value.clamp(LEAST, highest) - value).detach()
