"""Sinusoidal absolute positions, added to the embeddings.

Source: Vaswani et al. 2017, section 3.5: PE(p, 2i) = sin(p / 10000^(2i/D)), PE(p, 2i+1) = cos(p / 10000^(2i/D)).

Notable choices:
- Sine and cosine alternate, as in the paper; several libraries put all sines first, which is the same up to a permutation
  of the width. An odd width ends with a sine.
- There is no table: every position has its vector, however large, and none is ever trained.
- The paper multiplies the embeddings by sqrt(D) before adding; that is the model's decision, not made here.
"""

import torch
from torch import Tensor

from alibi_viz.checks import finite_number
from alibi_viz.positions.base import PositionMethod, angles
from alibi_viz.rules import TITLES


def sinusoidal_vectors(positions: Tensor, width: int, base: float = 10000.0) -> Tensor:
    """The vector of every position: [T] or [B, T] -> float32 [T, D] or [B, T, D]."""
    exponents = torch.arange(0, width, 2, dtype=torch.float64) / width
    angle = angles(positions, base**-exponents)
    pairs = torch.stack((angle.sin(), angle.cos()), dim=-1)  # [..., ceil(D/2), 2]
    return pairs.flatten(-2)[..., :width].float().to(positions.device)


class Sinusoidal(PositionMethod):
    """Fixed sines and cosines; `base` sets the longest wavelength, about 2 pi base tokens."""

    name = "sinusoidal"
    title = TITLES["sinusoidal"]
    order = 20
    formula = r"x_p + PE_p, \quad PE_{p, 2i} = \sin(p / 10000^{2i/D}), \; PE_{p, 2i+1} = \cos(p / 10000^{2i/D})"
    acts_on = "embeddings"

    def __init__(self, heads: int, head_dim: int, width: int, max_length: int = 2048, *, base: float = 10000.0) -> None:
        super().__init__(heads, head_dim, width, max_length)
        self.base = finite_number(base, "base", positive=True)

    def add_to_embeddings(self, x: Tensor, positions: Tensor) -> Tensor:
        return x + sinusoidal_vectors(positions, self.width, self.base).to(x.device, x.dtype)
