"""How far heads look, measured on their weights: mean attended distance, and the distance that holds a share of them.

Distances are in tokens, absolute: without a causal mask both sides count. Every query counts the same.
"""

from dataclasses import dataclass

import numpy as np
import torch

from alibi_viz.attention.inputs import AttentionInputs
from alibi_viz.attention.pictures import to_numpy

SHARE = 0.9


@dataclass(frozen=True)
class HeadReach:
    """One number a head: float32 [H]."""

    mean: np.ndarray  # mean attended distance
    holding: np.ndarray  # smallest distance within which SHARE of the weight lies


@torch.no_grad()
def by_distance(inputs: AttentionInputs) -> torch.Tensor:
    """Mean weight at each distance 0 .. T - 1 of every head: float64 [H, T]; each head's sum is 1."""
    heads, tokens = inputs.q.shape[1], inputs.q.shape[2]
    total = torch.zeros(heads, tokens, dtype=torch.float64)
    for rows, trace in zip(inputs.rows(), inputs.blocks(), strict=True):
        distance = (rows[:, None] - inputs.positions).abs().expand(heads, -1, -1).flatten(1)
        total.scatter_add_(1, distance, trace.weights[0].double().flatten(1))
    return total / tokens


def reach(inputs: AttentionInputs) -> HeadReach:
    """How far each head looks."""
    weights = by_distance(inputs)
    mean = weights @ torch.arange(weights.shape[1], dtype=torch.float64)
    # The sum of all weights may stay a rounding below 1, never below SHARE.
    holding = (weights.cumsum(1) < SHARE * (1 - 1e-9)).sum(1)
    return HeadReach(to_numpy(mean), to_numpy(holding))
