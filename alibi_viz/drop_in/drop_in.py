# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the authors of the ALiBi visualizer
"""Two attention blocks for a Llama-style model, alike but for positions: RoPE and ALiBi. One file, torch alone: take it.

    attention = AlibiAttention(width=512, heads=8, kv_heads=2)     # or RopeAttention(...): nothing else changes
    output, cache = attention(x, position_cos_sin, past_key_value=cache, use_cache=True)

A cache of a fixed length, which makes no new shape from token to token (`torch.compile`, CUDA graphs):

    cache = StaticCache(batch=1, kv_heads=2, length=4096, head_dim=64)
    output, cache = attention(x, position_cos_sin, past_key_value=cache, use_cache=True)

Shapes: B batch, T new tokens, Tk all tokens (cached ones first), D model width, H query heads, Hkv key heads, d head width.

Notable choices:
- The classes repeat each other on purpose: either can be copied alone, and a diff shows all that changes.
- Same signature, same weight names and shapes: the state dict of one loads into the other. The ALiBi block ignores
  `position_cos_sin`, so the model around it stays as it is; once no layer reads it, leave it out (None).
- Slopes belong to query heads. Keys are shared by groups of them, so the bias comes after `repeat_kv`.
- The cache holds keys and values of Hkv heads. RoPE's keys are cached rotated; ALiBi's know no position, so they are right
  at any offset. The first new token stands at Tk - T, never at 0; in a `StaticCache` where the tokens so far end.
- A `StaticCache` is longer than its text: Tk is then its length, for `key_padding_mask` and `positions` too, and the keys
  that are not written yet are hidden as later ones.
- Left padding changes no distance: a padded batch needs `key_padding_mask` and nothing else. Padding between real tokens
  would change distances: give `positions` too, such as `(~key_padding_mask).cumsum(-1) - 1`. So for packed texts: a text
  begins where the position of a token does not rise. Tokens that are padding are not looked at then.
- The bias is made in float32 from distances and cast last. It is NOT divided by sqrt(d).
- A query that sees no key, such as left padding, gives zeros, as `scaled_dot_product_attention` does from torch 2.5 on.
- Nothing waits for a GPU: what a mask says is looked at only where DEBUG is set.
- A whole sequence, padded or not, needs no T x T bias: see `with_key_features`. Otherwise the bias is
  made for so many queries at a time as LARGEST_MASK allows: a long prompt in pieces needs no T x Tk bias.
- `causal=False` is for encoders: ALiBi is then -m |i - j|, which the authors propose for them (issue 5 of
  ofirpress/attention_with_linear_biases), and which MosaicBERT has. It does not tell left from right: a text that is read
  backwards gives the same outputs, backwards.

ALiBi: Press, Smith and Lewis 2022, arXiv 2108.12409. RoPE: Su et al. 2021, arXiv 2104.09864.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

Cache = tuple[Tensor, Tensor]  # keys and values of one layer, [B, Hkv, Tk, d] each
LARGEST_MASK = 2**24  # numbers of a bias that are made at once: 64 MiB
DEBUG = False  # True: raises ValueError too for a mask that hides a whole text, and on a GPU for a cache that is full
NO_CACHE = "An encoder has no cache: a new token changes what those before it see."


class StaticCache:
    """Keys and values of one layer in memory of a fixed length, [B, Hkv, length, d] each."""

    def __init__(
        self,
        batch: int,
        kv_heads: int,
        length: int,  # tokens, new ones included
        head_dim: int,
        dtype: torch.dtype = torch.float32,
        device: torch.device | str | None = None,
    ) -> None:
        self.keys = torch.zeros(batch, kv_heads, length, head_dim, dtype=dtype, device=device)
        self.values = torch.zeros_like(self.keys)
        self.filled = torch.zeros((), dtype=torch.long, device=device)  # a tensor: a number would be compiled in

    def append(self, k: Tensor, v: Tensor) -> Tensor:
        """Write new keys and values behind those so far; returns where the first of them stands."""
        start, length = self.filled.clone(), self.keys.shape[2]
        is_checked = (DEBUG or start.device.type == "cpu") and not torch.compiler.is_compiling()
        if is_checked and int(start) + k.shape[2] > length:
            raise ValueError(f"The cache is full: it holds {length} tokens, and {int(start) + k.shape[2]} are needed.")
        places = start + torch.arange(k.shape[2], device=k.device)
        self.keys.index_copy_(2, places, k)
        self.values.index_copy_(2, places, v)
        self.filled += k.shape[2]
        return start


class RopeAttention(nn.Module):
    """Self-attention with RoPE, in the layout of Llama: pairs (i, i + d/2)."""

    def __init__(
        self,
        width: int,  # D
        heads: int,  # H
        kv_heads: int | None = None,  # Hkv, a divisor of `heads`; None: as many
        head_dim: int | None = None,  # d; None: width / heads
        dropout: float = 0.0,  # of the weights, in training
        causal: bool = True,  # False: an encoder, whose tokens see all others
    ) -> None:
        super().__init__()
        self.heads, self.kv_heads, self.head_dim = head_shape(width, heads, kv_heads, head_dim)
        self.dropout, self.causal = dropout, causal
        self.q_proj = nn.Linear(width, self.heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(width, self.kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(width, self.kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(self.heads * self.head_dim, width, bias=False)

    def forward(
        self,
        x: Tensor,  # [B, T, D]
        position_cos_sin: tuple[Tensor, Tensor],  # of the new tokens, [T, d] or [B, T, d] each: see `rope_cos_sin`
        past_key_value: Cache | StaticCache | None = None,  # of the tokens before
        use_cache: bool = False,  # give the keys and values of all tokens back
        key_padding_mask: Tensor | None = None,  # bool [B, Tk], True = padding
        positions: Tensor | None = None,  # int64 [B, Tk], of all tokens; None: 0, 1, 2 ... (gaps, packed texts)
    ) -> tuple[Tensor, Cache | StaticCache | None]:
        """The output [B, T, D], and the cache for the next call."""
        q = self.q_proj(x).unflatten(-1, (-1, self.head_dim)).transpose(1, 2)  # [B, H, T, d]
        k = self.k_proj(x).unflatten(-1, (-1, self.head_dim)).transpose(1, 2)  # [B, Hkv, T, d]
        v = self.v_proj(x).unflatten(-1, (-1, self.head_dim)).transpose(1, 2)
        q, k = rotate(q, *position_cos_sin), rotate(k, *position_cos_sin)
        k, v, start, cache = with_cached(k, v, past_key_value, use_cache, self.causal)
        check_masks(k, key_padding_mask, positions)
        k, v = repeat_kv(k, self.heads), repeat_kv(v, self.heads)
        dropout = self.dropout if self.training else 0.0
        if past_key_value is None and key_padding_mask is None and positions is None:
            output = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal, dropout_p=dropout)
        else:

            def mask(q: Tensor, k: Tensor, start: Tensor | None) -> Tensor:
                return allowed_keys(q, k, key_padding_mask, positions, start, causal=self.causal)

            output = attend_in_blocks(q, k, v, mask, dropout, start)
        return self.o_proj(output.transpose(1, 2).flatten(2)), cache if use_cache else None


class AlibiAttention(nn.Module):
    """Self-attention with ALiBi: the score of a key falls by m_h for every token of distance."""

    def __init__(
        self,
        width: int,  # D
        heads: int,  # H
        kv_heads: int | None = None,  # Hkv, a divisor of `heads`; None: as many
        head_dim: int | None = None,  # d; None: width / heads
        dropout: float = 0.0,  # of the weights, in training
        causal: bool = True,  # False: an encoder, whose tokens see all others
        slopes: Sequence[float] | None = None,  # one a query head; None: those of the paper
    ) -> None:
        super().__init__()
        self.heads, self.kv_heads, self.head_dim = head_shape(width, heads, kv_heads, head_dim)
        self.dropout, self.causal = dropout, causal
        # Plain numbers, not a buffer: `model.half()` would round a buffer, and a checkpoint would have to hold it.
        self.slopes = alibi_slopes(heads) if slopes is None else list(slopes)
        if len(self.slopes) != heads:
            raise ValueError(f"There must be one slope for each of the {heads} heads, not {len(self.slopes)}.")
        self.q_proj = nn.Linear(width, self.heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(width, self.kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(width, self.kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(self.heads * self.head_dim, width, bias=False)

    def forward(
        self,
        x: Tensor,  # [B, T, D]
        position_cos_sin: tuple[Tensor, Tensor] | None = None,  # ignored
        past_key_value: Cache | StaticCache | None = None,  # of the tokens before
        use_cache: bool = False,  # give the keys and values of all tokens back
        key_padding_mask: Tensor | None = None,  # bool [B, Tk], True = padding
        positions: Tensor | None = None,  # int64 [B, Tk], of all tokens; None: 0, 1, 2 ... (gaps, packed texts)
    ) -> tuple[Tensor, Cache | StaticCache | None]:
        """The output [B, T, D], and the cache for the next call."""
        q = self.q_proj(x).unflatten(-1, (-1, self.head_dim)).transpose(1, 2)  # [B, H, T, d]
        k = self.k_proj(x).unflatten(-1, (-1, self.head_dim)).transpose(1, 2)  # [B, Hkv, T, d]
        v = self.v_proj(x).unflatten(-1, (-1, self.head_dim)).transpose(1, 2)
        k, v, start, cache = with_cached(k, v, past_key_value, use_cache, self.causal)
        check_masks(k, key_padding_mask, positions)
        k, v = repeat_kv(k, self.heads), repeat_kv(v, self.heads)
        dropout = self.dropout if self.training else 0.0
        slopes = torch.tensor(self.slopes, dtype=torch.float32).to(x.device, non_blocking=True)  # [H], waits for no GPU
        if self.causal and past_key_value is None and positions is None:
            wide = with_key_features(q, k, v, slopes, key_padding_mask)
            output = F.scaled_dot_product_attention(*wide, is_causal=True, dropout_p=dropout, scale=self.head_dim**-0.5)
            output = output[..., : self.head_dim]
            if key_padding_mask is not None:  # a number of the key hides nothing where all keys of a query have it
                sees_a_key = (~key_padding_mask).cumsum(-1) > 0  # [B, T]
                output = output.masked_fill(~sees_a_key[:, None, :, None], 0.0)
        else:

            def mask(q: Tensor, k: Tensor, start: Tensor | None) -> Tensor:
                allowed = allowed_keys(q, k, key_padding_mask, positions, start, causal=self.causal)
                return alibi_bias(q, k, slopes, positions, start).masked_fill(~allowed, -math.inf)

            output = attend_in_blocks(q, k, v, mask, dropout, start)
        return self.o_proj(output.transpose(1, 2).flatten(2)), cache if use_cache else None


# What only the ALiBi block needs.


def alibi_slopes(heads: int, bias_max: float = 8.0) -> list[float]:
    """The slope of every head, as in the authors' code. Not sorted: head numbers of trained models follow this order.

    bias_max: MPT's `alibi_bias_max`. The last of a power of two has the slope 2^-bias_max.
    """
    power = 2 ** int(math.log2(heads))  # the largest power of two that is not above the heads
    slopes = [2 ** (-bias_max * h / power) for h in range(1, power + 1)]
    # The heads that are left take every second slope of twice that power, from the first on.
    return slopes + [2 ** (-bias_max / 2 * h / power) for h in range(1, 2 * (heads - power), 2)]


def alibi_bias(
    q: Tensor, k: Tensor, slopes: Tensor, positions: Tensor | None = None, start: Tensor | None = None
) -> Tensor:
    """-m_h |i - j|, float32 [H, T, Tk] or [B, H, T, Tk]: one row for one new token. A decoder also needs a causal mask."""
    queries, keys = indices(q, k, start)
    if positions is None:
        return -slopes[:, None, None] * (queries[:, None] - keys).abs()
    distance = positions[:, queries, None] - positions[:, None, : k.shape[2]]
    return -slopes[:, None, None] * distance[:, None].abs()


def with_key_features(
    q: Tensor, k: Tensor, v: Tensor, slopes: Tensor, key_padding_mask: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Wider q, k and v, [B, H, T, d + 8], for which plain causal attention computes ALiBi: no T x T bias anywhere.

    Softmax ignores what all keys of a query share, so -m (i - j) may be replaced by m j: a number of the key alone. Every
    query gets a feature of 1, every key one of m j sqrt(d), and their product is the bias. Padding is a number of the key
    too: one so low that its weight is 0. Only under a causal mask, and only if queries and keys are the same tokens.

    Rounding grows with the length: in float32 the output of 8 heads of 64 is off by 5e-5 at 4,096 tokens, 2e-4 at 16,384.
    16 bits cannot hold m j in one number, nor can the TF32 of GPUs. So it travels in three parts of eight bits, which every
    type holds. They are made by rounding, not by casts to 16 bits and back: a compiler may leave those out.
    """
    tokens, head_dim = q.shape[2:]
    _, keys = indices(q, k)
    row = slopes[:, None] * (keys - tokens // 2) * math.sqrt(head_dim)  # [H, T], from the middle: small numbers
    largest = torch.exp2(row.abs().amax().clamp(min=1).log2().ceil())
    scale = largest.clamp(max=2**15)  # carried by the query: float16 ends at 65,504
    if key_padding_mask is not None:
        row = torch.where(key_padding_mask[:, None], -(2**15) * scale, row)  # [B, H, T]
    rest, parts = row / scale, []
    for bits in (7, 15, 23):
        step = largest / scale / 2**bits
        parts.append((rest / step).round() * step)
        rest = rest - parts[-1]
    count, feature = len(parts), torch.stack(parts, dim=-1).to(q.dtype)  # [H, T, 3] or [B, H, T, 3]
    ones = scale.to(q.dtype).expand(*q.shape[:3], count)
    q = F.pad(torch.cat((q, ones), dim=-1), (0, 8 - count))  # eight more, since kernels like multiples of eight
    k = F.pad(torch.cat((k, feature.expand(*k.shape[:3], count)), dim=-1), (0, 8 - count))
    return q, k, F.pad(v, (0, 8))


# What only the RoPE block needs.


def rope_cos_sin(positions: Tensor, head_dim: int, base: float = 10_000.0) -> tuple[Tensor, Tensor]:
    """cos and sin of every angle, int64 [T] or [B, T] -> float32 [..., T, d] each. Once a forward pass, for all layers."""
    frequencies = base ** -(torch.arange(0, head_dim, 2, device=positions.device) / head_dim)
    angles = positions[..., None].float() * frequencies
    return torch.cat((angles, angles), -1).cos(), torch.cat((angles, angles), -1).sin()


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """x [B, H, T, d], turned pair by pair by the angles of its positions."""
    if cos.ndim == 3:
        cos, sin = cos[:, None], sin[:, None]
    first, second = x.chunk(2, dim=-1)
    return (x * cos + torch.cat((-second, first), -1) * sin).to(x.dtype)


# What both need.


def head_shape(width: int, heads: int, kv_heads: int | None, head_dim: int | None) -> tuple[int, int, int]:
    """H, Hkv and d. Raises ValueError if they do not fit together."""
    kv_heads = heads if kv_heads is None else kv_heads
    if heads < 1 or kv_heads < 1 or heads % kv_heads:
        raise ValueError(f"The heads must be a multiple of the key heads, not {heads} and {kv_heads}.")
    if head_dim is None and width % heads:
        raise ValueError(f"The width must be a multiple of the heads, not {width} and {heads}.")
    return heads, kv_heads, head_dim or width // heads


def repeat_kv(x: Tensor, heads: int) -> Tensor:
    """[B, Hkv, Tk, d] -> [B, H, Tk, d]: each key head serves H / Hkv neighbouring query heads."""
    return x if x.shape[1] == heads else x.repeat_interleave(heads // x.shape[1], dim=1)


def check_masks(k: Tensor, key_padding_mask: Tensor | None, positions: Tensor | None) -> None:
    """Raises ValueError for a mask or positions that mean something else than this file takes them for."""
    expected = (k.shape[0], k.shape[2])
    if key_padding_mask is not None:
        if key_padding_mask.dtype != torch.bool:
            raise ValueError(
                "key_padding_mask must be bool, True = padding: of a mask with 1 for real tokens, mask == 0."
            )
        if tuple(key_padding_mask.shape) != expected:
            raise ValueError(f"key_padding_mask must be [B, Tk] = {list(expected)}, cached keys included.")
        if DEBUG and not torch.compiler.is_compiling() and key_padding_mask.all(-1).any():
            raise ValueError("key_padding_mask hides every key of a text: True means padding. Is it inverted?")
    if positions is not None and (tuple(positions.shape) != expected or positions.is_floating_point()):
        raise ValueError(f"positions must be whole numbers [B, Tk] = {list(expected)}, cached tokens included.")


def with_cached(
    k: Tensor, v: Tensor, past: Cache | StaticCache | None, use_cache: bool, causal: bool
) -> tuple[Tensor, Tensor, Tensor | None, Cache | StaticCache]:
    """Keys and values of all tokens, where the first new one stands (None: the new ones are the last), the next cache."""
    if not causal:
        if past is not None or use_cache:
            raise ValueError(NO_CACHE)
        return k, v, torch.zeros((), dtype=torch.long, device=k.device), (k, v)
    if isinstance(past, StaticCache):
        start = past.append(k, v)
        return past.keys, past.values, start, past
    if past is not None:
        k, v = torch.cat((past[0], k), dim=2), torch.cat((past[1], v), dim=2)
    return k, v, None, (k, v)


def indices(q: Tensor, k: Tensor, start: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Where the queries [T] and the keys [Tk] stand among all tokens. start: the first query; None: they are the last."""
    every = torch.arange(k.shape[2], device=k.device)
    queries = every[: q.shape[2]] + start if start is not None else every[k.shape[2] - q.shape[2] :]
    return queries, every


def allowed_keys(
    q: Tensor,
    k: Tensor,
    key_padding_mask: Tensor | None = None,
    positions: Tensor | None = None,
    start: Tensor | None = None,
    *,
    causal: bool = True,
) -> Tensor:
    """True where a query may look: bool [T, Tk]; with padding or positions [B, 1, T, Tk]."""
    queries, keys = indices(q, k, start)
    allowed = (queries[:, None] >= keys) | (not causal)
    hidden = None if key_padding_mask is None else key_padding_mask[:, : len(keys)]
    if positions is not None:
        text = text_numbers(positions[:, : len(keys)], hidden)
        allowed = (allowed & (text[:, queries, None] == text[:, None, :]))[:, None]
    return allowed if hidden is None else allowed & ~hidden[:, None, None]


def text_numbers(positions: Tensor, key_padding_mask: Tensor | None) -> Tensor:
    """The number of each token's text, int64 [B, Tk]. A text begins with a position that is not above the last token's.

    Tokens that are padding are skipped: each counts to the text before it.
    """
    before = positions[:, :-1]
    if key_padding_mask is not None:
        every = torch.arange(before.shape[1], device=positions.device)
        last = every.masked_fill(key_padding_mask[:, :-1], -1).cummax(-1).values  # where the last real token stands
        before = before.gather(1, last.clamp(min=0)).masked_fill(last < 0, torch.iinfo(positions.dtype).min)
    starts = positions[:, 1:] <= before
    if key_padding_mask is not None:
        starts = starts & ~key_padding_mask[:, 1:]
    return F.pad(starts.long().cumsum(-1), (1, 0))


def attend_in_blocks(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Callable[[Tensor, Tensor, Tensor | None], Tensor],
    dropout: float,
    start: Tensor | None = None,
) -> Tensor:
    """Attention with the mask or bias that `mask` makes for some queries and the keys up to the last of them."""
    batch, heads, tokens, _ = q.shape
    rows = max(1, LARGEST_MASK // (batch * heads * k.shape[2]))
    if tokens <= rows:  # on its own: a loop would make torch.compile guard `rows`, which changes with every token
        return attend(q, k, v, mask(q, k, start), dropout)
    outputs = []
    for first in range(0, tokens, rows):
        queries = q[:, :, first : first + rows]
        end = k.shape[2] - tokens + first + queries.shape[2] if start is None else k.shape[2]
        keys, values, place = k[:, :, :end], v[:, :, :end], None if start is None else start + first
        outputs.append(attend(queries, keys, values, mask(queries, keys, place), dropout))
    return torch.cat(outputs, dim=2)


def attend(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, dropout: float) -> Tensor:
    """Attention with an explicit mask: bool (True: may look) or a bias with -inf."""
    mask = mask if mask.dtype == torch.bool else mask.to(q.dtype)  # cast last
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=dropout)
