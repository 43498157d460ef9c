"""The Attention page: a text through one attention layer with ALiBi, stage by stage.

Notable choices:
- Content is made, not learned, in three ways that a reader can reason about: every pair alike, the same words attract, or
  random projections of random word vectors. The attention itself is the real one.
- Up to SCREEN tokens every cell is on the screen. Above that a square stands for one query (the first of its block) and
  the largest of its keys, and the exact number of every cell follows from q, k and the row's log-sum, which are sent too.
- All checks (fused against eager, cache against full pass) run on the numbers that are on the screen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from alibi_viz.attention.attention import Trace, trace_attention
from alibi_viz.attention.fused import fused_attention
from alibi_viz.attention.kv_cache import KVCache
from alibi_viz.content import orthogonal, vectors
from alibi_viz.positions.alibi import Alibi

SCREEN = 128  # squares a side
THUMB = 128
LONGEST = 2048  # tokens
ATTRACTION = 4.0  # score of a word with itself, "same words attract"
STEPS = 256  # tokens that go one by one through the cache; earlier ones go as one chunk
ALL_HEADS_UP_TO = 512  # tokens up to which the checks run over all heads
CONTENTS = ("equal", "same words attract", "random")


@dataclass(frozen=True)
class Controls:
    tokens: tuple[str, ...]
    content: str
    seed: int
    heads: int
    kv_heads: int
    head_dim: int
    head: int  # 1 .. heads
    strength: float
    causal: bool
    device: str = "cpu"


@dataclass(frozen=True)
class Inputs:
    """q [1, H, T, d], k and v [1, Hkv, T, d], the position method, positions [T]; exact: see `orthogonal`."""

    q: Tensor
    k: Tensor
    v: Tensor
    method: Alibi
    positions: Tensor
    causal: bool
    exact: bool

    @property
    def tokens(self) -> int:
        return self.q.shape[2]

    def one_head(self, head: int) -> Inputs:
        """The same for one query head (0-based) alone, with the key head that serves it."""
        shared = head * self.k.shape[1] // self.q.shape[1]
        slope, width = float(self.method.past[head]), self.q.shape[-1]
        method = Alibi(1, width, width, slopes=[slope], form=self.method.form, strength=self.method.strength)  # type: ignore[arg-type]
        q, k, v = self.q[:, head : head + 1], self.k[:, shared : shared + 1], self.v[:, shared : shared + 1]
        return replace(self, q=q, k=k, v=v, method=method.to(q.device))


@dataclass(frozen=True)
class Stages:
    """The chosen head on the screen: float32 [R, C] each, -inf where masked."""

    content: np.ndarray
    bias: np.ndarray
    scores: np.ndarray
    weights: np.ndarray


@dataclass(frozen=True)
class Result:
    slopes: list[float]  # one a head, without strength
    step: int  # tokens a square
    stages: Stages
    thumbs: list[np.ndarray]  # weights of every head, as on the screen
    contents: list[np.ndarray] | None  # content scores of every head, for the browser's preview; None above SCREEN
    q: np.ndarray  # [T, d] of the chosen head
    k: np.ndarray
    logsum: np.ndarray  # float64 [T]: log of the sum of e^score over the keys of each row
    exact: bool


@dataclass(frozen=True)
class Row:
    """One query and all its keys, exactly."""

    content: np.ndarray  # float32 [T]
    bias: np.ndarray
    weights: np.ndarray
    plain: np.ndarray  # weights of the content alone, without ALiBi


def check(controls: Controls) -> None:
    """Raises ValueError, with one sentence, for controls that do not fit together."""
    if not controls.tokens:
        raise ValueError("The text is empty. Write a few words.")
    if controls.heads % controls.kv_heads:
        fitting = [str(n) for n in range(1, controls.heads + 1) if controls.heads % n == 0]
        raise ValueError(
            f"{controls.heads} heads cannot share {controls.kv_heads} key/value heads equally. "
            f"Choose one of {', '.join(fitting)}."
        )


@torch.no_grad()
def inputs(controls: Controls) -> Inputs:
    """Queries, keys and values of the text."""
    check(controls)
    tokens, heads, width = controls.tokens, controls.heads, controls.head_dim
    exact = True
    if controls.content == "equal":
        q = torch.zeros(1, heads, len(tokens), width)
        k = torch.zeros(1, controls.kv_heads, len(tokens), width)
    elif controls.content == "same words attract":
        directions, exact = orthogonal(tokens, width, controls.seed)
        one = torch.from_numpy(directions)[None, None] * math.sqrt(ATTRACTION * math.sqrt(width))
        q, k = one.expand(1, heads, -1, -1), one.expand(1, controls.kv_heads, -1, -1)
    else:
        x = torch.from_numpy(vectors(tokens, heads * width, controls.seed))[None]
        q = _project(x, heads, width, controls.seed, "q")
        k = _project(x, controls.kv_heads, width, controls.seed, "k")
    x = torch.from_numpy(vectors(tokens, width, controls.seed))[None]
    v = _project(x, controls.kv_heads, width, controls.seed, "v")
    # Without a mask the formula of the paper would reward later keys; an encoder's form falls on both sides.
    form: Literal["causal", "symmetric"] = "causal" if controls.causal else "symmetric"
    method = Alibi(heads, width, heads * width, form=form, strength=controls.strength)
    device = controls.device
    positions = torch.arange(len(tokens), device=device)
    return Inputs(q.to(device), k.to(device), v.to(device), method.to(device), positions, controls.causal, exact)


def _project(x: Tensor, heads: int, width: int, seed: int, name: str) -> Tensor:
    """[1, T, D] -> [1, heads, T, width] by random weights that keep the variance at 1."""
    rng = np.random.default_rng([seed, *name.encode()])
    weight = rng.standard_normal((x.shape[-1], heads * width)).astype(np.float32) / math.sqrt(x.shape[-1])
    return (x @ torch.from_numpy(weight)).unflatten(-1, (heads, width)).transpose(1, 2)


def traced(given: Inputs, rows: Tensor | None = None) -> Trace:
    """The real attention, every stage; of some queries alone if `rows` names them."""
    q = given.q if rows is None else given.q[:, :, rows]
    q_positions = given.positions if rows is None else given.positions[rows]
    return trace_attention(q, given.k, given.v, given.method, q_positions, given.positions, causal=given.causal)


@lru_cache(maxsize=8)
@torch.no_grad()
def study(controls: Controls) -> Result:
    """All stages of the chosen head, and the weights of every head, as they fit on the screen."""
    given = inputs(controls)
    step = -(-given.tokens // SCREEN)
    rows = given.positions[::step]
    chosen = given.one_head(controls.head - 1)
    trace = traced(chosen, rows)
    every = [traced(given.one_head(h), rows) for h in range(controls.heads)]
    return Result(
        slopes=given.method.past.tolist(),
        step=step,
        stages=Stages(*(pooled(x, step) for x in (trace.content, _masked_bias(trace), trace.masked, trace.weights))),
        thumbs=[pooled(one.weights, step) for one in every],
        contents=[pooled(one.content, 1) for one in every] if step == 1 else None,
        q=_numpy(chosen.q[0, 0]),
        k=_numpy(chosen.k[0, 0]),
        logsum=_logsum(chosen),
        exact=given.exact,
    )


def _bias(trace: Trace) -> Tensor:
    assert trace.bias is not None  # ALiBi always adds one
    return trace.bias[None]


def _masked_bias(trace: Trace) -> Tensor:
    """The bias with -inf where the mask hides a cell: there it has no meaning, and no block may show it as its largest."""
    return _bias(trace).masked_fill(trace.masked.isneginf(), -math.inf)


def _logsum(chosen: Inputs) -> np.ndarray:
    """log of the sum of e^score over the keys, for every query: float64 [T]. A few hundred rows at a time."""
    parts = [traced(chosen, rows).masked.double().logsumexp(-1) for rows in chosen.positions.split(SCREEN)]
    return torch.cat([part[0, 0] for part in parts]).cpu().numpy()


def pooled(x: Tensor, step: int) -> np.ndarray:
    """[1, 1, R, T] -> float32 [R, T / step]: the largest of each block of keys."""
    flat = x[0, 0].float()
    missing = -flat.shape[-1] % step
    if missing:
        flat = torch.nn.functional.pad(flat, (0, missing), value=-math.inf)
    return _numpy(flat.unflatten(-1, (-1, step)).amax(-1))


def hatched(weights: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Weights as they are drawn: a masked cell is hatched, so that it differs from a weight that is merely small."""
    return np.where(np.isneginf(scores), -np.inf, weights).astype(np.float32)


def _numpy(x: Tensor) -> np.ndarray:
    return np.ascontiguousarray(x.float().cpu().numpy())


@torch.no_grad()
def row(controls: Controls, query: int) -> Row:
    """One query (0-based) of the chosen head, exactly."""
    chosen = inputs(controls).one_head(controls.head - 1)
    trace = traced(chosen, chosen.positions[query : query + 1])
    plain = (trace.masked - _bias(trace)).softmax(-1)
    return Row(*(_numpy(x[0, 0, 0]) for x in (trace.content, _bias(trace), trace.weights, plain)))


@torch.no_grad()
def fused_difference(controls: Controls) -> float:
    """Largest absolute difference between the outputs of the fused and of the eager path."""
    given = _checked(controls)
    return float((_fused(given) - traced(given).output).abs().max())


@torch.no_grad()
def cached_difference(controls: Controls, count: int) -> float:
    """Largest difference between the first `count` tokens one by one through a KV cache, and the full pass."""
    given, cache, outputs = _checked(controls), KVCache.empty(), []
    first = max(count - STEPS, 0)
    for start, stop in [(0, first), *((t, t + 1) for t in range(first, count))]:
        if stop > start:
            outputs.append(_next(given, cache, start, stop))
    # A cache has no future, so the full pass that it must equal is the masked one.
    full = traced(replace(given, causal=True)).output
    return float((torch.cat(outputs, dim=2) - full[:, :, :count]).abs().max())


def _checked(controls: Controls) -> Inputs:
    """All heads; of a long text the chosen head alone, so that the page stays quick."""
    given = inputs(controls)
    return given if given.tokens <= ALL_HEADS_UP_TO else given.one_head(controls.head - 1)


def _next(given: Inputs, cache: KVCache, start: int, stop: int) -> Tensor:
    """Output of tokens start..stop-1, which see themselves and what the cache holds."""
    cache.append(given.k[:, :, start:stop], given.v[:, :, start:stop], given.positions[start:stop])
    assert cache.keys is not None
    assert cache.values is not None
    assert cache.positions is not None
    q, now = given.q[:, :, start:stop], given.positions[start:stop]
    return fused_attention(q, cache.keys, cache.values, given.method, now, cache.positions)


def _fused(given: Inputs) -> Tensor:
    return fused_attention(
        given.q, given.k, given.v, given.method, given.positions, given.positions, causal=given.causal
    )
