"""What is measured: one attention with every position method, and ALiBi in every way of computing it.

8 heads of 64, one sequence, causal, random queries, keys and values. Projections and MLP are not part of it: they are
the same for every method. A method that acts on embeddings adds its vectors to [1, T, 512], one that rotates turns q and k.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from alibi_viz.attention.attention import trace_attention
from alibi_viz.attention.fused import _with_key_features, fused_attention
from alibi_viz.attention.masks import causal_mask, score_scale
from alibi_viz.checks import one_of, whole_number
from alibi_viz.cost.sizes import bias_bytes
from alibi_viz.cost.timing import Call, Case
from alibi_viz.positions import METHODS, PositionMethod, build

HEADS, HEAD_DIM = 8, 64
LENGTHS = tuple(2**power for power in range(6, 14))  # 64 .. 8,192 tokens
Pass = Literal[
    "forward", "backward", "decode"
]  # backward: forward and backward; decode: one new token, the others cached
PASSES: tuple[Pass, ...] = ("forward", "backward", "decode")
WAYS = ("fused", "feature", "cached", "built", "flex", "eager")  # of computing ALiBi
BASE = "none"  # causal attention without positions
SQUARES = {"cached": 2, "built": 4, "eager": 8}  # tensors of H x n x n that a way holds at once, about
MOST_BYTES = 1 << 30  # of squares
_NO_FLEX = "FlexAttention does not run here: {reason}."


@dataclass(frozen=True)
class Inputs:
    """One sequence, and the method."""

    q: Tensor  # [1, H, T, d]
    k: Tensor
    v: Tensor
    x: Tensor  # [1, T, D]
    positions: Tensor  # int64 [T]
    method: PositionMethod

    @property
    def scale(self) -> float:
        return score_scale(self.method, HEAD_DIM)


def inputs(name: str, tokens: int, device: str = "cpu", dtype: torch.dtype = torch.float32) -> Inputs:
    """Normal q, k, v of `tokens` tokens: the same for every method."""
    whole_number(tokens, "The number of tokens", 1, LENGTHS[-1])
    method = build(name, heads=HEADS, head_dim=HEAD_DIM, max_length=tokens).to(device)
    generator = torch.Generator().manual_seed(0)
    shape = (1, HEADS, tokens, HEAD_DIM)
    q, k, v = (torch.randn(shape, generator=generator).to(device, dtype) for _ in range(3))
    x = torch.randn(1, tokens, HEADS * HEAD_DIM, generator=generator).to(device, dtype)
    return Inputs(q, k, v, x, torch.arange(tokens, device=device), method)


def case(name: str, tokens: int, kind: Pass = "forward", **options: Any) -> Case:
    """A position method, or one of WAYS for ALiBi, at this length. options: device, dtype. ValueError: no such case."""
    one_of(name, "The case", (*METHODS, *WAYS))
    one_of(kind, "The pass", PASSES)
    return Case(name, tokens, lambda: _prepare(name, tokens, kind, **options))


def _prepare(name: str, tokens: int, kind: Pass, device: str = "cpu", dtype: torch.dtype = torch.float32) -> Call:
    way = name if name in WAYS else "fused"
    _check_memory(name, way, tokens, kind)
    given = inputs("alibi" if name in WAYS else name, tokens, device, dtype)
    if kind == "decode":
        return _decode(given, way)
    attend = _WAYS[way](given)
    if kind == "forward":
        return torch.no_grad()(lambda: attend(given.q, given.k, given.v))
    leaves = [x.clone().requires_grad_() for x in (given.q, given.k, given.v)]

    def both() -> None:
        for leaf in leaves:
            leaf.grad = None
        attend(*leaves).sum().backward()

    return both


def _check_memory(name: str, way: str, tokens: int, kind: Pass) -> None:
    """A method that builds a bias holds its square several times over."""
    builds = METHODS[name].acts_on == "scores" and name != "alibi" if name in METHODS else False
    squares = 6 if builds else SQUARES.get(way, 0)
    if kind != "decode" and squares * bias_bytes(HEADS, tokens)["tensor"] > 4 * MOST_BYTES:
        raise ValueError("Its tensors of n x n would take more than 4 GB.")


def _fused(given: Inputs) -> Callable[..., Tensor]:
    def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        given.method.add_to_embeddings(given.x, given.positions)
        return fused_attention(q, k, v, given.method, given.positions, given.positions, square=True)

    return attend


def _feature(given: Inputs) -> Callable[..., Tensor]:
    def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        row = given.method.key_bias(given.positions)
        assert row is not None
        return _with_key_features(q, k, v, row, given.scale)

    return attend


def _mask(given: Inputs) -> Tensor:
    """Bias and causal mask in one tensor [1, H, T, T]."""
    bias = given.method.score_bias(given.positions, given.positions)
    assert bias is not None
    allowed = causal_mask(given.positions, given.positions)
    return bias.masked_fill(~allowed, -math.inf)[None].to(given.q.dtype)


def _cached(given: Inputs) -> Callable[..., Tensor]:
    mask = _mask(given)
    return lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


def _built(given: Inputs) -> Callable[..., Tensor]:
    return lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=_mask(given))


def _eager(given: Inputs) -> Callable[..., Tensor]:
    at = given.positions
    return lambda q, k, v: trace_attention(q, k, v, given.method, at, at).output


def _flex(given: Inputs) -> Callable[..., Tensor]:
    """FlexAttention, compiled, with a block mask that leaves out what is hidden."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    slopes, tokens, device = given.method.linear_slopes(), len(given.positions), given.q.device
    assert slopes is not None

    def score(value: Tensor, b: Tensor, h: Tensor, i: Tensor, j: Tensor) -> Tensor:
        return value - slopes[h] * (i - j)

    blocks = create_block_mask(lambda b, h, i, j: i >= j, None, None, tokens, tokens, device=device.type)
    compiled = torch.compile(flex_attention, dynamic=False)

    def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return compiled(q, k, v, score_mod=score, block_mask=blocks, scale=given.scale)

    try:
        with torch.no_grad():
            attend(given.q, given.k, given.v)
    except Exception as error:  # compilers fail in their own ways; all mean that it does not run
        raise ValueError(_NO_FLEX.format(reason=_first_line(error))) from None
    return attend


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    return f"{type(error).__name__}: {lines[0][:120]}".rstrip(". ")


_WAYS = {"fused": _fused, "feature": _feature, "cached": _cached, "built": _built, "flex": _flex, "eager": _eager}


def _decode(given: Inputs, way: str) -> Call:
    """One new token beside tokens - 1 cached ones."""
    if way not in ("fused", "eager"):
        raise ValueError("For one query this is the same as fused.")
    at, q, new = given.positions[-1:], given.q[:, :, -1:], given.k[:, :, -1:]
    keys = given.method.rotate(given.q, given.k, given.positions, given.positions)[1]
    options: dict[str, Any] = {"rotated": True}

    @torch.no_grad()
    def step() -> object:
        given.method.add_to_embeddings(given.x[:, -1:], at)
        query, key = given.method.rotate(q, new, at, at)
        keys[:, :, -1:] = key
        if way == "eager":
            return trace_attention(query, keys, given.v, given.method, at, given.positions, **options)
        return fused_attention(query, keys, given.v, given.method, at, given.positions, square=False, **options)

    return step


def largest_error(name: str, tokens: int, device: str = "cpu", dtype: torch.dtype = torch.float32) -> float:
    """Largest difference of a way from the eager float32 path on the same (rounded) inputs, one head at a time."""
    given = inputs("alibi", tokens, device, dtype)
    slopes = given.method.linear_slopes()
    assert slopes is not None
    worst = 0.0
    with torch.no_grad():
        ours = _WAYS[name](given)(given.q, given.k, given.v)
        for head, slope in enumerate(slopes.tolist()):
            one = build("alibi", heads=1, head_dim=HEAD_DIM, slopes=[slope]).to(device)
            q, k, v = (x[:, head : head + 1].float() for x in (given.q, given.k, given.v))
            exact = trace_attention(q, k, v, one, given.positions, given.positions).output
            worst = max(worst, float((ours[:, head : head + 1].float() - exact).abs().max()))
    return worst
