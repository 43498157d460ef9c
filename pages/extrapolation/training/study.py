"""What the page shows of runs while they are trained: from the queue's words to numbers and curves.

Notable choices:
- Losses of single steps jump from batch to batch, so a point of the curve is the mean of a few neighbouring steps; the
  number of steps in a point is told.
- While a run is trained, a sample of the held-out text is measured now and then at 1, 2 and 4 L. The finished model is
  measured on all of it, at more lengths, and those numbers then take the sample's place.
- For recall the same places hold the share of right answers, and lengths are distances.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np

from alibi_viz.jobs import Plan, Progress, window
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import Corpus
from alibi_viz.lm.runs import Status

POINTS = 120  # of a loss curve
HELD_OUT = 65_536  # bytes: all of the built-in held-out text, and as much of a reader's own


def _none() -> np.ndarray:
    return np.zeros(0)


@dataclass(frozen=True)
class Shown:
    """One run as it stands. `status` is "new" where nothing has been trained yet."""

    config: TrainConfig
    status: Status | str
    step: int = 0
    place: int | None = None  # 0: a worker has it; else turns before its own; None: it does not wait
    tokens_per_second: float | None = None
    seconds_left: float | None = None  # of training
    seconds: float = 0.0  # spent in training
    measured: int = 0  # measurements made of the finished model
    measurements: int = 0  # of how many
    losses: tuple[float, ...] = ()  # of every training step, nats per byte
    lengths: np.ndarray = field(default_factory=_none)  # [lengths] windows in bytes; recall: distances
    values: np.ndarray = field(default_factory=_none)  # [lengths] perplexity per byte; recall: share of right answers
    final: bool = False  # whether `values` are of the finished model
    ends: bool = False  # whether some length could not be measured: a learned table ends
    error: str = ""

    @property
    def going(self) -> bool:
        return self.status in ("waiting", "running")

    @property
    def training(self) -> bool:
        """Whether steps are still to be made; else the finished model is being measured."""
        return self.step < self.config.steps

    @cached_property
    def curve(self) -> tuple[np.ndarray, np.ndarray]:
        """Steps and losses as they are drawn: see `smoothed`."""
        return smoothed(self.losses)

    def at(self, times: float) -> float | None:
        """The value at so many training lengths, if it is known; for recall: so many farthest trained distances."""
        found = np.flatnonzero(self.lengths == window(self.config, times))
        return float(self.values[found[0]]) if len(found) else None


@lru_cache(maxsize=8)
def bigram(corpus: Corpus) -> float:
    """Perplexity per byte of a model that knows only which byte follows which, counted on the training text.

    What a run must beat before its positions can matter. A hundredth is added to every count, so that no pair is
    impossible; measured on at most HELD_OUT bytes.
    """
    train, test = (np.frombuffer(part, np.uint8) for part in (corpus.train, corpus.held_out[:HELD_OUT]))
    counts = np.bincount(train[:-1].astype(np.int64) * 256 + train[1:], minlength=256 * 256).reshape(256, 256) + 0.01
    chances = counts / counts.sum(1, keepdims=True)
    return float(np.exp(-np.log(chances[test[:-1], test[1:]]).mean()))


def plan_for(steps: int) -> Plan:
    """What is measured of a run of so many steps: about ten samples on the way, and in the end what shipped runs have."""
    return Plan(held_out=HELD_OUT, sample_every=max(25, steps // 10))


def shown(config: TrainConfig, progress: Progress | None) -> Shown:
    """One run of the page."""
    if progress is None:
        return Shown(config, "new")
    run, plan = progress.run, plan_for(config.steps)
    final = run.recall if config.is_recall else [e for e in run.evaluations if e["stride"] == e["length"]]
    newest = max((one["step"] for one in run.on_the_way), default=0)
    on_the_way = [one for one in run.on_the_way if one["step"] == newest]
    found = list(final) if len(final) >= len(on_the_way) and final else on_the_way
    pairs = sorted(_pairs(found))
    pace = progress.steps_per_second
    return Shown(
        config,
        run.status,
        run.step,
        progress.place,
        pace * config.batch * config.length if pace else None,
        progress.seconds_left,
        run.seconds,
        len(run.evaluations) + len(run.recall),
        len(plan.windows(config)),
        run.losses,
        np.array([length for length, _ in pairs], dtype=np.float64),
        np.array([value for _, value in pairs], dtype=np.float64),
        bool(final) and found == list(final),
        any("missing" in one for one in found),
        run.error,
    )


def _pairs(found: Iterable[dict[str, object]]) -> Iterable[tuple[float, float]]:
    """(length, value) of what could be measured."""
    for one in found:
        value = one.get("perplexity", one.get("accuracy"))
        if isinstance(value, int | float) and math.isfinite(value):
            yield float(str(one["length"])), float(value)


def smoothed(losses: Iterable[float], points: int = POINTS) -> tuple[np.ndarray, np.ndarray]:
    """At most `points` means of neighbouring losses, and the last step of each: float64 arrays of equal length."""
    values = np.asarray(list(losses), dtype=np.float64)
    size = max(1, math.ceil(len(values) / points))
    whole = len(values) // size * size
    means = values[:whole].reshape(-1, size).mean(1)
    steps = np.arange(1, len(means) + 1) * size
    if whole < len(values):
        means, steps = np.append(means, values[whole:].mean()), np.append(steps, len(values))
    return steps.astype(np.float64), means
