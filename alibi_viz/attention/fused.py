"""Attention through scaled_dot_product_attention, for training and long sequences: the output of `trace_attention`.

Notable choices:
- Causal ALiBi needs no T x T bias here. Its bias equals m_h (j - c) up to a constant per row, which softmax cancels: one
  row of keys says it all. The CPU kernel takes this row as a mask [1, H, 1, T] beside `is_causal=True`, which torch does
  not document; tests compare the two.
- GPU kernels refuse a mask beside `is_causal`. There the row becomes features of queries and keys, as in `drop_in`.
- Slopes that are trained take the explicit mask: rounded to 16 bits, the row would lose most of their gradient. A row that
  depends on the input would need such a mask for every sequence: in float32 on a CPU it becomes a feature instead.
- In float32 the row's rounding grows with slope times length. Measured against the traced path, 8 heads of 64: 2e-5 at
  2 048 tokens, 5e-5 at 4 096, 1e-4 at 8 192.
- `is_causal=True` goes to the kernel only for a full square: queries and keys are the same tokens in increasing
  positions, nothing cached. Elsewhere the kernel would align it wrongly (one query and a cache: it would
  attend to key 0 alone), so there the mask and the bias travel together in ONE explicit mask.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from alibi_viz.attention.masks import allowed_keys, check_heads, expand_heads, score_scale
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
    rotated: bool = False,
    square: bool | None = None,
) -> Tensor:
    """The output of `trace_attention`, [B, H, Tq, d], through scaled_dot_product_attention.

    Arguments and errors are as for `trace_attention`, plus `square`: the caller knows that `is_square` holds (True) or
    that the kernel's own causal mask would be wrong (False). None looks at the positions, which on a GPU waits for it.
    """
    check_heads(q, k)
    if not rotated:
        q, k = position.rotate(q, k, q_positions, k_positions)
    if square is None:
        square = causal and is_square(q_positions, k_positions)
    heads, scale = q.shape[1], score_scale(position, q.shape[-1])
    k, v = expand_heads(k, heads), expand_heads(v, heads)
    if position.window is not None and k_positions.numel():
        square = square and int(k_positions.max() - k_positions.min()) <= position.window
    if square:
        row = position.key_bias(k_positions)
        has_digits = q.device.type == "cpu" and q.dtype in (torch.float32, torch.float64)
        if row is not None and row.requires_grad and position.needs_input and has_digits:
            return _kernel(*_with_feature(q, k, row / scale), v, scale, is_causal=True)
        if row is not None and not row.requires_grad:
            if q.device.type == "cpu":
                key_mask = row[..., None, :] if row.ndim == 3 else row[None, :, None, :]  # [H, T] or [B, H, T]
                return _kernel(q, k, v, scale, key_mask.to(torch.promote_types(q.dtype, row.dtype)), is_causal=True)
            slopes = position.linear_slopes()
            is_numbered = k_positions.ndim == 1 and int(k_positions[-1] - k_positions[0]) == len(k_positions) - 1
            if slopes is not None and is_numbered:  # one numbering for the batch, without a gap
                return _kernel(*with_key_features(q, k, v, slopes), scale, is_causal=True)[..., : v.shape[-1]]
        if position.acts_on != "scores":
            return _kernel(q, k, v, scale, is_causal=True)
    mask = allowed_keys(q_positions, k_positions, causal, window=position.window)
    if (bias := position.score_bias(q_positions, k_positions)) is not None:
        mask = bias if mask is None else torch.where(mask, bias, -math.inf)
        # 16 bits hold far distances only roughly; the CPU kernel also takes a float32 mask beside 16-bit q.
        mask = mask if q.device.type == "cpu" and q.dtype != torch.float64 else mask.to(q.dtype)
    return _kernel(q, k, v, scale, mask[None] if mask is not None and mask.ndim == 3 else mask)


def _with_feature(q: Tensor, k: Tensor, row: Tensor) -> tuple[Tensor, Tensor]:
    """q and k, [B, H, T, d + 1], whose products hold a row of keys, [H, T] or [B, H, T]: the kernel refuses a mask beside
    `is_causal` that needs a gradient."""
    one, feature = q.new_ones(1).expand(*q.shape[:3], 1), row.to(k.dtype)[..., None].expand(*k.shape[:3], 1)
    return torch.cat((q, one), dim=-1), torch.cat((k, feature), dim=-1)


def is_square(q_positions: Tensor, k_positions: Tensor) -> bool:
    """Queries and keys are the same tokens in increasing positions: the kernel's own causal mask is right."""
    same = q_positions is k_positions or torch.equal(q_positions, k_positions)
    return same and bool((q_positions.diff(dim=-1) > 0).all())


def _kernel(
    q: Tensor, k: Tensor, v: Tensor, scale: float, mask: Tensor | None = None, is_causal: bool = False
) -> Tensor:
    """scaled_dot_product_attention, filled up with zeros where that helps: q, k [..., w], v [..., d] -> [..., d]."""
    width = q.shape[-1]
    if q.device.type != "cpu":
        width += -width % 8  # GPU kernels want a multiple of 8
    elif mask is None or not mask.requires_grad:  # else torch takes plain matrix products, without blocks
        # The CPU kernel works in blocks of 16 and is slower below that: forward and backward, 128 tokens, 16 x 8 heads,
        # one thread: 15.2 ms at width 8, 20.4 at 9, 12.1 at 16. Above 16 a partly filled block costs less than the zeros
        # would (64, 65 and 72: 31, 38 and 41 ms).
        width = max(width, 16)
    q, k, padded = (F.pad(x, (0, width - x.shape[-1])) if x.shape[-1] < width else x for x in (q, k, v))
    output = F.scaled_dot_product_attention(q, k, padded, attn_mask=mask, is_causal=is_causal, scale=scale)
    return output if padded is v else output[..., : v.shape[-1]]  # a slice costs a copy in the backward pass
