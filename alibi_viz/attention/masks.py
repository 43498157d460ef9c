"""What the traced and the fused path share: score scale, grouped key heads, and which keys a query may attend to.

Which keys a query may attend to follows from their positions, not from their indices in the tensors.
"""

import math
from functools import reduce
from operator import and_

from torch import Tensor

from alibi_viz.positions.base import PositionMethod


def allowed_keys(
    q_positions: Tensor,
    k_positions: Tensor,
    causal: bool,
    key_padding_mask: Tensor | None = None,  # bool [B, Tk], True = padding
    window: int | None = None,  # keys farther back are hidden, in tokens
) -> Tensor | None:
    """True where a query may attend, broadcastable to [B, H, Tq, Tk]; None if it may attend to every key."""
    # Compared, not subtracted: a matrix of distances would take eight times the memory of a mask.
    queries, keys = q_positions[..., :, None], k_positions[..., None, :]
    limits = []
    if causal:
        limits.append(queries >= keys)  # [Tq, Tk] or [B, Tq, Tk]
    if window is not None:
        limits.append(queries <= keys + window)
    limits = [limit[:, None] if limit.ndim == 3 else limit for limit in limits]
    if key_padding_mask is not None:
        limits.append(~key_padding_mask.bool()[:, None, None, :])
    return reduce(and_, limits) if limits else None


def score_scale(position: PositionMethod, head_dim: int) -> float:
    """What q.k is multiplied by."""
    return 1.0 / math.sqrt(head_dim) if position.scales_scores else 1.0


def expand_heads(x: Tensor, heads: int) -> Tensor:
    """[B, Hkv, T, d] -> [B, H, T, d]: each key head serves H / Hkv neighbouring query heads."""
    return x if x.shape[1] == heads else x.repeat_interleave(heads // x.shape[1], dim=1)


def check_heads(q: Tensor, k: Tensor) -> None:
    """Raises ValueError if the number of query heads is not divisible by the number of key heads."""
    if q.shape[1] % k.shape[1]:
        raise ValueError(f"The query heads must be a multiple of the key heads, not {q.shape[1]} and {k.shape[1]}.")
