"""Measured runs, shipped and the reader's own, in one form, and their curves: the mean and the spread of the seeds.

Notable choices:
- A curve joins runs that differ in the seed alone, on the same text. Shipped and own runs never share a curve.
- A length counts in a curve only if every seed was measured there: else the line would jump where one seed ends.
- A measurement that cannot be made (a learned table ends) stands with its reason, and is never drawn as a number.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np

from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import Run
from alibi_viz.results import pretrained

Origin = Literal["shipped", "own"]
Protocol = Literal["nonoverlapping", "sliding"]
RecallShare = Literal["right", "wrong_key", "nearest"]
PROTOCOLS: tuple[Protocol, ...] = ("nonoverlapping", "sliding")
WORSE = 0.1  # nats per word above its own loss at L: a method broke; perplexity per word is then about 10 % higher
RECALLED = 0.9  # share of right answers that counts as success in the recall task


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
class RecallPoint:
    """One measurement of the recall task, as `evaluation.Recall`; None where there is no number."""

    distance: int
    pairs: int
    right: float | None = None
    wrong_key: float | None = None
    nearest: float | None = None


@dataclass(frozen=True)
class MeasuredRun:
    """One finished run."""

    config: TrainConfig
    origin: Origin
    corpus: str  # SHA-256 of the text; empty for recall
    points: tuple[Point, ...]
    recall: tuple[RecallPoint, ...] = ()
    bytes_per_word: float | None = None  # of the held-out text; None: that text is not on this machine
    contexts: tuple[tuple[int, float], ...] = ()  # (bytes of context, loss in nats per byte); shipped runs only
    losses: tuple[float, ...] = ()  # of training, nats per byte: means of as many steps each; shipped runs only

    def of(self, protocol: Protocol) -> tuple[Point, ...]:
        """The measurements of one protocol, shortest window first."""
        chosen = [point for point in self.points if (point.stride == point.length) == (protocol == "nonoverlapping")]
        return tuple(sorted(chosen, key=lambda point: point.length))

    def at(self, length: int, protocol: Protocol = "nonoverlapping") -> Point | None:
        """The measurement at one length, if there is one."""
        return next((point for point in self.of(protocol) if point.length == length), None)


@dataclass(frozen=True)
class RunCurve:
    """Perplexity by window length, or a share of recall's answers by distance, of runs that differ in the seed alone.

    Arrays are [lengths]; mean, low and high are those of the seeds.
    """

    config: TrainConfig  # with seed 0
    origin: Origin
    corpus: str  # SHA-256 of the text; empty for recall
    seeds: tuple[int, ...]
    lengths: np.ndarray  # int64, bytes; of recall: distances from the key to the question
    per_seed: np.ndarray  # float64 [lengths, seeds], seeds as in `seeds`
    missing: Mapping[int, str]  # length -> why it could not be measured
    bytes_per_word: float | None = None  # as in MeasuredRun

    @cached_property
    def mean(self) -> np.ndarray:
        return self.per_seed.mean(1)

    @cached_property
    def low(self) -> np.ndarray:
        return self.per_seed.min(1)

    @cached_property
    def high(self) -> np.ndarray:
        return self.per_seed.max(1)

    @property
    def distances(self) -> np.ndarray:
        """What the lengths are in the recall task."""
        return self.lengths

    @cached_property
    def rise(self) -> np.ndarray | None:
        """float64 [lengths, seeds]: loss above that of the same seed at L, nats per word; None if it is not known.

        A ratio of perplexities per byte is not one per word: that is its power, to the bytes in a word.
        Differences of the loss in one unit can be compared, with the paper's too.
        """
        at_length = np.flatnonzero(self.lengths == self.config.length)
        if self.bytes_per_word is None or not len(at_length):
            return None
        losses = np.log(self.per_seed)
        return (losses - losses[at_length[0]]) * self.bytes_per_word

    def rise_at(self, length: float) -> float:
        """Mean of `rise` at one length; NaN where it is not known."""
        index = np.flatnonzero(self.lengths == length)
        return float("nan") if self.rise is None or not len(index) else float(self.rise[index[0]].mean())

    def at(self, length: int) -> float | None:
        """The mean at one length, or None."""
        index = np.flatnonzero(self.lengths == length)
        return float(self.mean[index[0]]) if len(index) else None


@lru_cache(maxsize=len(pretrained.KINDS))
def shipped(kind: pretrained.Kind = "text") -> tuple[MeasuredRun, ...]:
    """Every shipped model of one set, method by method."""
    runs = []
    for record in pretrained.load_all(kind):
        config, corpus = TrainConfig.from_dict(record["config"]), record["corpus"]["sha256"]
        evaluations = (*record.get("nonoverlapping", ()), *record.get("sliding", ()))
        run = Run(config, corpus, evaluations=evaluations, recall=record.get("recall", ()))
        facts: dict[str, Any] = {"bytes_per_word": record["corpus"].get("bytes_per_word")}
        contexts = tuple((entry["context"], entry["loss"]) for entry in record.get("contexts", ()))
        facts["losses"] = tuple(record.get("losses", ()))
        runs.append(replace(from_run(run, "shipped"), **facts, contexts=contexts))
    return tuple(runs)


@lru_cache(maxsize=32)  # the shipped runs are 2 MB of text
def hidden(method: str, length: int) -> Mapping[int, float]:
    """By the distance beyond which keys are hidden (`length`: none is): loss of the first seed in windows of `length`, in
    nats per byte, on a sample of the held-out text."""
    record = pretrained.load(method, pretrained.SEEDS[0]) or {}
    return {entry["window"]: entry["loss"] for entry in record.get("windows", ()) if entry["length"] == length}


def from_run(run: Run, origin: Origin = "own") -> MeasuredRun:
    """A run in the common form; an unfinished one has the measurements made so far."""
    points = tuple(
        Point(
            length=entry["length"],
            stride=entry["stride"],
            perplexity=entry.get("perplexity"),
            reason=entry.get("missing", ""),
            predictions=entry.get("predictions", 0),
            by_position=tuple(entry.get("by_position", ())),
        )
        for entry in run.evaluations
    )
    recall = tuple(
        RecallPoint(
            distance=entry["length"],
            pairs=entry["pairs"],
            right=entry.get("accuracy"),
            wrong_key=entry.get("wrong_key"),
            nearest=entry.get("nearest"),
        )
        for entry in run.recall
    )
    return MeasuredRun(run.config, origin, run.corpus, points, recall)


def curves(runs: Iterable[MeasuredRun], protocol: Protocol = "nonoverlapping") -> tuple[RunCurve, ...]:
    """One curve for each configuration and text, in the order in which they first appear. Recall runs have none."""
    every = []
    for group in _by_configuration(run for run in runs if not run.config.is_recall):
        points = [run.of(protocol) for run in group]
        values = [{point.length: point.perplexity for point in of_run} for of_run in points]
        missing = {point.length: point.reason for of_run in points for point in of_run if point.reason}
        every.append(_curve(group, values, missing))
    return tuple(curve for curve in every if len(curve.lengths) or curve.missing)


def recall_curves(
    runs: Iterable[MeasuredRun], share: RecallShare = "right", *, pairs: int | None = None
) -> tuple[RunCurve, ...]:
    """One curve for each configuration of the recall task, asked with so many pairs; None: as many as in training."""
    every = []
    for group in _by_configuration(run for run in runs if run.config.is_recall):
        count = pairs or group[0].config.pairs
        points = [[point for point in run.recall if point.pairs == count] for run in group]
        if all(points):
            values = [{point.distance: getattr(point, share) for point in of_run} for of_run in points]
            every.append(_curve(group, values, {}))
    return tuple(every)


def learned(right: Sequence[RunCurve], wrong_key: Sequence[RunCurve]) -> list[RunCurve]:
    """The curves of right answers that recall at every trained distance."""
    found = []
    for answers, control in zip(right, wrong_key, strict=True):
        trained = answers.distances < answers.config.length
        if trained.any() and recalls(answers, control)[trained].all():
            found.append(answers)
    return found


def recalls(answers: RunCurve, control: RunCurve) -> np.ndarray:
    """At which distances every seed is right, and not with the same digit when another key is asked: bool [distances]."""
    return (answers.low >= RECALLED) & (control.high <= 1 - RECALLED)


def _by_configuration(runs: Iterable[MeasuredRun]) -> list[list[MeasuredRun]]:
    """Runs that differ in the seed alone, in the order of their seeds."""
    groups: dict[Hashable, list[MeasuredRun]] = {}
    for run in runs:
        groups.setdefault((run.origin, run.corpus, replace(run.config, seed=0)), []).append(run)
    return [sorted(group, key=lambda run: run.config.seed) for group in groups.values()]


def _curve(
    group: Sequence[MeasuredRun], values: Sequence[Mapping[int, float | None]], missing: Mapping[int, str]
) -> RunCurve:
    """values: length -> number, of each run. Only lengths at which all runs have one are in the curve."""
    finite = [{length: y for length, y in of_run.items() if y is not None and math.isfinite(y)} for of_run in values]
    lengths = sorted(set(finite[0]).intersection(*finite))
    per_seed = np.array([[of_run[length] for of_run in finite] for length in lengths], dtype=np.float64)
    first, seeds = group[0], tuple(run.config.seed for run in group)
    arrays = (np.array(lengths), per_seed.reshape(len(lengths), len(group)))
    return RunCurve(
        replace(first.config, seed=0), first.origin, first.corpus, seeds, *arrays, missing, first.bytes_per_word
    )


def ranked(of_methods: Iterable[RunCurve]) -> list[tuple[str, float]]:
    """(method, perplexity at L), best first."""
    pairs = [(curve.config.method, curve.at(curve.config.length)) for curve in of_methods]
    return sorted(((method, value) for method, value in pairs if value is not None), key=lambda pair: pair[1])
