"""What a break comes from: the loss by position, the keys that trained heads look at, and T5's untrained buckets.

Notable choices:
- Loss by position is drawn as means of blocks of neighbouring positions; none has positions on both sides of L.
- Positions in a window count from 1: at position n the model has read n bytes and predicts the next, as in training.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import torch

from alibi_viz.positions.t5 import T5Bias
from alibi_viz.results import measured
from alibi_viz.results.measured import MeasuredRun

TRAIN_LENGTH = measured.shipped()[0].config.length  # L of the shipped runs
CHANGE = 0.2  # nats: a smaller change of the loss counts as none
T5_MAX_DISTANCE, T5_TRAIN_LENGTH = 128, 64  # T5's own, and an invented training that is too short for it
BLOCKS = 64  # points of a loss-by-position line, at most
Course = Literal["jump", "slow", "flat"]  # beyond L: up at L; up later; not up


@dataclass(frozen=True)
class Controls:
    methods: tuple[str, ...]  # with shipped runs, in their order
    window: int  # bytes, for the loss by position and for T5's buckets
    text: bytes  # what the trained heads read; blank: the beginning of the held-out text
    layer: int


@dataclass(frozen=True)
class PositionLoss:
    """Mean loss at the positions of a window, nats per byte, mean of the seeds. Arrays are float64."""

    method: str
    position: np.ndarray  # [blocks] middle of each block, from 1
    loss: np.ndarray  # [blocks]
    before: float  # mean of the second half of L
    after: float  # of as many positions beyond L
    last: float  # of the last quarter of the window
    course: Course  # what the loss does beyond L


@dataclass(frozen=True)
class Result:
    """The losses by position that the controls ask for."""

    controls: Controls
    losses: tuple[PositionLoss, ...]
    missing: tuple[str, ...]  # methods that were not measured at this window

    def most(self) -> PositionLoss:
        """The method whose loss rises most just after L."""
        return max(self.losses, key=lambda loss: loss.after - loss.before)

    def most_at_length(self) -> PositionLoss | None:
        """The same; None if no loss rises there by more than CHANGE."""
        return most if self.losses and (most := self.most()).after - most.before > CHANGE else None

    def least(self) -> PositionLoss:
        """The method whose loss changes least from before L to the last quarter of the window."""
        return min(self.losses, key=lambda loss: abs(loss.last - loss.before))


def study(controls: Controls) -> Result:
    """Loss by position of the chosen methods' shipped runs."""
    found = {method: by_position(measured.shipped(), method, controls.window) for method in controls.methods}
    losses = tuple(loss for loss in found.values() if loss is not None)
    return Result(controls, losses, tuple(method for method, loss in found.items() if loss is None))


def block_size(length: int) -> int:
    """Neighbouring positions in one point of the line."""
    return max(1, length // BLOCKS)


def by_position(runs: Iterable[MeasuredRun], method: str, length: int) -> PositionLoss | None:
    """Loss against the position in nonoverlapping windows; None if it was not measured for every seed."""
    chosen = [run for run in runs if run.config.method == method]
    points = [run.at(length) for run in chosen]
    tables = [point.by_position for point in points if point is not None and point.by_position]
    if not tables or len(tables) < len(chosen):
        return None
    loss = np.array(tables, dtype=np.float64).mean(0)
    train_length, block = chosen[0].config.length, block_size(length)
    half = train_length // 2
    parts = (loss[half:train_length], loss[train_length : train_length + half], loss[-(length // 4) :])
    before, after, last = (float(part.mean()) if len(part) else np.nan for part in parts)
    course: Course = "slow"
    if after - before > CHANGE:
        course = "jump"
    elif last - before <= CHANGE:
        course = "flat"
    position = _block_means(np.arange(1, len(loss) + 1), block)
    return PositionLoss(method, position, _block_means(loss, block), before, after, last, course)


def _block_means(values: np.ndarray, size: int) -> np.ndarray:
    """Means of neighbours, `size` at a time; what is left over at the end is dropped."""
    return values[: len(values) // size * size].reshape(-1, size).mean(1)


def near_share(weights: np.ndarray, nearest: int, train_length: int) -> tuple[float, float]:
    """Weight on the `nearest` keys (the query's own among them), mean over queries: in the second half of L, beyond L.

    weights: [T, T], T above L; -inf where the mask hides a key.
    """
    rows = np.arange(len(weights))
    near = (rows[:, None] - rows < nearest) & np.isfinite(weights)
    share = np.where(near, weights, 0).sum(1)
    return float(share[train_length // 2 : train_length].mean()), float(share[train_length:].mean())


@dataclass(frozen=True)
class Buckets:
    """T5's table, and what training at one length leaves of it untouched. Arrays are [buckets]."""

    train_length: int
    max_distance: int
    last_start: int  # distance at which the last bucket begins
    trained: np.ndarray  # bool: some distance below `train_length` falls into it
    nearest: np.ndarray  # int64: the smallest distance of the test in it, -1: none
    share: np.ndarray  # float64: of all query-key pairs of a test window

    @property
    def state(self) -> np.ndarray:
        """[buckets] "trained"; "untrained": used by the test alone; or "unused" by both."""
        return np.where(self.trained, "trained", np.where(self.share > 0, "untrained", "unused"))

    @property
    def untrained(self) -> np.ndarray:
        """Buckets that the test uses and training never touched."""
        return np.flatnonzero(self.state == "untrained")


@lru_cache(maxsize=16)
def buckets(train_length: int, max_distance: int, tested: int) -> Buckets:
    """Which of T5's buckets a training at `train_length` tokens touches, and which a test at `tested` tokens uses."""
    method = T5Bias(heads=8, head_dim=8, width=64, max_distance=max_distance)
    bucket, count = method.bucket(torch.arange(tested)).numpy(), method.num_buckets  # [distances]
    pairs = np.bincount(bucket, weights=tested - np.arange(tested), minlength=count)
    nearest, (used, first) = np.full(count, -1), np.unique(bucket, return_index=True)
    nearest[used] = first
    trained = np.array(method.used_buckets(train_length))
    return Buckets(train_length, max_distance, method.last_bucket_start, trained, nearest, share=pairs / pairs.sum())


def t5_max_distance(train_length: int) -> int:
    """T5's largest distance in a model that is trained at this length."""
    return int(T5Bias.training_options(train_length)["max_distance"])
