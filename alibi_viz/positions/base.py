"""The one interface of every position method.

Notable choices:
- A method acts in at most one of three places (embeddings, queries and keys, scores) and says which in
  `acts_on`.
- Positions are always passed in, never counted inside: KV cache, left padding, offsets and length
  extrapolation then need no special case. They are int64 tensors, [T] (one numbering for the whole batch) or
  [B, T].
- Biases are built in float32 (from distances relative to the query, which stay small) and cast last, by
  attention.
- Angles of sines and cosines are computed in float64, then cast: see `angles`.
"""

from __future__ import annotations

import math
from typing import ClassVar, Literal

import torch
from torch import Tensor, nn

ActsOn = Literal["nothing", "embeddings", "queries_and_keys", "scores"]


def whole_number(value: object, name: str, least: int = 1) -> int:
    """Return `value` if it is an int (not a bool) of at least `least`; raise ValueError if not."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, not {value!r}.")
    return value


def finite_number(value: object, name: str, *, positive: bool = False) -> float:
    """Return `value` as float if it is a finite number (above 0 if `positive`); raise ValueError if not."""
    try:
        number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    except OverflowError:  # an int beyond the largest float
        number = math.inf
    if not math.isfinite(number) or (positive and number <= 0):
        raise ValueError(f"{name} must be a finite number{' above 0' if positive else ''}, not {value!r}.")
    return number


def angles(positions: Tensor, frequencies: Tensor) -> Tensor:
    """Angle of every position at every frequency, in radians: [T] or [B, T] -> [T, F] or [B, T, F], float64.

    Why float64: the angle of the fastest frequency is the position itself, and float32 rounds it by position
    * 6e-8. Measured with base 10000, d = 64 (largest error of cos against float64): 7e-5 at position 2 048,
    0.005 at 131 072, 0.04 at 1 048 576. Float64 costs about twice the time: 0.8 against 0.3 ms for the sines
    and cosines of 4 096 positions, one thread. Devices without float64 (Apple's mps) use the CPU.
    """
    device = torch.device("cpu") if positions.device.type == "mps" else positions.device
    return positions.to(device, torch.float64)[..., None] * frequencies.to(device, torch.float64)


def distance(q_positions: Tensor, k_positions: Tensor) -> Tensor:
    """Query position minus key position, int64: [Tq, Tk], or [B, Tq, Tk] if either argument is [B, T]."""
    return q_positions[..., :, None] - k_positions[..., None, :]


class PositionMethod(nn.Module):
    """How tokens learn where they stand. The base class does nothing; each method overrides what it needs.

    Args:
        heads: number of query heads H (slopes and biases follow query heads, also with grouped queries).
        head_dim: width d of one head.
        width: width D of the embeddings.
        max_length: longest sequence in tokens, for methods that hold a table; the others ignore it.

    Raises:
        ValueError: if a number is not a whole number of at least 1.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    acts_on: ClassVar[ActsOn] = "nothing"
    scales_scores: bool = True  # False: the scores are q.k itself, not q.k/sqrt(d) (T5)

    def __init__(self, heads: int, head_dim: int, width: int, max_length: int = 2048) -> None:
        super().__init__()
        self.heads = whole_number(heads, "heads")
        self.head_dim = whole_number(head_dim, "head_dim")
        self.width = whole_number(width, "width")
        self.max_length = whole_number(max_length, "max_length")

    def add_to_embeddings(self, x: Tensor, positions: Tensor) -> Tensor:
        """x [B, T, D], positions [T] or [B, T] -> [B, T, D]. Called once, by the model."""
        return x

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        """q [B, H, Tq, d], k [B, Hkv, Tk, d] -> the same shapes and dtypes."""
        return q, k

    def score_bias(self, q_positions: Tensor, k_positions: Tensor) -> Tensor | None:
        """Number added to every score: float32 [H, Tq, Tk] ([B, H, Tq, Tk] if positions are [B, T]), or None.

        It does not hide the future: masking is attention's work.
        """
        return None

    def key_bias(self, k_positions: Tensor) -> Tensor | None:
        """A row that stands for the whole matrix: float32 [H, Tk] ([B, H, Tk]), or None where there is none.

        Under a causal mask, `score_bias` equals this row of numbers per key up to a constant per query row,
        and softmax forgets such constants. The fused path then needs no matrix of T x T.
        """
        return None


class DistanceBias(PositionMethod):
    """A bias that depends on the distance alone: write `bias_by_distance`, inherit `score_bias`."""

    acts_on = "scores"

    def bias_by_distance(self, distance: Tensor) -> Tensor:
        """int64 [...], query position minus key position (above 0: the past) -> float32 [H, ...]."""
        raise NotImplementedError

    def score_bias(self, q_positions: Tensor, k_positions: Tensor) -> Tensor | None:
        bias = self.bias_by_distance(distance(q_positions, k_positions))
        return bias.movedim(0, -3)  # [H, B, Tq, Tk] -> [B, H, Tq, Tk]; [H, Tq, Tk] stays
