# SPDX-License-Identifier: MIT
"""ALiBi in the kernels and modules of others. Each function is complete; but for the encoder's, all are causal.

q [B, H, Tq, d], k and v [B, Hkv, Tk, d], slopes float32 [H], positive, one a query head: each key head serves H / Hkv
neighbouring query heads, each with a slope of its own. Result [B, H, Tq, d]. The queries are the last tokens.
"""

import math
from typing import Any

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


def encoder_mask(batch: int, tokens: int, slopes: Tensor) -> Tensor:
    """For `mask` of nn.TransformerEncoder, or `attn_mask` of nn.MultiheadAttention: -m |i - j|, [B * H, T, T].

    In evaluation torch 2.13 takes a fast path that reads every number but 0 as “hide”: switch it off
    (`torch.backends.mha.set_fastpath_enabled(False)`).
    """
    places = torch.arange(tokens, device=slopes.device)
    bias = -slopes[:, None, None] * (places[:, None] - places).abs()  # [H, T, T]
    return bias.repeat(batch, 1, 1)  # the heads of a text follow one another


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
    from flash_attn import flash_attn_func

    q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    output: Tensor = flash_attn_func(q, k, v, causal=True, alibi_slopes=slopes.float())
    return output.transpose(1, 2)


def with_xformers(q: Tensor, k: Tensor, v: Tensor, slopes: Tensor) -> Tensor:
    """xFormers: [B, T, Hkv, H / Hkv, d], and a bias [B, Hkv, H / Hkv, T, T] of q's dtype, its rows a multiple of 8 long.

    Its mask is aligned top-left: whole texts alone.
    """
    from xformers.ops import LowerTriangularMask, memory_efficient_attention

    batch, heads, tokens, _ = q.shape
    kv_heads = k.shape[1]
    keys = torch.arange(tokens, device=q.device)
    bias = q.new_empty(batch, heads, tokens, tokens + -tokens % 8)[..., :tokens]
    bias.copy_(-slopes[:, None, None] * (keys[:, None] - keys))  # in float32 first
    mask = LowerTriangularMask().add_bias(bias.unflatten(1, (kv_heads, -1)))
    q = q.transpose(1, 2).unflatten(2, (kv_heads, -1))  # neighbouring query heads share a key head
    k, v = (x.transpose(1, 2)[:, :, :, None].expand(-1, -1, -1, q.shape[3], -1) for x in (k, v))
    output: Tensor = memory_efficient_attention(q, k, v, attn_bias=mask)
    return output.flatten(2, 3).transpose(1, 2)


def vllm_attention(heads: int, kv_heads: int, head_dim: int, slopes: Tensor, prefix: str) -> Any:
    """vLLM: the attention layer of a model's own file. It takes the slopes of this rank's query heads, as a list.

    prefix: the layer's name in the model. The layer keeps the cache; vLLM chooses a kernel that knows slopes.
    Read in the documentation of vLLM 0.18.1.
    """
    from vllm.distributed import (
        get_tensor_model_parallel_rank,
        get_tensor_model_parallel_world_size,
    )
    from vllm.model_executor.layers.attention import Attention

    ranks = get_tensor_model_parallel_world_size()
    own = slopes.chunk(ranks)[get_tensor_model_parallel_rank()].tolist()
    shape = {"num_heads": heads // ranks, "num_kv_heads": max(1, kv_heads // ranks), "head_size": head_dim}
    return Attention(**shape, scale=head_dim**-0.5, alibi_slopes=own, prefix=prefix)
