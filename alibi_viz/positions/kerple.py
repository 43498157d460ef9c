"""KERPLE: a learned, kernel-shaped penalty on every score, one curve per head.

Source: Chi, Fan, Ramadge and Rudnicky 2022 (arXiv 2205.09921), equations 2 and 3; bounds and initialization from the
authors' code, github.com/chijames/KERPLE, ParallelKerpleLog and ParallelKerplePower.

    log     -p ln(1 + a d)      falls ever more slowly: far tokens stay visible
    power   -a d^p, p <= 2      p = 1 is ALiBi with a learned slope a

Notable choices:
- p and a are learned, two parameters per head, at least 0.01. The authors write the bound into the parameter; here the
  parameter stays as it is and the value in use is bounded, with a gradient that passes, so that a head can come back.
- They start at random, as in the authors' code, and in both forms alike: p uniform in 0..2, a uniform in 0..1.
- d is the absolute distance: without a mask the future is penalized as the past is.
"""

import math
from typing import ClassVar

import torch
from torch import Tensor, nn

from alibi_viz.positions.base import DistanceBias

LEAST = 0.01


class Kerple(DistanceBias):
    """The log form: -p ln(1 + a d)."""

    name = "kerple"
    title = "KERPLE log"
    order = 60
    formula = r"- p_h \ln(1 + a_h \, (i - j))"
    largest_p: ClassVar[float] = math.inf

    def __init__(self, heads: int, head_dim: int, width: int, max_length: int = 2048) -> None:
        super().__init__(heads, head_dim, width, max_length)
        self.p = nn.Parameter(2 * torch.rand(self.heads))
        self.a = nn.Parameter(torch.rand(self.heads))

    def bounded(self, ndim: int) -> tuple[Tensor, Tensor]:
        """p and a within their bounds, to broadcast over `ndim` more dimensions: float32 [H, 1, ...] each."""
        shape = (-1,) + (1,) * ndim
        return _within(self.p, self.largest_p).view(shape), _within(self.a, math.inf).view(shape)

    def bias_by_distance(self, distance: Tensor) -> Tensor:
        p, a = self.bounded(distance.ndim)
        return -p * torch.log1p(a * distance.abs())


class KerplePower(Kerple):
    """The power form: -a d^p, p at most 2."""

    name = "kerple_power"
    title = "KERPLE power"
    order = 70
    formula = r"- a_h \, (i - j)^{p_h}"
    largest_p = 2.0

    def bias_by_distance(self, distance: Tensor) -> Tensor:
        p, a = self.bounded(distance.ndim)
        return -a * distance.abs().float() ** p


def _within(parameter: Tensor, highest: float) -> Tensor:
    value = parameter.float()
    return value + (value.clamp(LEAST, highest) - value).detach()  # the gradient passes through the bounds
