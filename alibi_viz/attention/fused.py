"""Attention through scaled_dot_product_attention, for training and long sequences: the output of `trace_attention`.

Notable choices:
- Causal ALiBi needs no T x T bias here. Its bias equals m_h (j - c) up to a constant per row, which softmax cancels: one
  row of keys says it all. The CPU kernel takes this row as a mask [1, H, 1, T] beside `is_causal=True`, which torch does
  not document; tests compare the two. Forward against causal attention without positions, 8 heads of 64, 2 048 and 4 096
  tokens, one thread: 1.3 and 1.4 times; as a T x T mask 2.2 and 2.5.
- GPU kernels refuse a mask beside `is_causal`. There the row becomes a rank-one term: every query gets one more feature of
  value 1, every key one more of value m_h (j - c) / scale. In bfloat16 and float16 one feature cannot hold these numbers,
  so they are split in three: high, middle and low part.
- Slopes that are trained take the explicit mask: rounded to 16 bits, the row would lose most of their gradient.
- In float32 the row's rounding grows with the length: measured against the traced path, 8 heads of 64, 2e-5 at 2 048
  tokens, 5e-5 at 4 096, 1e-4 at 8 192, 2e-4 at 16 384.
- `is_causal=True` goes to the kernel only for a full square: queries and keys are the same tokens in increasing
  positions, nothing padded, nothing cached. Elsewhere the kernel would align it wrongly (one query and a cache: it would
  attend to key 0 alone), so there the mask and the bias travel together in ONE explicit mask.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from alibi_viz.attention.masks import allowed_keys, check_heads, expand_heads, score_scale
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
            on_cpu = q.device.type == "cpu"
            return _with_key_row(q, k, v, row, scale) if on_cpu else _with_key_features(q, k, v, row, scale)
        if position.acts_on != "scores":
            return _kernel(q, k, v, scale, is_causal=True)
    mask = allowed_keys(q_positions, k_positions, causal, key_padding_mask)
    if (bias := position.score_bias(q_positions, k_positions)) is not None:
        mask = bias if mask is None else bias.masked_fill(~mask, -math.inf)
        # 16 bits hold far distances only roughly; the CPU kernel also takes a float32 mask beside 16-bit q.
        mask = mask if q.device.type == "cpu" and q.dtype != torch.float64 else mask.to(q.dtype)
    return _kernel(q, k, v, scale, mask[None] if mask is not None and mask.ndim == 3 else mask)


def is_square(q_positions: Tensor, k_positions: Tensor) -> bool:
    """Queries and keys are the same tokens in increasing positions: the kernel's own causal mask is right."""
    same = q_positions is k_positions or torch.equal(q_positions, k_positions)
    return same and bool((q_positions.diff(dim=-1) > 0).all())


def _with_key_row(q: Tensor, k: Tensor, v: Tensor, row: Tensor, scale: float) -> Tensor:
    """Causal attention with a bias per key, float32 [H, T] or [B, H, T], on a CPU: memory grows with T."""
    mask = row if row.ndim == 3 else row[None]
    mask = mask[..., None, :]
    return _kernel(q, k, v, scale, mask.to(q.dtype) if q.dtype == torch.float64 else mask, is_causal=True)


def _with_key_features(q: Tensor, k: Tensor, v: Tensor, row: Tensor, scale: float) -> Tensor:
    """The same on any device, as extra features of queries and keys."""
    batch, heads, tokens, head_dim = q.shape
    row = row.expand(batch, heads, tokens) / scale
    precise = q.dtype in (torch.float32, torch.float64)
    ones, parts = (q.new_ones(1), row.to(q.dtype)[..., None]) if precise else _split(row, q.dtype)
    extra = _kernel_width(head_dim + parts.shape[-1], q.device) - head_dim
    q = torch.cat((q, _widen(ones.expand(batch, heads, tokens, parts.shape[-1]), extra)), dim=-1)
    k = torch.cat((k, _widen(parts, extra)), dim=-1)
    return _kernel(q, k, v, scale, is_causal=True)


def _split(row: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """float32 [..., T] -> query feature [1], key features [..., T, 3] of a 16-bit dtype: products sum to row."""
    # A power of two, carried by the query, keeps the keys' features small. It ends at 2^15, since float16 ends at 65504;
    # what is larger stays with the keys, which overflow beyond 2^30 only.
    # Three parts hold 24 bits in bfloat16 and 33 in float16, as many as the float32 they come from.
    unit = torch.exp2(row.abs().amax().clamp(1.0, 2.0**15).log2().ceil())
    rest, parts = row / unit, []
    for _ in range(3):
        parts.append(rest.to(dtype))
        rest = rest - parts[-1].float()
    return unit.to(dtype)[None], torch.stack(parts, dim=-1)


def _kernel(
    q: Tensor, k: Tensor, v: Tensor, scale: float, mask: Tensor | None = None, is_causal: bool = False
) -> Tensor:
    """scaled_dot_product_attention at a width the kernel likes: q, k [..., w], v [..., d] -> [..., d]."""
    trains_mask = mask is not None and mask.requires_grad  # then torch takes plain matrix products: no blocks
    width = q.shape[-1] if trains_mask else _kernel_width(q.shape[-1], q.device)
    q, k, padded = _widen(q, width), _widen(k, width), _widen(v, width)
    output = F.scaled_dot_product_attention(q, k, padded, attn_mask=mask, is_causal=is_causal, scale=scale)
    return output if padded is v else output[..., : v.shape[-1]]  # a slice costs a copy in the backward pass


def _widen(x: Tensor, width: int) -> Tensor:
    return F.pad(x, (0, width - x.shape[-1])) if x.shape[-1] < width else x


def _kernel_width(width: int, device: torch.device) -> int:
    """The width to fill up to with zeros, which change nothing."""
    # GPU kernels want a multiple of 8. The CPU kernel works in blocks of 16 and is slower below that: forward and
    # backward, 128 tokens, 16 x 8 heads, one thread: 15.2 ms at width 8, 20.4 at 9, 12.1 at 16. Above 16 a partly
    # filled block costs less than the zeros would (64, 65 and 72: 31, 38 and 41 ms).
    return max(width, 16) if device.type == "cpu" else width + -width % 8
