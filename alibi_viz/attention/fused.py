"""Attention through scaled_dot_product_attention, for training and long sequences: the output of `trace_attention`.

Notable choices:
- Causal ALiBi needs no T x T bias here. Its bias equals m_h (j - c) up to a constant per row, which softmax cancels: one
  row of keys says it all. The CPU kernel takes this row as a mask [1, H, 1, T] beside `is_causal=True`, which torch does
  not document; tests compare the two. From some hundred tokens on, steep heads skip far keys (`near`).
- GPU kernels refuse a mask beside `is_causal`. There the row becomes features of queries and keys, as in `drop_in`.
- Slopes that are trained take the explicit mask: rounded to 16 bits, the row would lose most of their gradient.
- In float32 the row's rounding grows with slope times length. Steep heads are the worst, and mostly do without it. Measured
  against the traced path, 8 heads of 64, with the row in every head: 2e-5 at 2 048 tokens, 5e-5 at 4 096, 1e-4 at 8 192.
- `is_causal=True` goes to the kernel only for a full square: queries and keys are the same tokens in increasing
  positions, nothing padded, nothing cached. Elsewhere the kernel would align it wrongly (one query and a cache: it would
  attend to key 0 alone), so there the mask and the bias travel together in ONE explicit mask.
"""

import math

import torch
from torch import Tensor

from alibi_viz.attention.kernel import kernel
from alibi_viz.attention.masks import allowed_keys, check_heads, expand_heads, score_scale
from alibi_viz.attention.near import SHARE, SHORTEST, near_attention, near_keys
from alibi_viz.drop_in.drop_in import with_key_features
from alibi_viz.positions.base import PositionMethod


def fused_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    position: PositionMethod,
    q_positions: Tensor,
    k_positions: Tensor,
    *,
    causal: bool = True,
    key_padding_mask: Tensor | None = None,
    rotated: bool = False,
    square: bool | None = None,
) -> Tensor:
    """The output of `trace_attention`, [B, H, Tq, d], through scaled_dot_product_attention.

    Arguments and errors are those of `trace_attention`, plus `square`: the caller knows that `is_square` holds (True) or
    that the kernel's own causal mask would be wrong (False). None looks at the positions, which on a GPU waits for it.
    """
    check_heads(q, k)
    if not rotated:
        q, k = position.rotate(q, k, q_positions, k_positions)
    if square is None:
        square = causal and key_padding_mask is None and is_square(q_positions, k_positions)
    heads, scale = q.shape[1], score_scale(position, q.shape[-1])
    k, v = expand_heads(k, heads), expand_heads(v, heads)
    if square:
        row = position.key_bias(k_positions)
        if row is not None and not row.requires_grad:
            slopes = position.linear_slopes() if _is_consecutive(k_positions) else None
            if q.device.type == "cpu":
                if slopes is None or k.shape[2] < SHORTEST:
                    return _with_key_row(q, k, v, row, scale)
                return _with_near_keys(q, k, v, row, slopes, scale)
            if slopes is not None:
                return kernel(*with_key_features(q, k, v, slopes), scale, is_causal=True)[..., : v.shape[-1]]
        if position.acts_on != "scores":
            return kernel(q, k, v, scale, is_causal=True)
    mask = allowed_keys(q_positions, k_positions, causal, key_padding_mask)
    if (bias := position.score_bias(q_positions, k_positions)) is not None:
        mask = bias if mask is None else bias.masked_fill(~mask, -math.inf)
        # 16 bits hold far distances only roughly; the CPU kernel also takes a float32 mask beside 16-bit q.
        mask = mask if q.device.type == "cpu" and q.dtype != torch.float64 else mask.to(q.dtype)
    return kernel(q, k, v, scale, mask[None] if mask is not None and mask.ndim == 3 else mask)


def is_square(q_positions: Tensor, k_positions: Tensor) -> bool:
    """Queries and keys are the same tokens in increasing positions: the kernel's own causal mask is right."""
    same = q_positions is k_positions or torch.equal(q_positions, k_positions)
    return same and bool((q_positions.diff(dim=-1) > 0).all())


def _is_consecutive(positions: Tensor) -> bool:
    """Increasing positions, one numbering for the batch, without a gap."""
    return positions.ndim == 1 and int(positions[-1] - positions[0]) == len(positions) - 1


def _with_near_keys(q: Tensor, k: Tensor, v: Tensor, row: Tensor, slopes: Tensor, scale: float) -> Tensor:
    """As `_with_key_row`, where heads that look at near keys alone skip the others (see `near`). row [H, T]."""
    needed = near_keys(q, k, slopes, scale)
    near = {head: math.ceil(keys) for head, keys in enumerate(needed) if keys <= SHARE * k.shape[2]}
    if not near:
        return _with_key_row(q, k, v, row, scale)
    output: list[Tensor | None] = [None] * q.shape[1]
    for head, keys in near.items():
        output[head] = near_attention(q[:, head], k[:, head], v[:, head], float(slopes[head]), keys, scale)
    if far := [head for head in range(q.shape[1]) if head not in near]:
        rest = _with_key_row(_heads(q, far), _heads(k, far), _heads(v, far), row[far], scale)
        for head, one in zip(far, rest.unbind(1), strict=True):
            output[head] = one
    return torch.stack([one for one in output if one is not None], dim=1)


def _heads(x: Tensor, heads: list[int]) -> Tensor:
    """These heads of x [B, H, T, d]: a view where they are neighbours."""
    neighbours = heads[-1] - heads[0] == len(heads) - 1
    return x[:, heads[0] : heads[-1] + 1] if neighbours else x[:, heads]


def _with_key_row(q: Tensor, k: Tensor, v: Tensor, row: Tensor, scale: float) -> Tensor:
    """Causal attention with a bias per key, float32 [H, T] or [B, H, T], on a CPU: memory grows with T."""
    mask = row if row.ndim == 3 else row[None]
    mask = mask[..., None, :]
    return kernel(q, k, v, scale, mask.to(q.dtype) if q.dtype == torch.float64 else mask, is_causal=True)
