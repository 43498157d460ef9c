"""The one rule that says which of two measured losses is lower, and whether they differ at all.

    difference(losses_of_rope, losses_of_alibi).verdict    # "same", "worse", "better" or "open"

Every sentence that compares two losses takes its word from here.

Notable choices:
- A difference counts in nats per word: e to it is a ratio of perplexities per word.
- The whole 95 % interval decides, not the mean. The same: it lies within WORSE of zero. Worse or better: it lies beyond.
  Anything else is open: not told apart by these measurements.
- With three seeds in common the interval is that of a paired t over the seeds. It is of trainings: another seed may fall
  there. With fewer it is a bootstrap over blocks of the text, of the first seed alone: it is of the text, and says nothing
  of what another training would give.
- Published numbers come without an interval, so there the number itself decides.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeVar, get_args

import numpy as np
import pandas as pd

from alibi_viz.results import pretrained

WORSE = 0.1  # nats per word
SHARE = 0.95  # of the interval
SAMPLES = 4000  # of the blocks
FEWEST_BLOCKS = 8  # of a text: fewer say nothing of how much they differ
#: Of Student's t with two degrees of freedom, those of three seeds: its quantile has a closed form.
_QUANTILE = SHARE * math.sqrt(2 / (1 - SHARE**2))
Verdict = Literal["same", "worse", "better", "open"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
Name = TypeVar("Name")  # of a method, or of a pair of them


@dataclass(frozen=True)
class Difference:
    """A loss less another one, nats per word: its mean, and the ends of the interval."""

    mean: float
    low: float
    high: float
    seeds: int  # of which it is the mean; 1: the interval is of the text alone; 0: published, so the ends are the mean

    @property
    def verdict(self) -> Verdict:
        if self.low >= -WORSE and self.high <= WORSE:
            return "same"
        return "worse" if self.low > WORSE else "better" if self.high < -WORSE else "open"

    @property
    def holds(self) -> bool:
        """Whether it is the same or better, be it open which of the two."""
        return self.high <= WORSE


def difference(one: pd.DataFrame, other: pd.DataFrame) -> Difference:
    """Of two measurements, each a row a seed with its `seed`, `loss` (nats per byte), `by_block` and `bytes_per_word`.

    Raises ValueError where they share neither three seeds nor the blocks of one.
    """
    losses, others, bytes_per_word = _by_seed(one, "loss"), _by_seed(other, "loss"), _by_seed(one, "bytes_per_word")
    seeds = sorted(losses.keys() & others.keys())
    if len(seeds) == len(pretrained.SEEDS):
        return over_seeds(np.array([(losses[seed] - others[seed]) * bytes_per_word[seed] for seed in seeds]))
    first = pretrained.SEEDS[0]
    here, there = (_by_seed(rows, "by_block").get(first) for rows in (one, other))
    if not isinstance(here, Sequence) or not isinstance(there, Sequence):
        raise ValueError("These losses share neither three seeds nor the blocks of the first one.")
    return over_blocks((np.array(here) - np.array(there)) * bytes_per_word[first])


def _by_seed(rows: pd.DataFrame, column: str) -> dict[int, Any]:
    """What each seed has in a column. (`DataFrame.merge` takes 20 times as long, and a page compares a hundred times.)"""
    return dict(zip(rows["seed"], rows[column], strict=True)) if column in rows else {}


def over_seeds(differences: np.ndarray) -> Difference:
    """From one difference for each of the three seeds."""
    mean = float(differences.mean())
    half = _QUANTILE * float(differences.std(ddof=1)) / math.sqrt(len(differences))
    return Difference(mean, mean - half, mean + half, len(differences))


def over_blocks(differences: np.ndarray) -> Difference:
    """From one difference for each block of a text. Of fewer than FEWEST_BLOCKS, or none, the interval has no ends."""
    mean = float(differences.mean()) if len(differences) else 0.0
    if len(differences) < FEWEST_BLOCKS:
        return Difference(mean, -math.inf, math.inf, 1)
    means = differences[_samples(len(differences))].mean(1)
    low, high = np.quantile(means, [(1 - SHARE) / 2, (1 + SHARE) / 2])
    return Difference(mean, float(low), float(high), 1)


def published(nats_per_word: float) -> Difference:
    """Of two numbers that a paper prints."""
    return Difference(nats_per_word, nats_per_word, nats_per_word, 0)


@lru_cache(maxsize=8)
def _samples(blocks: int) -> np.ndarray:
    """Which blocks each sample draws: int64 [SAMPLES, blocks], the same every time."""
    return np.random.default_rng(0).integers(blocks, size=(SAMPLES, blocks))


def by_verdict(differences: Mapping[Name, Difference]) -> dict[Verdict, list[Name]]:
    """Methods, or pairs of them, under what the rule says of them, in their order; every verdict is there."""
    return {verdict: [name for name, found in differences.items() if found.verdict == verdict] for verdict in VERDICTS}


def at_length(runs: pd.DataFrame, length: int) -> pd.DataFrame:
    """The rows of one length of the window."""
    return runs[runs.length == length]


def rises(runs: pd.DataFrame) -> dict[str, dict[float, Difference]]:
    """By method and window, in training lengths: its loss less that of the same runs at L. The table has one protocol; a
    method has the windows beyond L that it can read."""
    found: dict[str, dict[float, Difference]] = {}
    for method, own in runs.groupby("method", observed=True):
        length = int(own.train_length.iloc[0])
        here, beyond = at_length(own, length), sorted({*own.length[own.length > length]})
        if beyond:
            found[str(method)] = {n / length: difference(at_length(own, n), here) for n in beyond}
    return found


def between(runs: pd.DataFrame, pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Difference]:
    """The loss of the first method of each pair less that of the second; the table has one length and one protocol."""
    of_method = dict(iter(runs.groupby("method", observed=True)))
    return {(one, other): difference(of_method[one], of_method[other]) for one, other in pairs}


@dataclass(frozen=True)
class Break:
    """Where a method breaks. Lengths in training lengths."""

    at: float | None  # the first measured window that is worse than L; None: no window is
    last_good: float  # the longest measured window up to which all hold; 1: the first one beyond L does not
    longest: float  # that was measured

    @property
    def holds(self) -> bool:
        """Whether every measured window does."""
        return self.last_good == self.longest


def breaks(rises: Mapping[str, Mapping[float, Difference]]) -> dict[str, Break]:
    """Of each method. Between two measured windows nobody knows, and an open one is neither good nor bad."""
    by_method = {}
    for method, own in rises.items():
        worse = [times for times, found in own.items() if found.verdict == "worse"]
        last_good = 1.0
        for times, found in own.items():
            if not found.holds:
                break
            last_good = times
        by_method[method] = Break(min(worse, default=None), last_good, max(own))
    return by_method
