"""More experiments with the shipped models: other numbers of steps, other training lengths, and positions stretched.

Notable choices:
- Runs of fewer or more steps are whole trainings with a schedule of their own, not points on the way of a longer one.
- All runs of the training lengths read the same number of bytes, in batches of the same size.
- A method is stretched by its own `longer_options`: no weight changes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import exp
from typing import Any

import numpy as np

from alibi_viz.charts.lines import Line
from alibi_viz.lm.corpus import python_docs
from alibi_viz.lm.ngram import ngram_loss
from alibi_viz.positions import METHODS
from alibi_viz.results import measured, pretrained, published
from alibi_viz.results.measured import MeasuredRun, RunCurve

ORDER = 4  # of the n-gram model: three bytes of context
COMPARED = ("alibi", "sinusoidal")  # trained at several lengths
MOVED = 3  # ranks: a move that is named
PAPER_TABLE = "table5_alibi_train_by_eval"
PAPER_ROWS = (64, 128, 256, 512, 1024, 3072)  # training lengths of ALiBi in the paper's Table 5 that are drawn


@lru_cache(maxsize=1)
def ngram() -> float:
    """Perplexity per byte of the n-gram model on the held-out text."""
    corpus = python_docs()
    return exp(ngram_loss(corpus.train, corpus.held_out, ORDER))


@dataclass(frozen=True)
class Steps:
    """Perplexity at L against the steps of training, first seed."""

    lines: tuple[Line, ...]
    order: tuple[tuple[str, ...], ...]  # for each number of steps: the methods, best first
    swapped: tuple[tuple[str, str], ...]  # pairs whose order differs between the last two numbers of steps
    distinct: tuple[tuple[str, str], ...]  # those of them that every seed of the shipped runs orders alike
    moved: tuple[tuple[str, int, int], ...]  # methods that moved by MOVED ranks or more; their ranks, counted from 1
    worse: tuple[str, ...]  # methods whose perplexity rises between these two
    span: tuple[float, float]  # least and largest perplexity at the end of all that beat the n-gram model
    beaten: tuple[str, ...]  # methods that are not better than the n-gram model at the end

    @property
    def counts(self) -> list[int]:
        """Numbers of steps."""
        return [int(count) for count in self.lines[0].x]


@lru_cache(maxsize=1)
def steps() -> Steps:
    """The shipped runs of other numbers of steps, and the full ones of the same seed."""
    first = pretrained.SEEDS[0]
    runs = [run for kind in ("steps", "text") for run in measured.shipped(kind) if run.config.seed == first]
    lines = []
    for method in pretrained.METHODS:
        of_method = {run.config.steps: _at_train_length(run) for run in runs if run.config.method == method}
        x, y = np.array(sorted(of_method.items()), dtype=np.float64).T
        lines.append(Line(method, METHODS[method].title, x, y))
    columns = np.array([line.y for line in lines])  # [methods, numbers of steps]
    orders = tuple(tuple(lines[index].method for index in column.argsort()) for column in columns.T)
    before, after = (list(order) for order in orders[-2:])
    swapped = [(a, b) for a, b in combinations(after, 2) if before.index(a) > before.index(b)]
    distinct = [(a, b) for a, b in swapped if not _overlap(a, b)]
    ranks = [(method, before.index(method) + 1, rank) for rank, method in enumerate(after, start=1)]
    moved = [ranked for ranked in ranks if abs(ranked[1] - ranked[2]) >= MOVED]
    worse = tuple(line.method for line in lines if line.y[-1] > line.y[-2])
    good = [float(line.y[-1]) for line in lines if line.y[-1] < ngram()]
    beaten = tuple(line.method for line in lines if line.y[-1] >= ngram())
    changes = tuple(swapped), tuple(distinct), tuple(moved)
    return Steps(tuple(lines), orders, *changes, worse, (min(good), max(good)), beaten)


def _overlap(a: str, b: str) -> bool:
    """Whether the seeds of two methods have ranges at L that overlap."""
    spans = []
    for method in (a, b):
        values = [_at_train_length(run) for run in measured.shipped() if run.config.method == method]
        spans.append((min(values), max(values)))
    return max(low for low, _ in spans) <= min(high for _, high in spans)


def _at_train_length(run: MeasuredRun) -> float:
    point = run.at(run.config.length)
    return float("nan") if point is None or point.perplexity is None else point.perplexity


def at_lengths() -> dict[str, dict[int, RunCurve]]:
    """method -> training length -> its curve over the same windows, shortest training first."""
    curves = measured.curves(run for kind in ("lengths", "text") for run in measured.shipped(kind))
    found = {(curve.config.method, curve.config.length): curve for curve in curves}
    return {
        method: {length: found[method, length] for other, length in sorted(found) if other == method}
        for method in COMPARED
    }


def short_and_long(trained: Mapping[str, Mapping[int, RunCurve]]) -> list[Line]:
    """As the paper draws it: ALiBi trained at each length and tested beyond; sinusoidal at its own training lengths."""
    lines = []
    for length, curve in trained["alibi"].items():
        keep = np.isin(curve.lengths, [2**power for power in range(6, 12)]) & (curve.lengths >= length)
        spread = curve.low[keep], curve.high[keep]
        lines.append(Line("alibi", f"L = {length}", curve.lengths[keep], curve.mean[keep], *spread))
    own = trained["sinusoidal"]
    seeds = np.concatenate([curve.per_seed[curve.lengths == length] for length, curve in own.items()])  # [L, seeds]
    spread = seeds.min(1), seeds.max(1)
    return [*lines, Line("sinusoidal", METHODS["sinusoidal"].title, np.array(list(own)), seeds.mean(1), *spread)]


def paper_short_and_long() -> list[Line]:
    """The same from the paper's Table 5, perplexity per word as published."""
    rows = [("alibi", f"L = {length}", str(length)) for length in PAPER_ROWS]
    rows.append(("sinusoidal", METHODS["sinusoidal"].title, "Sinusoidal"))
    return [Line(method, title, *_points(published.row(PAPER_TABLE, name))) for method, title, name in rows]


def _points(by_length: Mapping[int, float]) -> tuple[np.ndarray, np.ndarray]:
    return np.array(list(by_length)), np.array(list(by_length.values()), dtype=np.float64)


def step_bytes() -> int:
    """Bytes that a step of training reads, at every training length."""
    config = measured.shipped()[0].config
    return config.batch * config.length


def paper_costs() -> list[tuple[str, Mapping[str, Any]]]:
    """The paper's Table 1 for the compared methods: (ours, row), shortest training length first."""
    rows = published.load()["table1_speed_memory"]["rows"]
    pairs = [(method, row) for row in rows for method in COMPARED if METHODS[method].title == row["method"]]
    return sorted(pairs, key=lambda pair: pair[1]["train_length"])


@lru_cache(maxsize=1)
def stretched() -> tuple[Line, ...]:
    """Perplexity of the trained models beyond L, as they are and stretched in each way; mean and range of the seeds.

    A line's name is the method and the way ("" as trained), with a slash between.
    """
    lines = []
    for method in pretrained.METHODS:
        runs = [run for run in measured.shipped() if run.config.method == method and run.stretched]
        if not runs:
            continue
        length, times = runs[0].config.length, sorted({entry.times for entry in runs[0].stretched})
        plain = [[point.perplexity for n in times if (point := run.at(n * length))] for run in runs]
        lines.append(_stretched_line(method, "", times, plain))
        for way in dict.fromkeys(entry.way for entry in runs[0].stretched):
            values = [[entry.perplexity for entry in run.stretched if entry.way == way] for run in runs]
            lines.append(_stretched_line(method, way, times, values))
    return tuple(lines)


def _stretched_line(method: str, way: str, times: list[int], values: Sequence[Sequence[float | None]]) -> Line:
    y = np.array(values, dtype=np.float64)  # [seeds, times]
    return Line(method, f"{method}/{way}", np.array(times), y.mean(0), y.min(0), y.max(0), hollow=bool(way))
