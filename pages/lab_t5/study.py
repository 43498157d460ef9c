"""The T5 lab: which distances share a bucket, which buckets a training length ever uses, and the bias they give."""

from dataclasses import dataclass
from typing import cast

import numpy as np
import torch

from alibi_viz.content.synthetic import Setting, build_method
from alibi_viz.positions.t5 import T5Bias

HEADS = 8


@dataclass(frozen=True)
class Controls:
    buckets: int
    max_distance: int
    bidirectional: bool
    train_length: int  # tokens
    farthest: int  # largest distance on the chart
    head: int  # 1 .. HEADS
    seed: int


@dataclass(frozen=True)
class Result:
    controls: Controls
    distances: np.ndarray  # int64 [S]: query minus key; below 0: the key comes later
    buckets: np.ndarray  # int64 [S]
    bias: np.ndarray  # float32 [S], at initialization
    trained: np.ndarray  # bool [buckets]: used by a text of the training length
    reachable: np.ndarray  # bool [buckets]: used by some distance, however far
    last_start: int  # distance, back from the query, at which the last bucket begins

    @property
    def untrained(self) -> list[int]:
        """Buckets that some longer text needs and no training text uses."""
        return np.flatnonzero(self.reachable & ~self.trained).tolist()


@torch.no_grad()
def study(controls: Controls) -> Result:
    """All that the lesson shows. Raises ValueError with a sentence for numbers that do not fit together."""
    sides = {"num_buckets": controls.buckets, "bidirectional": controls.bidirectional}
    setting = Setting(heads=HEADS, seed=controls.seed)
    method = cast(T5Bias, build_method("t5", setting, max_distance=controls.max_distance, **sides))

    def within(farthest: int) -> torch.Tensor:
        """All distances up to `farthest`; with both directions, those of later keys too."""
        return torch.arange(-farthest if controls.bidirectional else 0, farthest + 1)

    def used(farthest: int) -> np.ndarray:
        """Which buckets the distances up to `farthest` fall into: bool [buckets]."""
        return torch.bincount(method.bucket(within(farthest)), minlength=controls.buckets).bool().numpy()

    distances = within(controls.farthest)
    buckets, bias = method.bucket(distances).numpy(), method.bias_by_distance(distances)[controls.head - 1].numpy()
    trained, reachable = used(controls.train_length - 1), used(2 * controls.max_distance + 1)
    return Result(controls, distances.numpy(), buckets, bias, trained, reachable, method.last_bucket_start)
