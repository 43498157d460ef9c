"""FIRE: a small learned function of the distance, measured as a share of the query's position.

Source: Li et al. 2023 (arXiv 2310.04418), equation 5 and the listing in its appendix. For query i and key j:

    f( psi(i - j) / (psi(max(T, i)) + 1e-6) ),   psi(x) = ln(|c| x + 1)

f is an MLP 1 -> 32 -> H with ReLU. c starts at 0.1. The threshold T is |r x 512| with a learned r that starts at 1; the
paper trains at 2,048 tokens.

Notable choices:
- It depends on i, not on the distance alone: beyond T a longer text squeezes its distances into the same shares 0..1. So
  it implements `score_bias` itself. Training sees that only if T is below its length, so T must start there: with
  512, a model trained at 128 never normalizes a query.
- max(T, i): one public version takes the smaller of the two by mistake.
- The MLP runs in float32 whatever the dtype of the model, as every bias here.
"""

from collections.abc import Mapping
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from alibi_viz.checks import finite_number
from alibi_viz.positions.base import PositionMethod, distance

HIDDEN, START_C, EPSILON = 32, 0.1, 1e-6


class Fire(PositionMethod):
    """FIRE; 2 + 32 x 2 + 33 x H parameters. Raises ValueError for a threshold that is not positive."""

    name = "fire"
    title = "FIRE"
    order = 90
    formula = r"+ \, f\left(\frac{\psi(i - j)}{\psi(\max(T, i))}\right), \quad \psi(x) = \ln(|c| \, x + 1)"
    acts_on = "scores"
    revision = 1  # until then the threshold of a run started at 512 for every training length

    def __init__(
        self,
        heads: int,
        head_dim: int,
        width: int,
        max_length: int = 2048,
        *,
        threshold: float = 512.0,  # T at the start, in tokens
    ) -> None:
        super().__init__(heads, head_dim, width, max_length)
        self.start = finite_number(threshold, "threshold", positive=True)
        self.c = nn.Parameter(torch.tensor(START_C))
        self.multiplier = nn.Parameter(torch.tensor(1.0))
        self.first = nn.Linear(1, HIDDEN)
        self.second = nn.Linear(HIDDEN, self.heads)

    @classmethod
    def training_options(cls, train_length: int, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """`threshold` is L/4 if not given, as 512 is to the paper's 2,048."""
        return {"threshold": train_length / 4} | dict(options or {})

    def psi(self, x: Tensor) -> Tensor:
        """ln(|c| x + 1) for x >= 0: float32, same shape."""
        return torch.log1p(self.c.float().abs() * x)

    @property
    def threshold(self) -> Tensor:
        """T: float32 []."""
        return (self.multiplier.float() * self.start).abs()

    def share(self, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        """The distance as a share of the query's position, 0..1 for the past: float32 [..., Tq, Tk]."""
        longest = torch.maximum(q_positions.float(), self.threshold)[..., :, None]
        return self.psi(distance(q_positions, k_positions).abs().float()) / (self.psi(longest) + EPSILON)

    def score_bias(self, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        x = self.share(q_positions, k_positions)[..., None]
        hidden = F.linear(x, self.first.weight.float(), self.first.bias.float()).relu()
        return F.linear(hidden, self.second.weight.float(), self.second.bias.float()).movedim(-1, -3)
