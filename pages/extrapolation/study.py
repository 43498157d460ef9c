"""The Extrapolation page: perplexity against window length, where each method breaks, and what its training never met.

Notable choices:
- "Breaks" has one meaning: the first measured window, longer than L, where the perplexity is a tenth above the method's own
  perplexity at L. Between two measured windows nobody knows, so the longest window before it is told too.
- The ratio of a curve is taken seed by seed, each to its own perplexity at L, so that its spread is that of the ratio.
- Loss by position is drawn as means of blocks of neighbouring places that never straddle L: the mean before L and the mean
  after it stay apart.
- Places in a window count from 1: at place n the model has read n bytes and predicts the next, as in training up to L.
- The paper's tables are read as they are printed. "OOM" (out of memory) is no number, and ends a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch

from alibi_viz import pretrained, published
from alibi_viz.lm import evaluation
from alibi_viz.lm.model import position_for, used_buckets
from alibi_viz.measured import Curve, Measured, Protocol
from alibi_viz.positions import METHODS, build
from alibi_viz.positions.t5 import T5Bias, relative_position_bucket

WORSE = 0.1  # a tenth above its own perplexity at L: broken
CHANGE = 0.2  # nats: a smaller change of the loss counts as none
BLOCKS = 64  # points of a loss-by-position line, at most
PAPER = {512: "table2_extrapolation_L512", 1024: "table3_extrapolation_L1024"}
PAPER_METHODS = {"sinusoidal": "sinusoidal", "rope": "rotary", "t5": "t5", "alibi": "alibi"}  # ours: the paper's word


@dataclass(frozen=True)
class Series:
    """A line as it is drawn. Arrays are float64 [points]; low and high are the smallest and largest seed."""

    method: str
    x: np.ndarray
    y: np.ndarray
    low: np.ndarray
    high: np.ndarray
    ends: bool  # it cannot go on: a learned table ends, or the paper prints OOM


@dataclass(frozen=True)
class Break:
    """Where a curve first is a tenth above its value at L. Lengths in the unit of the curve."""

    at: float | None  # None: nowhere, as far as it was measured
    kept: float  # the longest measured length before that


def series(curve: Curve, *, ratio: bool = False, times: bool = False) -> Series | None:
    """A curve in the chosen units; None if the ratio is asked for and L was not measured."""
    trained = curve.config.length
    each, mean = curve.per_seed, curve.mean
    if ratio:
        if curve.ratio is None:
            return None
        each, mean = each / each[curve.lengths == trained], curve.ratio
    x = curve.lengths / (trained if times else 1)
    return Series(curve.config.method, x, mean, each.min(1), each.max(1), ends(curve))


def ends(curve: Curve) -> bool:
    """Whether the method itself cannot read beyond L."""
    return curve.config.method == "learned"


def too_short_from(curve: Curve) -> int | None:
    """The shortest window for which the run's held-out text is too short; None if no measurement failed for that."""
    lengths = [length for length in curve.missing if not (ends(curve) and length > curve.config.length)]
    return min(lengths, default=None)


@lru_cache(maxsize=2)
def paper(trained: int) -> tuple[Series, ...]:
    """The paper's Figure 1 for models trained at 512 or 1,024 words: perplexity per word, as published."""
    rows = published.load()[PAPER[trained]]["rows"]
    made = []
    for method, word in PAPER_METHODS.items():
        pairs = [(row["length"], row[f"{word}_ppl"]) for row in rows]
        known = [(length, value) for length, value in pairs if isinstance(value, int | float)]
        x, y = np.array(known, dtype=np.float64).T
        made.append(Series(method, x, y, y, y, len(known) < len(pairs)))
    return tuple(made)


def paper_in(trained: int, *, ratio: bool, times: bool) -> tuple[Series, ...]:
    """The same in the chosen units."""
    found = []
    for one in paper(trained):
        y = one.y / (one.y[one.x == trained] if ratio else 1)
        found.append(Series(one.method, one.x / (trained if times else 1), y, y, y, one.ends))
    return tuple(found)


def first_break(x: np.ndarray, y: np.ndarray, trained: float) -> Break:
    """Where y first is a tenth above its value at `trained`; x rises and holds `trained`."""
    base = float(y[x == trained][0])
    worse = np.flatnonzero((x > trained) & (y > base * (1 + WORSE)))
    if not len(worse):
        return Break(None, float(x[-1]))
    return Break(float(x[worse[0]]), float(x[worse[0] - 1]))


def breaks(found: Iterable[Curve]) -> dict[str, Break]:
    """Every method that was measured at L and beyond it, in training lengths."""
    whole = [one for one in found if one.at(one.config.length) is not None and one.lengths[-1] > one.config.length]
    return {one.config.method: first_break(one.lengths / one.config.length, one.mean, 1.0) for one in whole}


def paper_breaks(trained: int) -> dict[str, Break]:
    """The same of the paper's numbers, in training lengths."""
    return {one.method: first_break(one.x / trained, one.y, 1.0) for one in paper(trained)}


@dataclass(frozen=True)
class Agreement:
    """The paper's order of breaks beside ours. Pairs are (breaks first in the paper, breaks later or nowhere)."""

    same: tuple[tuple[str, str], ...]
    tied: tuple[tuple[str, str], ...]  # ours break at the same window, or both nowhere: cannot be told
    opposite: tuple[tuple[str, str], ...]
    first: str | None  # breaks before all others in both
    never: tuple[str, ...]  # break in neither

    @property
    def verdict(self) -> str:
        """ "whole", "part" or "none"."""
        if not self.tied and not self.opposite:
            return "whole"
        return "part" if self.same else "none"


def agreement(ours: dict[str, Break], theirs: dict[str, Break]) -> Agreement:
    """Compare the two orders, pair by pair, for the methods that stand in both."""
    order = sorted((method for method in theirs if method in ours), key=lambda method: _place(theirs[method]))
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :] if _place(theirs[a]) < _place(theirs[b])]
    same = tuple((a, b) for a, b in pairs if _place(ours[a]) < _place(ours[b]))
    tied = tuple((a, b) for a, b in pairs if _place(ours[a]) == _place(ours[b]))
    opposite = tuple((a, b) for a, b in pairs if _place(ours[a]) > _place(ours[b]))
    before = [a for a, _ in same]
    first = next((method for method in order if before.count(method) == len(order) - 1 > 0), None)
    never = tuple(method for method in order if ours[method].at is None and theirs[method].at is None)
    return Agreement(same, tied, opposite, first, never)


def _place(found: Break) -> float:
    return np.inf if found.at is None else found.at


def ratio_at(curve: Curve, times: float) -> float | None:
    """Perplexity at so many training lengths, divided by that at L."""
    base, there = curve.at(curve.config.length), curve.at(round(times * curve.config.length))
    return there / base if base and there else None


def spread_at(curve: Curve, times: float) -> float | None:
    """Largest minus smallest seed at so many training lengths, as a share of their mean."""
    here = np.flatnonzero(curve.lengths == round(times * curve.config.length))
    return float((curve.high - curve.low)[here[0]] / curve.mean[here[0]]) if len(here) else None


def paper_ratio(method: str, trained: int, times: float) -> tuple[float, float] | None:
    """The published window that is nearest to so many training lengths: (its length in L, its ratio to L)."""
    for one in paper(trained):
        if one.method == method:
            near = int(np.abs(np.log(one.x / (times * trained))).argmin())
            return float(one.x[near] / trained), float(one.y[near] / one.y[one.x == trained][0])
    return None


@dataclass(frozen=True)
class Places:
    """Mean loss at the places of a window, nats per byte, mean of the seeds. Arrays are float64."""

    method: str
    place: np.ndarray  # [blocks] middle of each block, from 1
    loss: np.ndarray  # [blocks]
    before: float  # mean of the second half of L
    after: float  # of as many places beyond L
    last: float  # of the last quarter of the window
    rise: int | None  # place beyond L from which the loss is clearly above `before`; None: it never is
    slow: bool  # beyond L no such group of places is clearly above the group before it


def block_size(length: int) -> int:
    """Neighbouring places in one point of the line."""
    return max(1, length // BLOCKS)


def by_position(runs: Iterable[Measured], method: str, length: int) -> Places | None:
    """Loss against the place in nonoverlapping windows; None if it was not measured for every seed."""
    chosen = [run for run in runs if run.config.method == method]
    points = [run.at(length) for run in chosen]
    tables = [point.by_position for point in points if point is not None and point.by_position]
    if not tables or len(tables) < len(chosen):
        return None
    loss = np.array(tables, dtype=np.float64).mean(0)
    trained, block = chosen[0].config.length, block_size(length)
    whole = len(loss) // block * block
    middles = np.arange(1, whole + 1).reshape(-1, block).mean(1)
    half = trained // 2
    parts = (loss[half:trained], loss[trained : trained + half], loss[-(length // 4) :])
    before, after, last = (float(part.mean()) if len(part) else float("nan") for part in parts)
    rise = _rise(loss, trained, half, before + CHANGE)
    return Places(
        method, middles, loss[:whole].reshape(-1, block).mean(1), before, after, last, rise, _slow(loss, trained, half)
    )


def course(one: Places) -> str:
    """What the loss does beyond L: "jump" at L, "late" and steep, "slow", or "flat"."""
    if one.after - one.before > CHANGE:
        return "jump"
    if one.last - one.before <= CHANGE:
        return "flat"
    return "slow" if one.slow or one.rise is None else "late"


def _rise(loss: np.ndarray, trained: int, span: int, limit: float) -> int | None:
    """Middle (from 1) of the first `span` places, all beyond L, whose mean loss is above the limit."""
    if len(loss) < trained + span:
        return None
    means = np.convolve(loss[trained:], np.full(span, 1 / span), mode="valid")
    above = np.flatnonzero(means > limit)
    return int(trained + above[0] + span // 2) + 1 if len(above) else None


def _slow(loss: np.ndarray, trained: int, span: int) -> bool:
    """Whether every group of `span` places, from the last one before L on, is at most CHANGE above the one before."""
    groups = loss[trained - span :]
    means = groups[: len(groups) // span * span].reshape(-1, span).mean(1)
    return bool((np.diff(means) <= CHANGE).all())


def pieces(runs: Iterable[Measured], protocol: Protocol, length: int) -> tuple[int, int]:
    """How a measurement cut the held-out text: (windows, bytes from the beginning of one to that of the next)."""
    point = next(point for run in runs if (point := run.at(length, protocol)) is not None)
    return sum(1 for _ in evaluation.windows(point.predictions, length, point.stride)), point.stride


def near_share(weights: np.ndarray, nearest: int, trained: int) -> tuple[float, float]:
    """Weight on the `nearest` keys (the query's own among them), mean over queries: in the second half of L, beyond L.

    weights: [T, T], T above L.
    """
    rows = np.arange(len(weights))
    near = rows[:, None] - rows[None, :] < nearest
    share = np.where(near, weights, 0).sum(1)
    return float(share[trained // 2 : trained].mean()), float(share[trained:].mean())


@dataclass(frozen=True)
class Buckets:
    """T5's table, and what training at one length leaves of it untouched. Arrays are [buckets]."""

    trained: int
    farthest: int  # max distance
    touched: np.ndarray  # bool: some distance below `trained` falls into it
    needed: np.ndarray  # bool: some distance of the test falls into it
    nearest: np.ndarray  # int64: its smallest distance, -1 if none falls into it
    share: np.ndarray  # float64: of all query-key pairs of a test window

    @property
    def state(self) -> np.ndarray:
        """uint8 [buckets]: 0 trained, 1 used by the test and never trained, 2 used by neither."""
        return np.where(self.touched, 0, np.where(self.needed, 1, 2)).astype(np.uint8)

    @property
    def lost(self) -> np.ndarray:
        """Buckets that the test uses and training never touched."""
        return np.flatnonzero(self.needed & ~self.touched)


@lru_cache(maxsize=16)
def buckets(trained: int, farthest: int, tested: int) -> Buckets:
    """Which of T5's buckets a training at `trained` tokens touches, and which a test at `tested` tokens uses."""
    method = build("t5", heads=8, head_dim=8, width=64, max_length=trained, max_distance=farthest)
    assert isinstance(method, T5Bias)
    distances = torch.arange(tested)
    found = relative_position_bucket(-distances, False, method.num_buckets, farthest).numpy()
    pairs = np.bincount(found, weights=tested - distances.numpy(), minlength=method.num_buckets)
    met, first = np.unique(found, return_index=True)
    nearest = np.full(method.num_buckets, -1)
    nearest[met] = first
    touched, needed = (np.array(used_buckets(method, n)) for n in (trained, tested))
    return Buckets(trained, farthest, touched, needed, nearest, pairs / pairs.sum())


@dataclass(frozen=True)
class Made:
    """How the shipped runs were made, as their files say it."""

    run: Measured  # one of them: what they share
    methods: tuple[str, ...]
    seeds: tuple[int, ...]
    text: str
    held_out: int  # bytes
    made_with: dict[str, str]
    seconds: tuple[float, float]  # of one training, shortest and longest
    t5_farthest: int  # T5's max distance in these runs


def made(runs: Sequence[Measured]) -> Made:
    """What the files say about the shipped `runs`."""
    first = pretrained.load_all()[0]
    times = [run.seconds for run in runs]
    return Made(
        runs[0],
        tuple(dict.fromkeys(run.config.method for run in runs)),
        tuple(sorted({run.config.seed for run in runs})),
        first["corpus"]["title"],
        first["corpus"]["held_out_bytes"],
        first["made_with"],
        (min(times), max(times)),
        t5_farthest(runs[0].config.length),
    )


def t5_farthest(length: int) -> int:
    """T5's largest distance in a model that is trained at this length."""
    position = position_for("t5", length=length, width=64, heads=8)
    assert isinstance(position, T5Bias)
    return position.max_distance


def titles(methods: Iterable[str]) -> str:
    """Names of methods, as words of a sentence."""
    return ", ".join(METHODS[method].title for method in methods)
