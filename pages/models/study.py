"""My model: what its configuration says of every distance, and what a local model's heads attend to.

Notable choices:
- From a configuration follows what the position method does by itself, whatever the weights: one picture a method, each in
  its own quantity. Of a table that is learned the file knows the size alone.
- RoPE's curve is measured on the method itself: the score of a query and a key that are alike in every number, as a share
  of what it is at distance 0.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
import torch

from alibi_viz.attention.pictures import pooled
from alibi_viz.checkpoints.config import ModelConfig
from alibi_viz.positions import METHODS
from alibi_viz.positions.t5 import T5Bias

POINTS = 385
TIMES = 4  # the curves end at so many times the length in the file
SINK = 0.5  # of a head's weight on the first token: from there it is called an attention sink
SMALL = 64  # squares a side of a head's small picture


@dataclass(frozen=True)
class Curves:
    """What the method does by itself: values [C, S] at `x`, distances or (for a table) positions."""

    x: np.ndarray  # float32 [S]
    values: np.ndarray  # float32 [C, S]; ALiBi: a curve a head
    top: float  # the ends of the axis
    bottom: float = 0.0
    unscaled: np.ndarray | None = None  # float32 [S]: without the scaling of RoPE, where there is one
    of_positions: bool = False  # x are positions of a table, not distances
    is_stepped: bool = False  # a value holds until the next one


def parameters(config: ModelConfig) -> int:
    """Learned numbers of the position method."""
    table = {"learned": (config.train_length or 0) * config.width}
    return (table | {"t5": config.options.get("num_buckets", 0) * config.heads}).get(config.method, 0)


@torch.no_grad()
def curves(config: ModelConfig) -> Curves | None:
    """What follows from the configuration alone; None where the method is only named."""
    if config.not_computed:
        return None
    farthest = TIMES * (config.train_length or config.options.get("max_distance", 1024))
    if config.method == "alibi":  # the weight of a key against the nearest one, for equal content
        x = np.geomspace(1, farthest, POINTS).astype(np.float32)
        return Curves(x, np.exp(-np.outer(config.slopes or (), x)).astype(np.float32), 1.0)
    # Whole distances from 1, even on a log axis.
    x = np.unique(np.round(np.geomspace(1, max(farthest, 4), POINTS))).astype(np.float32)
    if config.method == "rope":
        score, unscaled = _alike(config, x), None
        if "scaling" in config.options:
            unscaled = _alike(replace(config, options={**config.options, "scaling": "none"}), x)
        lowest = min(float(score.min()), 0.0 if unscaled is None else float(unscaled.min()))
        return Curves(x, score[None], 1.0, min(0.0, lowest - 0.05), unscaled)
    if config.method == "t5":  # the bucket of each distance back
        method = config.build()
        assert isinstance(method, T5Bias)
        buckets = method.bucket(torch.from_numpy(x).long())
        return Curves(x, buckets[None].float().numpy(), float(buckets.max()) + 1, is_stepped=True)
    # Whether a position of a table has a vector; without positions a key weighs the same at every distance.
    has_table = METHODS[config.method].has_position_table
    end = (config.train_length or math.inf) if has_table else math.inf
    return Curves(x, (x < end)[None].astype(np.float32), 1.1, of_positions=has_table, is_stepped=has_table)


def _alike(config: ModelConfig, x: np.ndarray) -> np.ndarray:
    """The score of a query and a key of ones at the distances x, as a share of that at distance 0."""
    ones, method = torch.ones(1, 1, len(x), config.head_dim), config.build()
    positions = torch.from_numpy(x).long()
    q, k = method.rotate(ones, ones[:, :, :1], positions, torch.zeros(1, dtype=torch.int64))
    share: np.ndarray = ((q @ k.mT)[0, 0, :, 0] / (k @ k.mT)[0, 0, 0, 0]).numpy()
    return share


def mean_distance(attention: np.ndarray) -> np.ndarray:
    """How far heads look: the distance of the tokens attended to, by weight, over all queries. [..., T, T] -> [...]"""
    positions = np.arange(attention.shape[-1])
    distance = np.abs(positions[:, None] - positions).astype(np.float32)
    mean: np.ndarray = np.einsum("...ij,ij->...", attention, distance) / len(positions)
    return mean


def first_token(attention: np.ndarray) -> np.ndarray:
    """The mean weight on the first token, of all queries after it. [..., T, T] -> [...]; NaN for one token."""
    later = attention[..., 1:, 0]
    return later.mean(-1) if later.shape[-1] else np.full(later.shape[:-1], np.nan, np.float32)


def masked(weights: np.ndarray, causal: bool) -> np.ndarray:
    """The weights [..., T, T] as a picture has them: −inf where a causal mask hides the key."""
    hidden = np.triu(np.ones(weights.shape[-2:], bool), 1)
    return np.where(hidden, -np.inf, weights).astype(np.float32) if causal else weights


def small(weights: np.ndarray) -> tuple[int, list[np.ndarray]]:
    """Of every head [H, T, T] a picture of at most SMALL squares a side: the tokens of a square, and the pictures.

    A square is one of so many queries, and the largest weight of so many keys.
    """
    step = math.ceil(weights.shape[-1] / SMALL)
    return step, [pooled(torch.from_numpy(head[::step]), step) for head in weights]
