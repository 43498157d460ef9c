# SPDX-License-Identifier: MIT
"""ALiBi in the kernels of others: each function is complete and causal; the queries are the last tokens.

q [B, H, Tq, d], k and v [B, Hkv, Tk, d] (xFormers: H heads), slopes float32 [H], positive, one a query head: each key head
serves H / Hkv neighbouring query heads, each with a slope of its own. Result [B, H, Tq, d].
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def with_sdpa(q: Tensor, k: Tensor, v: Tensor, slopes: Tensor) -> Tensor:
    """PyTorch's kernel with a float mask of q's dtype, added after the scaling. The memory-efficient path takes it."""
    keys = torch.arange(k.shape[2], device=q.device)
    distance = keys[k.shape[2] - q.shape[2] :, None] - keys  # [Tq, Tk]
    bias = (-slopes[:, None, None] * distance).masked_fill(distance < 0, -math.inf)
    grouped = k.shape[1] != q.shape[1]  # on a GPU a mask then takes the plain kernel
    mask = bias.to(q.dtype)[None]  # never with is_causal=True
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=grouped)


def with_flex_attention(q: Tensor, k: Tensor, v: Tensor, slopes: Tensor) -> Tensor:
    """FlexAttention: no bias in memory. With a cache, both functions need its length: q_idx begins at 0."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    past = k.shape[2] - q.shape[2]

    def bias(score: Tensor, b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        return score - slopes[h] * (q_idx + past - kv_idx)

    def causal(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        return q_idx + past >= kv_idx

    mask = create_block_mask(causal, None, None, q.shape[2], k.shape[2], device=q.device)
    grouped = k.shape[1] != q.shape[1]  # h is the query head
    # torch.compile(flex_attention) makes it fast
    output = flex_attention(q, k, v, score_mod=bias, block_mask=mask, enable_gqa=grouped)
    assert isinstance(output, Tensor)
    return output


def with_flash_attn(q: Tensor, k: Tensor, v: Tensor, slopes: Tensor) -> Tensor:
    """FlashAttention-2: [B, T, H, d]. It adds -slope * |i + Tk - Tq - j|; slopes positive, float32, [H] or [B, H]."""
    from flash_attn import flash_attn_func  # type: ignore[import-not-found]

    q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    output: Tensor = flash_attn_func(q, k, v, causal=True, alibi_slopes=slopes.float())
    return output.transpose(1, 2)


def with_xformers(q: Tensor, k: Tensor, v: Tensor, slopes: Tensor) -> Tensor:
    """xFormers: [B, T, H, d], and a bias [B, H, T, T] of q's dtype. Its mask is aligned top-left: whole texts alone."""
    from xformers.ops import LowerTriangularMask, memory_efficient_attention  # type: ignore[import-not-found]

    position = torch.arange(k.shape[2], device=q.device)
    bias = -slopes[:, None, None] * (position[:, None] - position)
    mask = LowerTriangularMask().add_bias(bias.to(q.dtype).expand(len(q), -1, -1, -1))
    output: Tensor = memory_efficient_attention(*(x.transpose(1, 2) for x in (q, k, v)), attn_bias=mask)
    return output.transpose(1, 2)
