"""Multi-head attention with every stage in sight, and the same attention fused.

Two paths, one result: `trace_attention` keeps every stage for the reader (content scores, bias, mask,
weights), and `fused_attention` calls scaled_dot_product_attention for training and long sequences.

Notable choices:
- Causal ALiBi needs no T x T bias in the fused path. The bias equals m_h (j - c) up to a constant per row,
  which softmax forgets, and m_h (j - c) is a rank-one term: every query gets one more feature of value 1,
  every key one more of value m_h (j - c) / scale, and the ordinary causal kernel does the rest. In bfloat16
  and float16 one feature cannot hold these numbers, so they are split in three: high, middle and low part.
  In float32 the rounding of these numbers grows with the length: measured against the traced path, 8 heads of
  64, 2e-5 at 2 048 tokens, 5e-5 at 4 096, 1e-4 at 8 192, 2e-4 at 16 384.
- `is_causal=True` goes to the kernel only for a full square: queries and keys are the same tokens in
  increasing positions, nothing padded, nothing cached. Elsewhere it would be aligned wrongly (one query and a
  cache: it would see key 0 alone), so there the mask and the bias travel together in ONE explicit mask.
- Which key a query may see follows from their positions, not from their places in the tensor.
- A query that may see no key at all gives zeros, never NaN.
- The traced stages are float32, whatever the dtype of q, k and v.
- Attention does not call `add_to_embeddings`: methods that act on embeddings act once, in the model, before
  layer one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from alibi_viz.positions.base import PositionMethod, whole_number


@dataclass(frozen=True)
class Trace:
    """Every stage of one attention. Key and value heads are repeated for the query heads they serve."""

    q: Tensor  # [B, H, Tq, d] after rotation
    k: Tensor  # [B, H, Tk, d] after rotation
    v: Tensor  # [B, H, Tk, d]
    content: Tensor  # [B, H, Tq, Tk] q.k, divided by sqrt(d) unless the method says otherwise
    bias: Tensor | None  # [H, Tq, Tk] or [B, H, Tq, Tk], or None for methods that act elsewhere
    masked: Tensor  # [B, H, Tq, Tk] content + bias, -inf where a query may not look
    weights: Tensor  # [B, H, Tq, Tk] softmax over the keys; zeros where a query may see no key
    output: Tensor  # [B, H, Tq, d] in the dtype of v


def causal_mask(q_positions: Tensor, k_positions: Tensor) -> Tensor:
    """True where a query may attend: [T] or [B, T] each -> bool [Tq, Tk] or [B, Tq, Tk]."""
    return q_positions[..., :, None] >= k_positions[..., None, :]


def _scale(position: PositionMethod, head_dim: int) -> float:
    return 1.0 / math.sqrt(head_dim) if position.scales_scores else 1.0


def _expand_heads(x: Tensor, heads: int) -> Tensor:
    """[B, Hkv, T, d] -> [B, H, T, d]: each key head serves H / Hkv neighbouring query heads."""
    return x if x.shape[1] == heads else x.repeat_interleave(heads // x.shape[1], dim=1)


def _allowed(q_positions: Tensor, k_positions: Tensor, causal: bool, key_is_real: Tensor | None) -> Tensor | None:
    """True where a query may attend, broadcastable to [B, H, Tq, Tk]; None if everything is allowed."""
    allowed = None
    if causal:
        mask = causal_mask(q_positions, k_positions)
        allowed = mask[:, None] if mask.ndim == 3 else mask
    if key_is_real is not None:
        real = key_is_real.bool()[:, None, None, :]
        allowed = real if allowed is None else allowed & real
    return allowed


def _check_heads(q: Tensor, k: Tensor) -> None:
    if q.shape[1] % k.shape[1]:
        raise ValueError(f"The query heads must be a multiple of the key heads, not {q.shape[1]} and {k.shape[1]}.")


def trace_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    position: PositionMethod,
    q_positions: Tensor,
    k_positions: Tensor,
    *,
    causal: bool = True,
    key_is_real: Tensor | None = None,
) -> Trace:
    """Attention step by step, keeping every stage.

    Args:
        q: [B, H, Tq, d], before rotation; k, v: [B, Hkv, Tk, d], k before rotation.
        position: the method; it rotates q and k and gives the bias.
        q_positions, k_positions: int64 [T] or [B, T].
        causal: hide keys at later positions than the query.
        key_is_real: bool [B, Tk], False for padding; None if all keys are real.

    Raises:
        ValueError: if the query heads are no multiple of the key heads.
    """
    _check_heads(q, k)
    q, k = position.rotate(q, k, q_positions, k_positions)
    return _trace(q, k, v, position, q_positions, k_positions, causal, key_is_real)


def _trace(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    position: PositionMethod,
    q_positions: Tensor,
    k_positions: Tensor,
    causal: bool,
    key_is_real: Tensor | None,
) -> Trace:
    """`trace_attention` for q and k that are rotated already, as cached keys are."""
    k, v = _expand_heads(k, q.shape[1]), _expand_heads(v, q.shape[1])
    content = q.float() @ k.float().mT * _scale(position, q.shape[-1])
    bias = position.score_bias(q_positions, k_positions)
    scores = content if bias is None else content + bias
    allowed = _allowed(q_positions, k_positions, causal, key_is_real)
    masked = scores if allowed is None else scores.masked_fill(~allowed, -math.inf)
    weights = _softmax(masked, allowed)
    output = (weights @ v.float()).to(v.dtype)
    return Trace(q, k, v, content, bias, masked, weights, output)


def _softmax(masked: Tensor, allowed: Tensor | None) -> Tensor:
    """Softmax over the keys; rows without any allowed key become zeros, and their gradient too."""
    if allowed is None:
        return masked.softmax(-1)
    some = allowed.any(-1, keepdim=True)
    # Filled before the softmax, not mended after it: a NaN that comes from elsewhere must stay in sight.
    return masked.masked_fill(~some, 0.0).softmax(-1) * some


def fused_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    position: PositionMethod,
    q_positions: Tensor,
    k_positions: Tensor,
    *,
    causal: bool = True,
    key_is_real: Tensor | None = None,
) -> Tensor:
    """The output of `trace_attention`, [B, H, Tq, d], through scaled_dot_product_attention.

    Arguments and errors are those of `trace_attention`.
    """
    _check_heads(q, k)
    q, k = position.rotate(q, k, q_positions, k_positions)
    square = causal and key_is_real is None and _is_square(q_positions, k_positions)
    return _fused(q, k, v, position, q_positions, k_positions, causal, key_is_real, square)


def _is_square(q_positions: Tensor, k_positions: Tensor) -> bool:
    """Queries and keys are the same tokens in increasing positions: the kernel's own causal mask is right."""
    if q_positions is not k_positions and not torch.equal(q_positions, k_positions):
        return False
    return bool((q_positions.diff(dim=-1) > 0).all())


def _fused(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    position: PositionMethod,
    q_positions: Tensor,
    k_positions: Tensor,
    causal: bool,
    key_is_real: Tensor | None,
    square: bool,
) -> Tensor:
    """`fused_attention` for q and k that are rotated already; `square` says that is_causal=True is right."""
    heads, scale = q.shape[1], _scale(position, q.shape[-1])
    k, v = _expand_heads(k, heads), _expand_heads(v, heads)
    if square:
        row = position.key_bias(k_positions)
        if row is not None:
            return _with_key_bias(q, k, v, row, scale)
        if position.acts_on != "scores":
            return _kernel(q, k, v, scale, is_causal=True)
    mask = _allowed(q_positions, k_positions, causal, key_is_real)
    bias = position.score_bias(q_positions, k_positions)
    if bias is not None:
        mask = bias if mask is None else bias.masked_fill(~mask, -math.inf)
        # 16 bits hold far distances only roughly; the CPU kernel also takes a float32 mask beside 16-bit q.
        mask = mask if q.device.type == "cpu" and q.dtype != torch.float64 else mask.to(q.dtype)
    if mask is not None and mask.ndim == 3:
        mask = mask[None]
    return _kernel(q, k, v, scale, mask)


def _with_key_bias(q: Tensor, k: Tensor, v: Tensor, row: Tensor, scale: float) -> Tensor:
    """Causal attention with a bias per key, without any T x T tensor: the bias travels as extra features.

    q, k, v [B, H, T, d], row [H, T] or [B, H, T] float32 -> [B, H, T, d]. Memory grows with T, not T^2.
    """
    batch, heads, tokens, head_dim = q.shape
    row = row.expand(batch, heads, tokens) / scale
    if q.dtype == torch.float32 or q.dtype == torch.float64:
        ones, parts = q.new_ones(1), row.to(q.dtype)[..., None]
    else:
        ones, parts = _split(row, q.dtype)
    features = parts.shape[-1]
    extra = _kernel_width(head_dim + features, q.device) - head_dim
    q = torch.cat((q, _widen(ones.expand(batch, heads, tokens, features), extra)), dim=-1)
    k = torch.cat((k, _widen(parts, extra)), dim=-1)
    return _kernel(q, k, v, scale, is_causal=True)


def _split(row: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """float32 [..., T] -> query feature [1], key features [..., T, 3] of a 16-bit dtype: products sum to row.

    The key features are kept within -1..1 by a power of two, which the query features carry: float16 would
    overflow at 65504. Three parts hold 24 bits in bfloat16 and 33 in float16, as many as the float32 they
    come from.
    """
    unit = torch.exp2(row.detach().abs().amax().clamp(min=1.0).log2().ceil())
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
    """The width to fill up to with zeros, which change nothing.

    GPU kernels want a multiple of 8. The CPU kernel works in blocks of 16 and is slower below that: forward
    and backward, 128 tokens, 16 x 8 heads, one thread: 15.2 ms at width 8, 20.4 at 9, 12.1 at 16. Above 16 a
    partly filled block costs less than the zeros would (64, 65 and 72: 31, 38 and 41 ms).
    """
    return max(width, 16) if device.type == "cpu" else width + -width % 8


@dataclass
class KVCache:
    """Keys and values of the tokens seen so far, each key as it was rotated when it came.

    Caching rotated keys is wrong where the rotation of an old key changes later: dynamic NTK scaling (the
    base follows the length), or a cache that drops old tokens and numbers the rest anew. Cache keys before
    rotation there. Appending copies the cache, which is quadratic over a whole text; fine at the lengths
    shown here.
    """

    keys: Tensor | None = None  # [B, Hkv, Tk, d]
    values: Tensor | None = None  # [B, Hkv, Tk, d]
    positions: Tensor | None = None  # int64 [Tk] or [B, Tk]
    key_is_real: Tensor | None = None  # bool [B, Tk]; None: all real

    @classmethod
    def empty(cls) -> KVCache:
        """A cache with nothing in it."""
        return cls()

    def __len__(self) -> int:
        """Number of tokens cached, padding included."""
        return 0 if self.keys is None else self.keys.shape[2]

    def append(self, keys: Tensor, values: Tensor, positions: Tensor, key_is_real: Tensor | None = None) -> None:
        """Add the keys and values [B, Hkv, T, d] of T more tokens, their positions, and which are real."""
        if self.keys is None or self.values is None or self.positions is None:
            self.keys, self.values, self.positions, self.key_is_real = keys, values, positions, key_is_real
            return
        if self.key_is_real is not None or key_is_real is not None:
            self.key_is_real = torch.cat((_all_real(self.keys, self.key_is_real), _all_real(keys, key_is_real)), dim=-1)
        batch = keys.shape[0]
        if positions.ndim != self.positions.ndim:
            self.positions, positions = self.positions.expand(batch, -1), positions.expand(batch, -1)
        self.positions = torch.cat((self.positions, positions), dim=-1)
        self.keys = torch.cat((self.keys, keys), dim=2)
        self.values = torch.cat((self.values, values), dim=2)


def _all_real(keys: Tensor, key_is_real: Tensor | None) -> Tensor:
    if key_is_real is not None:
        return key_is_real.bool()
    return torch.ones(keys.shape[0], keys.shape[2], dtype=torch.bool, device=keys.device)


def next_positions(
    tokens: int,
    *,
    cache: KVCache | None = None,
    is_real: Tensor | None = None,
    device: torch.device | None = None,
) -> Tensor:
    """Positions of the next tokens, counted on from the cache: int64 [T], or [B, T] where there is padding.

    With padding, counting starts at each sequence's first real token; padding itself gets the number of the
    real token before it (0 if there is none), which no real token ever sees.
    """
    seen = 0 if cache is None else len(cache)
    earlier = None if cache is None else cache.key_is_real
    if is_real is None and earlier is None:
        return torch.arange(seen, seen + tokens, device=device)
    if is_real is None:
        assert earlier is not None
        is_real = torch.ones(earlier.shape[0], tokens, dtype=torch.bool, device=earlier.device)
    before: Tensor | int = seen if earlier is None else earlier.sum(-1, keepdim=True)
    return (is_real.long().cumsum(-1) - 1 + before).clamp(min=0)


class Attention(nn.Module):
    """Multi-head attention with grouped queries, a cache, and any position method that acts inside attention.

    Args:
        width: width D of the embeddings.
        heads: query heads H.
        position: the position method, built for the same heads and head width; layers may share one.
        kv_heads: key and value heads, a divisor of `heads`; None: as many as query heads.
        head_dim: width d of a head; None: width / heads.
        causal: hide later positions.
        bias: give the four projections a bias vector.

    Raises:
        ValueError: if the numbers do not fit together.
    """

    def __init__(
        self,
        width: int,
        heads: int,
        position: PositionMethod,
        *,
        kv_heads: int | None = None,
        head_dim: int | None = None,
        causal: bool = True,
        bias: bool = False,
    ) -> None:
        super().__init__()
        whole_number(width, "width")
        whole_number(heads, "heads")
        if head_dim is None and width % heads:
            raise ValueError(f"The width must be a multiple of the heads, not {width} and {heads}.")
        self.heads = heads
        self.kv_heads = whole_number(heads if kv_heads is None else kv_heads, "kv_heads")
        self.head_dim = whole_number(width // heads if head_dim is None else head_dim, "head_dim")
        self.causal = causal
        self.position = position
        if heads % self.kv_heads:
            raise ValueError(f"The heads must be a multiple of the key heads, not {heads} and {self.kv_heads}.")
        if (position.heads, position.head_dim) != (heads, self.head_dim):
            raise ValueError(
                f"The position method is built for {position.heads} heads of width {position.head_dim}, "
                f"the attention for {heads} of {self.head_dim}."
            )
        self.to_q = nn.Linear(width, heads * self.head_dim, bias=bias)
        self.to_k = nn.Linear(width, self.kv_heads * self.head_dim, bias=bias)
        self.to_v = nn.Linear(width, self.kv_heads * self.head_dim, bias=bias)
        self.to_out = nn.Linear(heads * self.head_dim, width, bias=bias)

    def forward(
        self,
        x: Tensor,
        *,
        positions: Tensor | None = None,
        cache: KVCache | None = None,
        is_real: Tensor | None = None,
        path: Literal["fused", "eager"] = "fused",
    ) -> Tensor:
        """x [B, T, D] -> [B, T, D].

        Args:
            positions: int64 [T] or [B, T]; None counts on from the cache (see `next_positions`).
            cache: keys and values of earlier tokens; the new ones are added to it.
            is_real: bool [B, T], False for padding; None if all tokens are real.
            path: "fused" for speed, "eager" for the traced computation.

        Raises:
            ValueError: for an unknown path.
        """
        if path == "eager":
            return self.trace(x, positions=positions, cache=cache, is_real=is_real)[1]
        if path != "fused":
            raise ValueError(f"path must be 'fused' or 'eager', not {path!r}.")
        fresh = cache is None or not len(cache)
        counted = positions is None
        q, k, v, q_pos, k_pos, real = self._inputs(x, positions, cache, is_real)
        square = self.causal and fresh and real is None and (counted or _is_square(q_pos, k_pos))
        return self._project(_fused(q, k, v, self.position, q_pos, k_pos, self.causal, real, square))

    def trace(
        self,
        x: Tensor,
        *,
        positions: Tensor | None = None,
        cache: KVCache | None = None,
        is_real: Tensor | None = None,
    ) -> tuple[Trace, Tensor]:
        """Every stage, and the projected output [B, T, D]. Arguments as for `forward`; it fills the cache."""
        q, k, v, q_pos, k_pos, real = self._inputs(x, positions, cache, is_real)
        stages = _trace(q, k, v, self.position, q_pos, k_pos, self.causal, real)
        return stages, self._project(stages.output)

    def _inputs(
        self, x: Tensor, positions: Tensor | None, cache: KVCache | None, is_real: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor | None]:
        """Rotated q, k and v with their positions, the cached keys before the new ones."""
        tokens = x.shape[1]
        if positions is None:
            positions = next_positions(tokens, cache=cache, is_real=is_real, device=x.device)
        q, k, v = self._heads(self.to_q(x)), self._heads(self.to_k(x)), self._heads(self.to_v(x))
        q, k = self.position.rotate(q, k, positions, positions)
        if cache is None:
            return q, k, v, positions, positions, is_real
        cache.append(k, v, positions, is_real)
        assert cache.keys is not None
        assert cache.values is not None
        assert cache.positions is not None
        return q, cache.keys, cache.values, positions, cache.positions, cache.key_is_real

    def _heads(self, x: Tensor) -> Tensor:
        """[B, T, heads * d] -> [B, heads, T, d]"""
        return x.unflatten(-1, (-1, self.head_dim)).transpose(1, 2)

    def _project(self, output: Tensor) -> Tensor:
        """[B, H, T, d] -> [B, T, D]"""
        return self.to_out(output.transpose(1, 2).flatten(2))
