"""T5 bias: which distances share a bucket, and which buckets a training length ever uses."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch

from alibi_viz.positions.t5 import T5Bias


@dataclass(frozen=True)
class Controls:
    train_length: int  # tokens
    buckets: int
    max_distance: int
    bidirectional: bool
    farthest: int  # largest distance on the chart


@dataclass(frozen=True)
class Result:
    distances: np.ndarray  # int64 [S]: query minus key; below 0: the key comes later
    buckets: np.ndarray  # int64 [S]
    trained: np.ndarray  # bool [buckets]: used by a text of the training length
    untrained: list[int]  # buckets that some longer text uses, and no training text
    last_start: int  # distance, back from the query, at which the last bucket begins


@lru_cache(maxsize=64)
def compute(controls: Controls) -> Result:
    """The bucket of every distance. Raises ValueError with a sentence for numbers that do not fit together."""
    farthest, is_encoder = controls.max_distance, controls.bidirectional
    t5 = T5Bias(1, 1, 1, num_buckets=controls.buckets, max_distance=farthest, bidirectional=is_encoder)

    def within(farthest: int) -> torch.Tensor:
        """All distances up to `farthest`; with both directions, those of later keys too."""
        return torch.arange(-farthest if is_encoder else 0, farthest + 1)

    def used(farthest: int) -> np.ndarray:
        """Which buckets the distances up to `farthest` fall into: bool [buckets]."""
        return torch.bincount(t5.bucket(within(farthest)), minlength=controls.buckets).bool().numpy()

    distances, trained = within(controls.farthest), used(controls.train_length - 1)
    untrained = np.flatnonzero(used(2 * controls.max_distance + 1) & ~trained).tolist()
    return Result(distances.numpy(), t5.bucket(distances).numpy(), trained, untrained, t5.last_bucket_start)
