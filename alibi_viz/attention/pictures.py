"""The stages of an attention as pictures: one head as it fits on the screen, one of its queries, and every head, small.

A picture of step s has one row for every s-th query, and the largest of every s keys. -inf stands where the mask hides
all keys of a cell: there nothing has a meaning, and a hidden weight differs from one that is merely small.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from alibi_viz.attention.attention import Trace
from alibi_viz.attention.inputs import AttentionInputs

NEAREST = 3  # tokens
THUMB = 128  # squares a side of a small picture
SCORE_LIMIT = 8.0  # the colours of scores go from -8 to 8, or to a multiple of it


@dataclass(frozen=True)
class Stages:
    """One head: float32 [R, C] each. All but `content` are -inf where the mask hides a key."""

    content: np.ndarray
    scores: np.ndarray
    weights: np.ndarray
    bias: np.ndarray | None = None  # None: the method adds nothing to the scores


@dataclass(frozen=True)
class Head:
    """One head that reads a text, as it fits on the screen."""

    tokens: tuple[str, ...]
    attention: AttentionInputs
    index: int  # of the head in `attention`, which may hold this one alone
    head: int  # 1 .. heads
    heads: int
    slope: float | None  # of ALiBi, without strength; None: another method
    strength: float
    query: int  # of which the sentences speak
    stages: Stages
    step: int  # tokens a square
    limit: float  # the colours of scores go from -limit to limit
    is_computable: bool  # whether the browser can compute the number of every cell
    previews: bool  # whether it may compute the pictures while a hand moves

    @cached_property
    def near(self) -> tuple[int, float, float] | None:
        """How many tokens are near the query that the sentences are of; the share of its weight on earlier tokens that they
        get; and that without the bias. None: there is no bias."""
        of_query = row(self, self.query)
        if of_query.weights_without_bias is None:
            return None
        share, without = (near_share(x, self.query) for x in (of_query.weights, of_query.weights_without_bias))
        return nearest(self.query), share, without


@torch.no_grad()
def stages(inputs: AttentionInputs, head: int, step: int = 1) -> Stages:
    """The picture of one head (0 is the first)."""
    parts = [_stages(trace, head, step) for trace in inputs.blocks(step)]
    return Stages(**{name: np.concatenate([part[name] for part in parts]) for name in parts[0]})


def _stages(trace: Trace, head: int, step: int) -> dict[str, np.ndarray]:
    scores = trace.masked[0, head]
    hidden = scores.isneginf()
    weights = trace.weights[0, head].masked_fill(hidden, -math.inf)
    rows = {"content": trace.content[0, head], "scores": scores, "weights": weights}
    if trace.bias is not None:
        rows["bias"] = trace.bias.expand_as(trace.masked)[0, head].masked_fill(hidden, -math.inf)
    return {name: pooled(x, step) for name, x in rows.items()}


@dataclass(frozen=True)
class Row:
    """One query of a head, and all its keys: float32 [T]."""

    content: np.ndarray
    bias: np.ndarray | None
    weights: np.ndarray
    weights_without_bias: np.ndarray | None  # None: the method adds nothing to the scores


@torch.no_grad()
def row(head: Head, query: int) -> Row:
    """One query (0 is the first) of a head, exactly."""
    attention, index = head.attention, head.index
    trace = attention.trace(attention.positions[query : query + 1])
    content, weights = to_numpy(trace.content[0, index, 0]), to_numpy(trace.weights[0, index, 0])
    if trace.bias is None:
        return Row(content, None, weights, None)
    bias = trace.bias.expand_as(trace.masked)[0, index, 0]
    return Row(content, to_numpy(bias), weights, to_numpy((trace.masked[0, index, 0] - bias).softmax(-1)))


@torch.no_grad()
def every_head(inputs: AttentionInputs) -> tuple[int, tuple[np.ndarray, ...]]:
    """How many tokens are one square of the small pictures, and the weights of every head: float32 [R, C] each."""
    step = math.ceil(len(inputs.positions) / THUMB)
    blocks = inputs.blocks(step)
    parts = [trace.weights[0].masked_fill(trace.masked[0].isneginf(), -math.inf) for trace in blocks]
    return step, tuple(pooled(weights, step) for weights in torch.cat(parts, dim=1))


def nearest(query: int) -> int:
    """How many tokens before the query count as near: fewer than there are, where there are two."""
    return max(1, min(NEAREST, query - 1))


def near_share(weights: np.ndarray, query: int) -> float:
    """Of a row's weight on the tokens before the query, the share on the nearest; NaN where there is none before it."""
    earlier = np.maximum(weights[:query].astype(np.float64), 0)  # a picture has -inf where a key is hidden
    return float(earlier[-nearest(query) :].sum() / earlier.sum()) if query else math.nan


def pooled(x: Tensor, step: int) -> np.ndarray:
    """[R, T] -> float32 [R, T / step, rounded up]: the largest of each block of keys."""
    return to_numpy(torch.nn.functional.max_pool1d(x.float(), step, ceil_mode=True))


def to_numpy(x: Tensor) -> np.ndarray:
    """A float32 array on the CPU, row-major."""
    return np.ascontiguousarray(x.float().cpu().numpy())
