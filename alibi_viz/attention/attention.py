"""Multi-head attention with every stage visible (`trace_attention`), and the module that a model uses.

Notable choices:
- A query that may attend to no key at all gives zeros, never NaN.
- The traced stages are float32, whatever the dtype of q, k and v.
- Attention does not call `add_to_embeddings`: methods that act on embeddings act once, in the model, before layer one.
"""

import math
from dataclasses import dataclass

from torch import Tensor, nn

from alibi_viz.attention.fused import fused_attention, is_square
from alibi_viz.attention.kv_cache import KVCache, next_positions
from alibi_viz.attention.masks import allowed_keys, check_heads, expand_heads, score_scale
from alibi_viz.positions.base import PositionMethod


@dataclass(frozen=True, repr=False)
class Trace:
    """Every stage of one attention. Key and value heads are repeated for the query heads they serve."""

    q: Tensor  # [B, H, Tq, d] after rotation
    k: Tensor  # [B, H, Tk, d] after rotation
    v: Tensor  # [B, H, Tk, d]
    content: Tensor  # [B, H, Tq, Tk] q.k, divided by sqrt(d) unless the method says otherwise
    bias: Tensor | None  # [H, Tq, Tk] or [B, H, Tq, Tk], or None for methods that act elsewhere
    masked: Tensor  # [B, H, Tq, Tk] content + bias, -inf where a query may not attend
    weights: Tensor  # [B, H, Tq, Tk] softmax over the keys; zeros where a query may attend to no key
    output: Tensor  # [B, H, Tq, d] in the dtype of v

    def __repr__(self) -> str:
        (batch, heads, queries, keys), dim = self.weights.shape, self.q.shape[-1]
        bias = "none" if self.bias is None else list(self.bias.shape)
        return f"Trace(B={batch}, H={heads}, Tq={queries}, Tk={keys}, d={dim}, bias {bias})"


def trace_attention(
    q: Tensor,  # [B, H, Tq, d]
    k: Tensor,  # [B, Hkv, Tk, d]
    v: Tensor,  # [B, Hkv, Tk, d]
    position: PositionMethod,  # rotates q and k and gives the bias; given its input where it needs that
    q_positions: Tensor,  # int64 [Tq] or [B, Tq]
    k_positions: Tensor,  # int64 [Tk] or [B, Tk]
    *,
    causal: bool = True,  # hide keys at later positions than the query
    key_padding_mask: Tensor | None = None,  # bool [B, Tk], True = padding
    rotated: bool = False,  # q and k are rotated already, as cached keys are
    head: int | None = None,  # 0 .. H-1: this one alone, the H of the result is 1; None: every head
) -> Trace:
    """Attention step by step, with every stage. Raises ValueError if H is not divisible by Hkv."""
    check_heads(q, k)
    if not rotated:
        q, k = position.rotate(q, k, q_positions, k_positions)
    k, v = expand_heads(k, q.shape[1]), expand_heads(v, q.shape[1])
    bias = position.score_bias(q_positions, k_positions)
    if head is not None:
        q, k, v = (vectors[:, head : head + 1] for vectors in (q, k, v))
        bias = None if bias is None else bias[..., head : head + 1, :, :]
    content = q.float() @ k.float().mT * score_scale(position, q.shape[-1])
    scores = content if bias is None else content + bias
    allowed = allowed_keys(q_positions, k_positions, causal, key_padding_mask, position.window)
    if allowed is None:
        masked, weights = scores, scores.softmax(-1)
    else:
        masked = scores.masked_fill(~allowed, -math.inf)
        some = allowed.any(-1, keepdim=True)  # rows without any allowed key become zeros, and their gradient too
        # Filled before the softmax, not mended after it: a NaN that comes from elsewhere must stay visible.
        weights = masked.masked_fill(~some, 0.0).softmax(-1) * some
    return Trace(q, k, v, content, bias, masked, weights, (weights @ v.float()).to(v.dtype))


class Attention(nn.Module):
    """Causal multi-head attention with grouped queries and a KV cache."""

    def __init__(
        self,
        width: int,  # D, of the embeddings
        heads: int,  # H, query heads
        position: PositionMethod,  # any, built for the same heads and head width; layers may share one
        *,
        kv_heads: int | None = None,  # key and value heads, a divisor of `heads`; None: as many
        head_dim: int | None = None,  # d; None: width / heads
        bias: bool = False,  # give the four projections a bias vector
    ) -> None:
        super().__init__()
        self.heads, self.kv_heads = heads, kv_heads or heads
        self.head_dim = head_dim or width // heads
        self.position = position
        self.to_q = nn.Linear(width, heads * self.head_dim, bias=bias)
        self.to_k = nn.Linear(width, self.kv_heads * self.head_dim, bias=bias)
        self.to_v = nn.Linear(width, self.kv_heads * self.head_dim, bias=bias)
        self.to_out = nn.Linear(heads * self.head_dim, width, bias=bias)

    def forward(
        self,
        x: Tensor,
        *,
        positions: Tensor | None = None,  # int64 [T] or [B, T]; None counts on from the cache (see `next_positions`)
        cache: KVCache | None = None,  # keys and values of earlier tokens; the new ones are appended to it
    ) -> Tensor:
        """x [B, T, D] -> [B, T, D], by the fused path."""
        square = not cache  # looked at before the new keys are appended
        inputs = self._inputs(x, positions, cache)
        if positions is not None:  # those counted here increase
            square = square and is_square(positions, positions)
        return self._merge(fused_attention(*inputs, rotated=True, square=square))

    def trace(
        self, x: Tensor, *, positions: Tensor | None = None, cache: KVCache | None = None
    ) -> tuple[Trace, Tensor]:
        """Every stage, and the projected output [B, T, D]. Arguments as for `forward`; it fills the cache."""
        stages = trace_attention(*self._inputs(x, positions, cache), rotated=True)
        return stages, self._merge(stages.output)

    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """q [B, H, T, d], k and v [B, Hkv, T, d] of x [B, T, D], before rotation."""
        q, k, v = (
            projection(x).unflatten(-1, (-1, self.head_dim)).transpose(1, 2)  # [B, T, H * d] -> [B, H, T, d]
            for projection in (self.to_q, self.to_k, self.to_v)
        )
        return q, k, v

    def read(self, x: Tensor, cache: KVCache) -> None:
        """Append the keys and values of x [B, T, D] to the cache."""
        self._inputs(x, None, cache)

    def _inputs(
        self, x: Tensor, positions: Tensor | None, cache: KVCache | None
    ) -> tuple[Tensor, Tensor, Tensor, PositionMethod, Tensor, Tensor]:
        """Arguments of either path: q and k rotated, cached keys before the new ones."""
        if positions is None:
            positions = next_positions(x.shape[1], cache=cache, device=x.device)
        q, k, v = self.project(x)
        position = self.position.given(x, None if cache is None else cache.kept)
        q, k = position.rotate(q, k, positions, positions)
        k_positions = positions
        if cache is not None:
            k, v, k_positions = cache.append(k, v, positions)
            cache.kept = position.kept
        return q, k, v, position, positions, k_positions

    def _merge(self, output: Tensor) -> Tensor:
        return self.to_out(output.transpose(1, 2).flatten(2))  # [B, H, T, d] -> [B, T, D]
