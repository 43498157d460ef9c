"""Training runs as the page shows them: smoothed losses, the newest measurements, and a bigram model to compare with.

Notable choices:
- Losses of single steps jump from batch to batch, so a point of the curve is the mean of a few neighbouring steps.
- During training, and right after it, a sample of the held-out text is evaluated at L, 2 L and 4 L. Then the finished
  model is measured on all of it, at more lengths, and those numbers take the sample's place.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import numpy as np

from alibi_viz.checks import setting
from alibi_viz.jobs import Plan, window
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import Corpus
from alibi_viz.lm.ngram import ngram_loss
from alibi_viz.lm.runs import Run

POINTS = 120  # of a loss curve
#: Bytes: all of the built-in held-out text, and as much of a reader's own.
HELD_OUT = setting("ALIBI_VIZ_HELD_OUT", 65_536, 1_024, 1_048_576)


#: Where the numbers come from: a sample during training, the same sample after it, or all of the held-out text.
Stage = Literal["training", "quick", "full"]


@dataclass(frozen=True)
class Results:
    """The newest measurements of a run. Arrays are float64 [lengths]."""

    config: TrainConfig
    lengths: np.ndarray  # windows in bytes; recall: distances
    values: np.ndarray  # perplexity per byte; recall: accuracy
    stage: Stage
    ends: bool  # some length could not be measured

    def at(self, times: float) -> float | None:
        """The value at so many training lengths, if it is known; for recall: with the key at the far end of so many."""
        matches = np.flatnonzero(self.lengths == window(self.config, times))
        return float(self.values[matches[0]]) if len(matches) else None


def results(run: Run) -> Results:
    """Sliding windows, or as many pairs as in training; of the sample until the full tests have come as far."""
    pairs = run.config.pairs if run.config.is_recall else None
    final = [
        entry for entry in run.measurements if entry.get("stride") != entry["length"] and entry.get("pairs") == pairs
    ]
    newest = max((entry["step"] for entry in run.interim_evaluations), default=0)
    interim = [entry for entry in run.interim_evaluations if entry["step"] == newest]
    is_full = bool(final) and len(final) >= len(interim)
    entries = final if is_full else interim
    stage: Stage = "full" if is_full else "quick" if newest >= run.config.steps else "training"
    values = {entry["length"]: entry.get("perplexity", entry.get("accuracy")) for entry in entries}
    points = sorted((length, value) for length, value in values.items() if value is not None)
    lengths, numbers = np.array(points, dtype=np.float64).reshape(-1, 2).T
    return Results(run.config, lengths, numbers, stage, ends=any("missing" in entry for entry in entries))


def seen(runs: Iterable[Run]) -> list[float]:
    """Every perplexity that was measured so far: the axis has room for them, also when the curves have moved on."""
    entries = (entry for run in runs for entry in (*run.interim_evaluations, *run.evaluations))
    return [value for entry in entries if isinstance(value := entry.get("perplexity"), float)]


def least(results: Iterable[Results]) -> Stage:
    """The earliest stage among results that are shown together."""
    return min((result.stage for result in results), key=get_args(Stage).index)


def plan_for(steps: int) -> Plan:
    """What is measured of a run of so many steps: about ten interim evaluations, and what shipped runs have."""
    return Plan(held_out=HELD_OUT, sample_every=max(25, steps // 10))


@lru_cache(maxsize=8)
def bigram(corpus: Corpus) -> float:
    """Perplexity per byte of a bigram model (which byte follows which): what a run must beat before positions matter.

    Measured on at most HELD_OUT bytes.
    """
    return math.exp(ngram_loss(corpus.train, corpus.held_out[:HELD_OUT], 2))


def smoothed(losses: Iterable[float], points: int = POINTS) -> tuple[np.ndarray, np.ndarray]:
    """At most `points` + 1 means of neighbouring losses, and the last step of each: float64 [points] (steps, means)."""
    values = np.asarray(list(losses), dtype=np.float64)
    ends = np.array([*range(0, len(values), max(1, math.ceil(len(values) / points))), len(values)])
    means = np.add.reduceat(values, ends[:-1]) / np.diff(ends) if len(values) else values
    return ends[1:].astype(np.float64), means
