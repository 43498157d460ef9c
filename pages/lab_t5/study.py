"""The T5 lab: which distances share a bucket, which buckets a training length ever touches, and the bias they give."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from alibi_viz.positions.t5 import T5Bias, relative_position_bucket
from alibi_viz.synthetic import Setting, built

HEADS = 8


@dataclass(frozen=True)
class Controls:
    buckets: int
    farthest: int  # max_distance
    bidirectional: bool
    trained: int  # tokens
    shown: int  # largest distance on the chart
    head: int  # 1 .. HEADS
    seed: int


@dataclass(frozen=True)
class Result:
    distances: np.ndarray  # int64 [S]: query minus key; below 0: the key comes later
    buckets: np.ndarray  # int64 [S]
    touched: np.ndarray  # bool [buckets]: met at least once in a text of the training length
    bias: np.ndarray  # float32 [S], fresh
    reachable: np.ndarray  # bool [buckets]: some distance falls into it, however far

    @property
    def untrained(self) -> list[int]:
        """Buckets that some longer text needs and no training text met."""
        return [int(b) for b in np.flatnonzero(self.reachable & ~self.touched)]


def study(controls: Controls) -> Result:
    """All that the page shows. Raises ValueError with a sentence for numbers that do not fit together."""
    method = built(
        "t5",
        Setting(heads=HEADS, seed=controls.seed),
        num_buckets=controls.buckets,
        max_distance=controls.farthest,
        bidirectional=controls.bidirectional,
    )
    assert isinstance(method, T5Bias)
    first = -controls.shown if controls.bidirectional else 0
    distances = torch.arange(first, controls.shown + 1)
    with torch.no_grad():
        bias = method.bias_by_distance(distances)[controls.head - 1]
    return Result(
        distances.numpy(),
        _bucket(distances, controls).numpy(),
        _met(controls.trained, controls),
        bias.numpy(),
        _met(2 * controls.farthest + 2, controls),
    )


def _bucket(distances: torch.Tensor, controls: Controls) -> torch.Tensor:
    return relative_position_bucket(-distances, controls.bidirectional, controls.buckets, controls.farthest)


def _met(length: int, controls: Controls) -> np.ndarray:
    """Which buckets a text of `length` tokens meets: bool [buckets]."""
    first = 1 - length if controls.bidirectional else 0
    met = np.zeros(controls.buckets, dtype=bool)
    met[_bucket(torch.arange(first, length), controls).unique().numpy()] = True
    return met
