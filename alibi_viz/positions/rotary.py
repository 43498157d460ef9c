"""Rotary positions (RoPE): queries and keys are turned by an angle that grows with the position.

Source: Su et al. 2021 (arXiv 2104.09864), equation 34. After turning, q.k depends on the distance alone.

Notable choices:
- Two layouts. "half" turns the pairs (i, i + d/2), as Llama does ("rotate half"); "interleaved" turns (2i, 2i
  + 1), as GPT-J, x-transformers and rotary-embedding-torch do. A permutation of the projection's rows
  converts one to the other; mixing them without it gives wrong scores silently.
- Two forms of the same turn: "real" (sines and cosines) and "complex" (one complex product). Same numbers.
- Angles in float64 (see base.angles), the turn itself in float32, the result cast back to the dtype of q and
  k.
- `inv_freq` is the one place a scaled variant (position interpolation, NTK, YaRN) has to change.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from alibi_viz.positions.base import PositionMethod, angles, finite_number


def inv_freq(head_dim: int, base: float = 10000.0) -> Tensor:
    """Radians a token, one per pair: base^(-2i/d), i = 0 .. d/2 - 1, float64 [d/2]."""
    return base ** -(torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim)


def _split(x: Tensor, layout: str) -> tuple[Tensor, Tensor]:
    """The two members of every pair: x [..., d] -> [..., d/2], [..., d/2]."""
    if layout == "half":
        first, second = x.chunk(2, dim=-1)
        return first, second
    return x[..., 0::2], x[..., 1::2]


def _join(first: Tensor, second: Tensor, layout: str) -> Tensor:
    if layout == "half":
        return torch.cat((first, second), dim=-1)
    return torch.stack((first, second), dim=-1).flatten(-2)


def turn(x: Tensor, angle: Tensor, layout: str = "half", form: str = "real") -> Tensor:
    """Turn every pair of x [B, H, T, d] by its angle, [T, d/2] or [B, T, d/2] radians; same shape."""
    if angle.ndim == 3:
        angle = angle[:, None]  # one numbering a sequence, the same in every head
    first, second = _split(x.float(), layout)
    if form == "complex":
        unit = torch.polar(torch.ones_like(angle), angle).to(torch.complex64).to(x.device)
        turned = torch.complex(first.contiguous(), second.contiguous()) * unit
        return _join(turned.real, turned.imag, layout).to(x.dtype)
    cos, sin = angle.cos().float().to(x.device), angle.sin().float().to(x.device)
    return _join(first * cos - second * sin, second * cos + first * sin, layout).to(x.dtype)


class Rotary(PositionMethod):
    """Args beside the common ones:

        base: the slowest pair makes one turn in about 2 pi base tokens (10000 in Llama 2, 500000 in Llama 3).
        layout: "half" (Llama) or "interleaved" (GPT-J).
        form: "real" or "complex"; both give the same numbers.

    Raises:
        ValueError: if head_dim is odd (pairs need two numbers), or an option is unknown.
    """

    name = "rope"
    title = "RoPE"
    acts_on = "queries_and_keys"

    def __init__(
        self,
        heads: int,
        head_dim: int,
        width: int,
        max_length: int = 2048,
        *,
        base: float = 10000.0,
        layout: Literal["half", "interleaved"] = "half",
        form: Literal["real", "complex"] = "real",
    ) -> None:
        super().__init__(heads, head_dim, width, max_length)
        if self.head_dim % 2:
            raise ValueError(f"RoPE turns pairs of numbers, so head_dim must be even, not {head_dim}.")
        if layout not in ("half", "interleaved"):
            raise ValueError(f"layout must be 'half' or 'interleaved', not {layout!r}.")
        if form not in ("real", "complex"):
            raise ValueError(f"form must be 'real' or 'complex', not {form!r}.")
        self.base = finite_number(base, "base", positive=True)
        self.layout: str = layout
        self.form: str = form

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        frequencies = inv_freq(self.head_dim, self.base)
        q_angle = angles(q_positions, frequencies)
        k_angle = q_angle if k_positions is q_positions else angles(k_positions, frequencies)
        return turn(q, q_angle, self.layout, self.form), turn(k, k_angle, self.layout, self.form)
