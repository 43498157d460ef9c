"""Rotary positions (RoPE): queries and keys are turned by an angle that grows with the position.

Source: Su et al. 2021 (arXiv 2104.09864), equation 34. After turning, q.k depends on the distance alone.

Notable choices:
- Two layouts. "half" turns the pairs (i, i + d/2), as Llama does ("rotate half"); "interleaved" turns (2i, 2i
  + 1), as GPT-J, x-transformers and rotary-embedding-torch do. A permutation of the projection's rows
  converts one to the other; mixing them without it gives wrong scores silently.
- Two forms of the same turn: "real" (sines and cosines) and "complex" (one complex product). Same numbers.
- Angles in float64 (see base.angles), the turn itself in float32, the result cast back to the dtype of q and
  k.
- Scaling stretches the positions so that a model reads longer texts than it was trained on (`original_length`). It
  changes the frequencies and nothing else, in `scaled_inv_freq`; YaRN also makes queries and keys a little longer.
- Dynamic scaling depends on the length of the text so far: a key that was rotated and cached when the text was short is
  turned by the wrong angle later. Under it, cache keys before rotation.
"""

from __future__ import annotations

import math
from typing import Literal

import torch
from torch import Tensor

from alibi_viz.positions.base import PositionMethod, angles, finite_number, whole_number

SCALINGS = ("none", "linear", "dynamic", "yarn", "llama3")
YARN_FAST, YARN_SLOW = 32.0, 1.0  # turns within the original length: above, a pair is kept; below, it is stretched
LLAMA3_LOW, LLAMA3_HIGH = 1.0, 4.0  # the same for llama3


def inv_freq(head_dim: int, base: float = 10000.0) -> Tensor:
    """Radians a token, one per pair: base^(-2i/d), i = 0 .. d/2 - 1, float64 [d/2]."""
    return base ** -(torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim)


def scaled_inv_freq(
    head_dim: int, base: float, scaling: str, factor: float, original_length: int, tokens: int
) -> tuple[Tensor, float]:
    """Frequencies of a scaled variant, as in transformers' ROPE_INIT_FUNCTIONS.

        none     nothing changes
        linear   position interpolation (Chen and others 2023, arXiv 2306.15595): every frequency / factor
        dynamic  NTK-aware: a larger base, as soon as the text is longer than the original length
        yarn     Peng and others 2023 (arXiv 2309.00071): fast pairs stay, slow ones are divided, a ramp between
        llama3   Llama 3.1: the same idea with bounds on the wavelength

    Args:
        head_dim, base: see `inv_freq`.
        scaling: one of SCALINGS.
        factor: how much longer the text may become, above 1 (1 changes nothing).
        original_length: training length in tokens.
        tokens: length of the text now; only "dynamic" asks.

    Returns:
        Radians a token, float64 [d/2], and the number that multiplies queries and keys (1 but for yarn).
    """
    plain = inv_freq(head_dim, base)
    if scaling == "none":
        return plain, 1.0
    if scaling == "linear":
        return plain / factor, 1.0
    if scaling == "dynamic":
        stretch = factor * max(tokens, original_length) / original_length - (factor - 1)
        return inv_freq(head_dim, base * stretch ** (head_dim / (head_dim - 2))), 1.0
    if scaling == "yarn":
        kept = 1 - _yarn_ramp(head_dim, base, original_length)
        return plain * kept + plain / factor * (1 - kept), 0.1 * math.log(factor) + 1
    turns = original_length * plain / (2 * math.pi)  # within the original length
    kept = ((turns - LLAMA3_LOW) / (LLAMA3_HIGH - LLAMA3_LOW)).clamp(0, 1)
    return plain * kept + plain / factor * (1 - kept), 1.0


def _yarn_ramp(head_dim: int, base: float, original_length: int) -> Tensor:
    """0 for pairs that YaRN keeps, 1 for pairs that it stretches, linear between: float64 [d/2]."""

    def pair_with(turns: float) -> float:
        """Index (not whole) of the pair that makes so many turns within the original length."""
        return head_dim * math.log(original_length / (turns * 2 * math.pi)) / (2 * math.log(base))

    low = max(math.floor(pair_with(YARN_FAST)), 0)
    high = min(math.ceil(pair_with(YARN_SLOW)), head_dim - 1)
    width = high - low if high != low else 0.001
    return ((torch.arange(head_dim // 2, dtype=torch.float64) - low) / width).clamp(0, 1)


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
        scaling: one of SCALINGS; see `scaled_inv_freq`, and the warning about caches at the top of this file.
        factor: how much longer than `original_length` the text may become; at least 1.
        original_length: the training length in tokens; None: max_length.

    Raises:
        ValueError: if head_dim is odd (pairs need two numbers), or an option is unknown or out of range.
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
        scaling: Literal["none", "linear", "dynamic", "yarn", "llama3"] = "none",
        factor: float = 8.0,
        original_length: int | None = None,
    ) -> None:
        super().__init__(heads, head_dim, width, max_length)
        if self.head_dim % 2:
            raise ValueError(f"RoPE turns pairs of numbers, so head_dim must be even, not {head_dim}.")
        if layout not in ("half", "interleaved"):
            raise ValueError(f"layout must be 'half' or 'interleaved', not {layout!r}.")
        if form not in ("real", "complex"):
            raise ValueError(f"form must be 'real' or 'complex', not {form!r}.")
        if scaling not in SCALINGS:
            raise ValueError(f"scaling must be one of {', '.join(SCALINGS)}, not {scaling!r}.")
        if scaling == "dynamic" and self.head_dim == 2:
            raise ValueError("Dynamic scaling leaves the first pair as it is, so head_dim must be above 2.")
        self.base = finite_number(base, "base", positive=True)
        if scaling == "yarn" and self.base <= 1:
            raise ValueError(f"YaRN needs a base above 1, not {base!r}.")
        self.scaling: str = scaling
        self.factor = finite_number(factor, "factor", positive=True)
        if self.factor < 1:
            raise ValueError(f"factor must be at least 1, not {factor!r}.")
        self.original_length = whole_number(
            max_length if original_length is None else original_length, "original_length"
        )
        self.layout: str = layout
        self.form: str = form

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        frequencies, stretch = self.frequencies(_length(q_positions, k_positions) if self.scaling == "dynamic" else 1)
        if stretch != 1:  # scores grow by its square
            q, k = q * stretch, k * stretch
        q_angle = angles(q_positions, frequencies)
        k_angle = q_angle if k_positions is q_positions else angles(k_positions, frequencies)
        return turn(q, q_angle, self.layout, self.form), turn(k, k_angle, self.layout, self.form)

    def frequencies(self, tokens: int = 1) -> tuple[Tensor, float]:
        """`scaled_inv_freq` of this method for a text of so many tokens."""
        return scaled_inv_freq(self.head_dim, self.base, self.scaling, self.factor, self.original_length, tokens)


def _length(q_positions: Tensor, k_positions: Tensor) -> int:
    """The length of the text so far: the largest position and one."""
    largest = [int(positions.max()) for positions in (q_positions, k_positions) if positions.numel()]
    return max(largest, default=0) + 1
