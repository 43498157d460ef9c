"""Sandwich: the inner products of sinusoidal vectors as a fixed bias, steeper or gentler by head.

Source: Chi, Fan, Rudnicky and Ramadge 2023 (arXiv 2212.10356), section 4. For head h = 1..H and width D:

    (sum over i = 1..D/2 of cos(d / 10000^(2i/D))  -  D/2) / (8 h / H)

It is 0 at distance 0 and falls with the distance, in small waves, faster for small h. It has no parameters.

Notable choices:
- In the paper D is a number to be chosen by itself. Here it is the width of the model: no option to tune.
- Written from the formula: a widely copied version forgets the cosine and stops one frequency early.
"""

import torch
from torch import Tensor

from alibi_viz.positions.base import DistanceBias, angles

BASE = 10000.0
COMPRESSION = 8.0


class Sandwich(DistanceBias):
    """No options. An odd width D counts as D - 1."""

    name = "sandwich"
    title = "Sandwich"
    order = 80
    formula = r"+ \, \frac{\sum_{n=1}^{D/2} \cos((i - j) / 10000^{2n/D}) - D/2}{8 h / H}"

    def bias_by_distance(self, distance: Tensor) -> Tensor:
        distinct, place = distance.unique(return_inverse=True)  # a matrix has few
        head = torch.arange(1, self.heads + 1, device=distance.device)
        return self._numerator(distinct)[place] / (COMPRESSION * head / self.heads).view(-1, *[1] * distance.ndim)

    def _numerator(self, distance: Tensor) -> Tensor:
        """The sum of cosines minus D/2: int64 [...] -> float32 [...]."""
        exponents = torch.arange(1, self.width // 2 + 1, dtype=torch.float64) * 2 / self.width
        # cos x - 1 = -2 sin^2(x/2) before the sum: the difference of two large sums would lose digits near 0.
        cosines = -2 * (angles(distance, BASE**-exponents) / 2).sin().square()
        return cosines.sum(-1).float().to(distance.device)
