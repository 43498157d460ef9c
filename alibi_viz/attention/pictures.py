"""The stages of an attention as pictures: one head as it fits on the screen.

A picture of step s has one row for every s-th query, and the largest of every s keys. -inf stands where the mask hides
all keys of a cell: there nothing has a meaning, and a hidden weight differs from one that is merely small.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from alibi_viz.attention.attention import Trace
from alibi_viz.attention.inputs import AttentionInputs

NEAREST = 3  # tokens


@dataclass(frozen=True)
class Stages:
    """One head: float32 [R, C] each. All but `content` are -inf where the mask hides a key."""

    content: np.ndarray
    scores: np.ndarray
    weights: np.ndarray
    bias: np.ndarray | None = None  # None: the method adds nothing to the scores


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


def nearest(query: int) -> int:
    """How many tokens before the query count as near: fewer than there are, where there are two."""
    return max(1, min(NEAREST, query - 1))


def near_share(weights: np.ndarray, query: int) -> float:
    """Of a row's weight on the tokens before the query, the share on the nearest; NaN where there is none before it."""
    earlier = np.maximum(weights[:query].astype(np.float64), 0)  # a picture has -inf where a key is hidden
    return float(earlier[-nearest(query) :].sum() / earlier.sum()) if query else math.nan


def pooled(x: Tensor, step: int) -> np.ndarray:
    """[R, T] -> float32 [R, T / step, rounded up]: the largest of each block of keys."""
    padded = torch.nn.functional.pad(x.float(), (0, -x.shape[-1] % step), value=-math.inf)
    return to_numpy(padded.unflatten(-1, (-1, step)).amax(-1))


def to_numpy(x: Tensor) -> np.ndarray:
    """A float32 array on the CPU, row-major."""
    return np.ascontiguousarray(x.float().cpu().numpy())
