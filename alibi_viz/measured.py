"""Measured runs, shipped and the reader's own, in one form, and their curves: the mean and the spread of the seeds.

Notable choices:
- A curve joins runs that differ in the seed alone, on the same text. Shipped and own runs never share a curve.
- A length counts in a curve only if every seed of it was measured there: else the line would jump where a seed ends.
- A measurement that cannot be made (a learned table ends) is kept with its reason. It is never drawn as a number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
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
NEWEST = 200  # runs of the reader
PROTOCOLS: tuple[Protocol, ...] = ("nonoverlapping", "sliding")


@dataclass(frozen=True)
class Point:
    """One measurement of a run: perplexity per byte, or None and the reason why there is none."""

    length: int  # window, bytes
    stride: int  # bytes; equal to length: nonoverlapping
    perplexity: float | None
    reason: str = ""
    predictions: int = 0
    by_position: tuple[float | None, ...] = ()  # mean loss at each place of the window, nats; empty where not kept


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
        wanted = [point for point in self.points if (point.stride == point.length) == (protocol == "nonoverlapping")]
        return tuple(sorted(wanted, key=lambda point: point.length))

    def at(self, length: int, protocol: Protocol = "nonoverlapping") -> Point | None:
        """The measurement at one length, if there is one."""
        return next((point for point in self.of(protocol) if point.length == length), None)


@dataclass(frozen=True)
class Curve:
    """Perplexity against window length. Arrays are float64 [lengths]; `config` has seed 0, `seeds` says which went in."""

    config: TrainConfig
    origin: Origin
    seeds: tuple[int, ...]
    lengths: np.ndarray
    per_seed: np.ndarray  # [lengths, seeds], seeds as in `seeds`
    missing: Mapping[int, str]  # length -> why it could not be measured
    corpus: str = ""  # SHA-256 of the text

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
        found = np.flatnonzero(self.lengths == length)
        return float(self.mean[found[0]]) if len(found) else None

    @property
    def ratio(self) -> np.ndarray | None:
        """The mean divided by its value at the training length; None if that was not measured."""
        base = self.at(self.config.length)
        return self.mean / base if base else None


@lru_cache(maxsize=2)
def shipped(*, recall: bool = False) -> tuple[Measured, ...]:
    """Every shipped language model, or every shipped model of the recall task, method by method."""
    return tuple(_from_shipped(run) for run in pretrained.load_all(recall=recall))


def _from_shipped(run: Mapping[str, Any]) -> Measured:
    return Measured(
        config=TrainConfig.from_dict(run["config"]),
        origin="shipped",
        corpus=run["corpus"]["sha256"],
        points=_points((*run.get("nonoverlapping", ()), *run.get("sliding", ()))),
        recall=_recall(run.get("recall", ())),
        losses=tuple(run["losses"]),
        seconds=run["training_seconds"],
    )


def own(store: RunStore | None = None) -> tuple[Measured, ...]:
    """The reader's finished runs, newest first; of more than NEWEST, the newest."""
    finished = (run for run in (store or RunStore()).runs() if run.status == "finished")
    return tuple(from_run(run) for run in islice(finished, NEWEST))


def from_run(run: Run) -> Measured:
    """A run of the store in the common form; half-finished ones have the measurements made so far."""
    points, recall = _points(run.evaluations), _recall(run.recall)
    return Measured(run.config, "own", run.corpus, points, recall, run.losses, run.seconds)


def _recall(found: Iterable[Mapping[str, Any]]) -> tuple[tuple[int, float | None], ...]:
    return tuple((int(one["length"]), one.get("accuracy")) for one in found)


def _points(found: Iterable[Mapping[str, Any]]) -> tuple[Point, ...]:
    return tuple(
        Point(
            one["length"],
            one["stride"],
            one.get("perplexity"),
            one.get("missing", ""),
            one.get("predictions", 0),
            tuple(one.get("by_position", ())),
        )
        for one in found
    )


def curves(runs: Iterable[Measured], protocol: Protocol = "nonoverlapping") -> tuple[Curve, ...]:
    """One curve for each configuration and text, in the order in which they first appear. Recall runs have none."""
    groups: dict[tuple[Origin, str, TrainConfig], list[Measured]] = {}
    for run in runs:
        if not run.config.is_recall:
            groups.setdefault((run.origin, run.corpus, replace(run.config, seed=0)), []).append(run)
    made = (_curve(config, origin, group, protocol) for (origin, _, config), group in groups.items())
    return tuple(curve for curve in made if len(curve.lengths) or curve.missing)


def _curve(config: TrainConfig, origin: Origin, group: list[Measured], protocol: Protocol) -> Curve:
    found: dict[int, list[float]] = {}
    missing: dict[int, str] = {}
    group = sorted(group, key=lambda run: run.config.seed)
    for run in group:
        for point in {point.length: point for point in run.of(protocol)}.values():  # a length counts once
            if point.perplexity is not None and math.isfinite(point.perplexity):
                found.setdefault(point.length, []).append(point.perplexity)
            elif point.reason:
                missing[point.length] = point.reason
    whole = sorted(length for length, values in found.items() if len(values) == len(group))
    table = np.array([found[length] for length in whole], dtype=np.float64).reshape(len(whole), len(group))
    seeds = tuple(run.config.seed for run in group)
    return Curve(config, origin, seeds, np.array(whole), table, missing, group[0].corpus)


def ranked(found: Iterable[Curve]) -> list[tuple[str, float]]:
    """(method, perplexity at L), best first."""
    pairs = [(one.config.method, one.at(one.config.length)) for one in found]
    return sorted(((method, value) for method, value in pairs if value is not None), key=lambda pair: pair[1])


@dataclass(frozen=True)
class RecallCurve:
    """Share of right answers against distance, of runs that differ in the seed alone. Arrays are [distances]."""

    config: TrainConfig  # of seed 0
    origin: Origin
    seeds: tuple[int, ...]
    distances: np.ndarray  # bytes, key to question
    mean: np.ndarray
    low: np.ndarray  # the smallest of the seeds
    high: np.ndarray

    def at(self, distance: int) -> float | None:
        """The mean at one distance, or None."""
        found = np.flatnonzero(self.distances == distance)
        return float(self.mean[found[0]]) if len(found) else None


def recall_curves(runs: Iterable[Measured]) -> tuple[RecallCurve, ...]:
    """One curve for each configuration. A distance counts only if every seed was measured there."""
    groups: dict[tuple[Origin, TrainConfig], list[Measured]] = {}
    for run in runs:
        if run.config.is_recall and run.recall:
            groups.setdefault((run.origin, replace(run.config, seed=0)), []).append(run)
    return tuple(_recall_curve(config, origin, group) for (origin, config), group in groups.items())


def _recall_curve(config: TrainConfig, origin: Origin, group: Sequence[Measured]) -> RecallCurve:
    each = [{distance: share for distance, share in run.recall if share is not None} for run in group]
    distances = sorted(set(each[0]).intersection(*each))
    table = np.array([[shares[distance] for shares in each] for distance in distances]).reshape(-1, len(each))
    seeds = tuple(sorted(run.config.seed for run in group))
    return RecallCurve(config, origin, seeds, np.array(distances), table.mean(1), table.min(1), table.max(1))
