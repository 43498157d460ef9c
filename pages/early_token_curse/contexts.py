"""How far each model really looks: the loss of the same predictions from 1, 2, 4, ... bytes of context.

Loss by position mixes two things, and falls within a few bytes for every model. Here each prediction is made again from its
last bytes alone, so a byte that is out of reach cannot help.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from alibi_viz.results.measured import WORSE, MeasuredRun


@dataclass(frozen=True)
class ContextReach:
    """The loss of one method from each context. Arrays are [contexts]."""

    method: str
    contexts: np.ndarray  # bytes
    loss: np.ndarray  # mean of the seeds, nats per byte
    low: np.ndarray
    high: np.ndarray
    train_length: int  # L
    at_length: float  # loss from L bytes
    needed: int  # the smallest context from which the loss is at most WORSE nats per word above the lowest within L
    beyond: float | None  # change of the loss from L bytes to the longest context; None: not beyond L

    @property
    def gain(self) -> float:
        """How far the loss falls below that from L bytes with any longer context."""
        longer = self.loss[self.contexts > self.train_length]
        return max(0.0, self.at_length - float(longer.min(initial=self.at_length)))


def reaches(runs: Iterable[MeasuredRun]) -> list[ContextReach]:
    """One entry a method, in the order of the runs; runs without such measurements are left out."""
    groups: dict[str, list[MeasuredRun]] = {}
    for run in runs:
        if run.contexts:
            groups.setdefault(run.config.method, []).append(run)
    return [_reach(group) for group in groups.values()]


def _reach(runs: list[MeasuredRun]) -> ContextReach:
    losses = np.array([[loss for _, loss in run.contexts] for run in runs])  # [seeds, contexts]
    contexts, mean = np.array([context for context, _ in runs[0].contexts]), losses.mean(0)
    train_length = runs[0].config.length
    at_length = float(mean[contexts == train_length][0])
    enough = mean[contexts <= train_length].min() + WORSE / (runs[0].bytes_per_word or 1.0)
    needed = int(contexts[np.argmax(mean <= enough)])
    beyond = float(mean[-1]) - at_length if contexts[-1] > train_length else None
    spread = losses.min(0), losses.max(0)
    return ContextReach(runs[0].config.method, contexts, mean, *spread, train_length, at_length, needed, beyond)
