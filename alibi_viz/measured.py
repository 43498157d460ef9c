"""Measured runs, shipped and the reader's own, in one form, and their curves: the mean and the spread of the seeds.

Notable choices:
- A curve joins runs that differ in the seed alone, on the same text. Shipped and own runs never share a curve.
- A length counts in a curve only if every seed was measured there: else the line would jump where one seed ends.
- A measurement that cannot be made (a learned table ends) stands with its reason, and is never drawn as a number.
"""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any, Literal

import numpy as np

from alibi_viz import pretrained
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import Run, RunStore

Origin = Literal["shipped", "own"]
Protocol = Literal["nonoverlapping", "sliding"]
PROTOCOLS: tuple[Protocol, ...] = ("nonoverlapping", "sliding")
NEWEST = 200  # own runs that are read, at most


@dataclass(frozen=True)
class Point:
    """One measurement of a run: perplexity per byte, or None and the reason why there is none."""

    length: int  # window, bytes
    stride: int  # bytes; equal to length: nonoverlapping
    perplexity: float | None
    reason: str = ""
    predictions: int = 0
    by_position: tuple[float | None, ...] = ()  # mean loss at each position of the window, nats; empty if not stored


@dataclass(frozen=True)
class Measured:
    """One finished run."""

    config: TrainConfig
    origin: Origin
    corpus: str  # SHA-256 of the text; empty for recall
    points: tuple[Point, ...]
    recall: tuple[tuple[int, float | None], ...] = ()  # (distance, share of right answers)
    losses: tuple[float, ...] = ()  # of every training step, nats per byte
    seconds: float = 0.0  # of training

    def of(self, protocol: Protocol) -> tuple[Point, ...]:
        """The measurements of one protocol, shortest window first."""
        chosen = [point for point in self.points if (point.stride == point.length) == (protocol == "nonoverlapping")]
        return tuple(sorted(chosen, key=lambda point: point.length))

    def at(self, length: int, protocol: Protocol = "nonoverlapping") -> Point | None:
        """The measurement at one length, if there is one."""
        return next((point for point in self.of(protocol) if point.length == length), None)


@dataclass(frozen=True)
class _SeedCurve:
    """What runs that differ in the seed alone gave. Arrays are [lengths]; `config` is that of seed 0."""

    config: TrainConfig
    origin: Origin
    corpus: str  # SHA-256 of the text; empty for recall
    seeds: tuple[int, ...]
    lengths: np.ndarray  # int64, bytes
    per_seed: np.ndarray  # float64 [lengths, seeds], seeds as in `seeds`

    @cached_property
    def mean(self) -> np.ndarray:
        return self.per_seed.mean(1)

    @cached_property
    def low(self) -> np.ndarray:
        """The smallest of the seeds."""
        return self.per_seed.min(1)

    @cached_property
    def high(self) -> np.ndarray:
        """The largest of the seeds."""
        return self.per_seed.max(1)

    def at(self, length: int) -> float | None:
        """The mean at one length, or None."""
        index = np.flatnonzero(self.lengths == length)
        return float(self.mean[index[0]]) if len(index) else None


@dataclass(frozen=True)
class Curve(_SeedCurve):
    """Perplexity against window length."""

    missing: Mapping[int, str]  # length -> why it could not be measured

    @property
    def ratio(self) -> np.ndarray | None:
        """The mean divided by its value at the training length; None if that was not measured."""
        base = self.at(self.config.length)
        return self.mean / base if base else None


class RecallCurve(_SeedCurve):
    """Share of right answers against distance, in bytes from the key to the question."""

    @property
    def distances(self) -> np.ndarray:
        return self.lengths


@lru_cache(maxsize=2)
def shipped(*, recall: bool = False) -> tuple[Measured, ...]:
    """Every shipped language model, or every shipped model of the recall task, method by method."""
    return tuple(_from_shipped(run) for run in pretrained.load_all(recall=recall))


def _from_shipped(run: Mapping[str, Any]) -> Measured:
    config, corpus = TrainConfig.from_dict(run["config"]), run["corpus"]["sha256"]
    points, recall = _points((*run.get("nonoverlapping", ()), *run.get("sliding", ()))), _recall(run.get("recall", ()))
    return Measured(config, "shipped", corpus, points, recall, tuple(run["losses"]), run["training_seconds"])


def own(store: RunStore | None = None) -> tuple[Measured, ...]:
    """The reader's finished runs, newest first; of more than NEWEST, the newest."""
    finished = (run for run in (store or RunStore()).runs() if run.status == "finished")
    return tuple(from_run(run) for run in islice(finished, NEWEST))


def from_run(run: Run) -> Measured:
    """A run of the store in the common form; an unfinished one has the measurements made so far."""
    points, recall = _points(run.evaluations), _recall(run.recall)
    return Measured(run.config, "own", run.corpus, points, recall, run.losses, run.seconds)


def _recall(records: Iterable[Mapping[str, Any]]) -> tuple[tuple[int, float | None], ...]:
    return tuple((int(record["length"]), record.get("accuracy")) for record in records)


def _points(records: Iterable[Mapping[str, Any]]) -> tuple[Point, ...]:
    return tuple(
        Point(
            length=record["length"],
            stride=record["stride"],
            perplexity=record.get("perplexity"),
            reason=record.get("missing", ""),
            predictions=record.get("predictions", 0),
            by_position=tuple(record.get("by_position", ())),
        )
        for record in records
    )


def curves(runs: Iterable[Measured], protocol: Protocol = "nonoverlapping") -> tuple[Curve, ...]:
    """One curve for each configuration and text, in the order in which they first appear. Recall runs have none."""
    groups = _by_configuration(run for run in runs if not run.config.is_recall)
    every = (_curve(group, protocol) for group in groups)
    return tuple(curve for curve in every if len(curve.lengths) or curve.missing)


def recall_curves(runs: Iterable[Measured]) -> tuple[RecallCurve, ...]:
    """One curve for each configuration of the recall task."""
    groups = _by_configuration(run for run in runs if run.config.is_recall and run.recall)
    shares = [[{at: share for at, share in run.recall if share is not None} for run in group] for group in groups]
    return tuple(RecallCurve(*_joined(group, values)) for group, values in zip(groups, shares, strict=True))


def _by_configuration(runs: Iterable[Measured]) -> list[list[Measured]]:
    """Runs that differ in the seed alone, in the order of their seeds."""
    groups: dict[Hashable, list[Measured]] = {}
    for run in runs:
        groups.setdefault((run.origin, run.corpus, replace(run.config, seed=0)), []).append(run)
    return [sorted(group, key=lambda run: run.config.seed) for group in groups.values()]


def _curve(group: Sequence[Measured], protocol: Protocol) -> Curve:
    points = [run.of(protocol) for run in group]
    missing = {point.length: point.reason for of_run in points for point in of_run if not _has_number(point)}
    values = [{point.length: point.perplexity for point in of_run if _has_number(point)} for of_run in points]
    return Curve(*_joined(group, values), missing={length: reason for length, reason in missing.items() if reason})


def _has_number(point: Point) -> bool:
    return point.perplexity is not None and math.isfinite(point.perplexity)


def _joined(
    group: Sequence[Measured], values: Sequence[Mapping[int, float | None]]
) -> tuple[TrainConfig, Origin, str, tuple[int, ...], np.ndarray, np.ndarray]:
    """The fields of a _SeedCurve. values: one mapping a run, length -> number; only lengths that all runs have count."""
    first, seeds = group[0], tuple(run.config.seed for run in group)
    lengths = sorted(set(values[0]).intersection(*values))
    table = np.array([[of_run[length] for of_run in values] for length in lengths], dtype=np.float64)
    config = replace(first.config, seed=0)
    return config, first.origin, first.corpus, seeds, np.array(lengths), table.reshape(len(lengths), len(group))


def ranked(of_methods: Iterable[Curve]) -> list[tuple[str, float]]:
    """(method, perplexity at L), best first."""
    pairs = [(curve.config.method, curve.at(curve.config.length)) for curve in of_methods]
    return sorted(((method, value) for method, value in pairs if value is not None), key=lambda pair: pair[1])
