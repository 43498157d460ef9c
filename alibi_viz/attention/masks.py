"""What both paths of attention share: the scale, the heads that a key serves, and who may look at whom.

Notable choices:
- Which key a query may see follows from their positions, not from their places in the tensor.
"""

from __future__ import annotations

import math

from torch import Tensor

from alibi_viz.positions.base import PositionMethod


def causal_mask(q_positions: Tensor, k_positions: Tensor) -> Tensor:
    """True where a query may attend: [T] or [B, T] each -> bool [Tq, Tk] or [B, Tq, Tk]."""
    return q_positions[..., :, None] >= k_positions[..., None, :]


def score_scale(position: PositionMethod, head_dim: int) -> float:
    """What q.k is multiplied by."""
    return 1.0 / math.sqrt(head_dim) if position.scales_scores else 1.0


def expand_heads(x: Tensor, heads: int) -> Tensor:
    """[B, Hkv, T, d] -> [B, H, T, d]: each key head serves H / Hkv neighbouring query heads."""
    return x if x.shape[1] == heads else x.repeat_interleave(heads // x.shape[1], dim=1)


def allowed_keys(q_positions: Tensor, k_positions: Tensor, causal: bool, key_is_real: Tensor | None) -> Tensor | None:
    """True where a query may attend, broadcastable to [B, H, Tq, Tk]; None if everything is allowed."""
    allowed = None
    if causal:
        mask = causal_mask(q_positions, k_positions)
        allowed = mask[:, None] if mask.ndim == 3 else mask
    if key_is_real is not None:
        real = key_is_real.bool()[:, None, None, :]
        allowed = real if allowed is None else allowed & real
    return allowed


def check_heads(q: Tensor, k: Tensor) -> None:
    """Raises ValueError if the query heads are no multiple of the key heads."""
    if q.shape[1] % k.shape[1]:
        raise ValueError(f"The query heads must be a multiple of the key heads, not {q.shape[1]} and {k.shape[1]}.")
