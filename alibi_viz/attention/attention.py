"""Multi-head attention with every stage in sight, and the module that a model uses.

Two paths, one result: `trace_attention` keeps every stage for the reader (content scores, bias, mask,
weights), and `fused.fused_attention` calls scaled_dot_product_attention for training and long sequences.

Notable choices:
- A query that may see no key at all gives zeros, never NaN.
- The traced stages are float32, whatever the dtype of q, k and v.
- Attention does not call `add_to_embeddings`: methods that act on embeddings act once, in the model, before
  layer one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from torch import Tensor, nn

from alibi_viz.attention.fused import fused_rotated, is_square
from alibi_viz.attention.kv_cache import KVCache, next_positions
from alibi_viz.attention.masks import allowed_keys, check_heads, expand_heads, score_scale
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
    check_heads(q, k)
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
    k, v = expand_heads(k, q.shape[1]), expand_heads(v, q.shape[1])
    content = q.float() @ k.float().mT * score_scale(position, q.shape[-1])
    bias = position.score_bias(q_positions, k_positions)
    scores = content if bias is None else content + bias
    allowed = allowed_keys(q_positions, k_positions, causal, key_is_real)
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
        square = self.causal and fresh and real is None and (counted or is_square(q_pos, k_pos))
        return self._project(fused_rotated(q, k, v, self.position, q_pos, k_pos, self.causal, real, square))

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
