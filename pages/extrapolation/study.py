"""The Extrapolation lesson: perplexity against window length, here and in the paper, and where each method breaks.

Notable choices:
- Ours is perplexity per byte, the paper's per word. Their ratios cannot be compared: a ratio per word is one per byte, to
  the power of the bytes in a word. So both are drawn as the loss above that at L, in nats per word.
- "Breaks" has one meaning: the first measured window beyond L whose loss is WORSE nats per word above the method's own at
  L. Between two measured windows nobody knows, so the longest good window before it is given too.
- The difference is taken seed by seed, each to its own loss at L, so that its spread is that of the difference.
- The paper's tables are read as they are printed. "OOM" (out of memory) is no number, and ends a line.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch

from alibi_viz.charts.lines import Line
from alibi_viz.lm import evaluation
from alibi_viz.positions import METHODS
from alibi_viz.positions.fire import Fire
from alibi_viz.positions.t5 import T5Bias
from alibi_viz.results import measured, published, trained
from alibi_viz.results.measured import WORSE, MeasuredRun, Protocol, RunCurve

NEAR, FAR = 4, 16  # training lengths that the table and the sentences speak of
PAPER = {512: "table2_extrapolation_L512", 1024: "table3_extrapolation_L1024"}
PAPER_METHODS = {"sinusoidal": "sinusoidal", "rope": "rotary", "t5": "t5", "alibi": "alibi"}  # ours: the paper's word
TRAIN_LENGTH = measured.shipped()[0].config.length  # L of the shipped runs


@dataclass(frozen=True)
class Controls:
    """All controls of the lesson."""

    methods: tuple[str, ...]
    protocol: Protocol
    difference: bool  # loss above that at L, nats per word
    times: bool  # lengths in training lengths
    log: tuple[bool, bool]  # of the axes x, y
    paper: int  # training length of the paper's models: a key of PAPER


@dataclass(frozen=True)
class Result:
    """The curves that the controls ask for, and the lines of the two charts."""

    controls: Controls
    curves: tuple[RunCurve, ...]
    ours: tuple[Line, ...]
    paper: tuple[Line, ...]


def study(controls: Controls) -> Result:
    """The chosen methods of the shipped runs, and of the paper's."""
    curves = tuple(curve for method, curve in shipped_curves(controls.protocol).items() if method in controls.methods)
    units = {"difference": controls.difference, "times": controls.times}
    lines = [line_of(curve, **units) for curve in curves]
    ours = tuple(line for line in lines if line is not None and len(line.x))
    theirs = tuple(line for line in paper(controls.paper, **units) if line.method in controls.methods)
    return Result(controls, curves, ours, theirs)


@lru_cache(maxsize=2)
def shipped_curves(protocol: Protocol) -> dict[str, RunCurve]:
    """The curve of every shipped method."""
    return {curve.config.method: curve for curve in measured.curves(measured.shipped(), protocol)}


def line_of(curve: RunCurve, *, difference: bool = False, times: bool = False) -> Line | None:
    """A curve in the chosen units; None if the difference is asked for and is not known."""
    per_seed = curve.rise if difference else curve.per_seed
    if per_seed is None:
        return None
    x, y = curve.lengths / (curve.config.length if times else 1), per_seed.mean(1)
    method, spread = curve.config.method, (per_seed.min(1), per_seed.max(1))
    return Line(method, METHODS[method].title, x, y, *spread, ends=ends(curve))


def ends(curve: RunCurve) -> bool:
    """Whether the method itself cannot read beyond L."""
    return METHODS[curve.config.method].has_position_table


@lru_cache(maxsize=8)
def paper(train_length: int, *, difference: bool = False, times: bool = False) -> tuple[Line, ...]:
    """The paper's Figure 1 for models trained at 512 or 1,024 words: perplexity per word as published, or what it means."""
    rows = published.load()[PAPER[train_length]]["rows"]
    lines = []
    for method, column in PAPER_METHODS.items():
        pairs = [(row["length"], row[f"{column}_ppl"]) for row in rows]
        numbers = [(length, value) for length, value in pairs if isinstance(value, int | float)]
        x, y = np.array(numbers, dtype=np.float64).T
        units = (x / (train_length if times else 1), np.log(y / y[x == train_length]) if difference else y)
        lines.append(Line(method, METHODS[method].title, *units, ends=len(numbers) < len(pairs)))
    return tuple(lines)


@dataclass(frozen=True)
class Break:
    """Where a curve first is WORSE above its value at L. Lengths in training lengths."""

    at: float | None  # None: nowhere, as far as it was measured
    last_good_length: float  # the longest measured length before that


def first_break(times: np.ndarray, rise: np.ndarray) -> Break:
    """times: lengths in training lengths, rising; rise: loss above that at L, nats per word."""
    worse = np.flatnonzero((times > 1) & (rise > WORSE))
    return Break(float(times[worse[0]]), float(times[worse[0] - 1])) if len(worse) else Break(None, float(times[-1]))


def breaks(curves: Iterable[RunCurve]) -> dict[str, Break]:
    """Every method that was measured at L and beyond it."""
    lines = [line_of(curve, difference=True, times=True) for curve in curves]
    return {line.method: first_break(line.x, line.y) for line in lines if line is not None and line.x[-1] > 1}


def paper_breaks(train_length: int) -> dict[str, Break]:
    """The same of the paper's numbers."""
    return {line.method: first_break(line.x, line.y) for line in paper(train_length, difference=True, times=True)}


def rise_at(curve: RunCurve, times: float) -> float:
    """Loss above that at L, at so many training lengths, in nats per word; NaN where it was not measured."""
    return curve.rise_at(round(times * curve.config.length))


def spread_at(curve: RunCurve, times: float) -> float:
    """Largest minus smallest seed at so many training lengths, in nats per word; NaN where not measured."""
    index = np.flatnonzero(curve.lengths == round(times * curve.config.length))
    spread = np.log(curve.high / curve.low) * (curve.bytes_per_word or np.nan)
    return float(spread[index[0]]) if len(index) else np.nan


def paper_rises(train_length: int, times: float) -> dict[str, tuple[float, float]]:
    """Of each method the published window nearest to so many training lengths: (its length in L, its rise)."""
    lines = paper(train_length, difference=True, times=True)
    nearest = [(line, np.abs(np.log(line.x / times)).argmin()) for line in lines]
    return {line.method: (float(line.x[at]), float(line.y[at])) for line, at in nearest}


def fire_threshold() -> float:
    """Of the shipped FIRE model, in bytes: queries below it are not normalized. NaN where the model is missing."""
    loaded = trained.load("fire")
    position = loaded.model.position if loaded else None
    return float(position.threshold) if isinstance(position, Fire) else np.nan


def t5_distances(train_length: int) -> np.ndarray:
    """How many distances of a training window share each of T5's buckets, as it is trained at this length."""
    method = T5Bias(heads=1, head_dim=1, width=1, **T5Bias.training_options(train_length))
    return method.bucket(torch.arange(train_length)).bincount(minlength=method.num_buckets).numpy()


def window_count(runs: Iterable[MeasuredRun], protocol: Protocol, length: int) -> tuple[int, int]:
    """How a measurement cut the held-out text: (windows, bytes from the beginning of one to that of the next)."""
    point = next(point for run in runs if (point := run.at(length, protocol)) is not None)
    return sum(1 for _ in evaluation.windows(point.predictions, length, point.stride)), point.stride
