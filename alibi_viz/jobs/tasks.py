"""What is asked of a worker: pure functions from bytes to bytes, so that any worker can do them, and do them again.

And what is measured of a run, and how much work all of that is, from which the time left follows.
"""

import functools
import os
from dataclasses import dataclass
from typing import Any

import torch

from alibi_viz.checks import setting
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import Corpus
from alibi_viz.lm.evaluation import evaluate, recall
from alibi_viz.lm.recall import NEAREST, farthest, sequence_length, shortest
from alibi_viz.lm.runs import Run, corpus_for, environment
from alibi_viz.lm.training import TrainState, start, train_chunk
from alibi_viz.positions import METHODS

TRAINING = 3  # forward passes in a training step
SLIDING = 4  # a sliding window moves by 1/4 of its length
QUESTIONS = 256  # sequences of one recall measurement, as `evaluation.recall` has


def window(config: TrainConfig, times: float, pairs: int = 0) -> int:
    """The window of so many training lengths, in bytes; for recall the farthest distance in it; pairs 0: as trained."""
    length = int(config.length * times)
    return max(NEAREST, farthest(length, pairs or config.pairs)) if config.is_recall else max(2, length)


@dataclass(frozen=True)
class Plan:
    """What is measured of a run. Lengths are multiples of its training length."""

    times: tuple[float, ...] = (0.5, 1, 1.25, 1.5, 2, 4, 8, 16)
    held_out: int = 24_576  # bytes of the held-out text; 0: all of it
    sample_times: tuple[float, ...] = (1, 2, 4)  # of interim evaluations, sliding as the first results
    sample_every: int = 100  # steps
    sample_bytes: int = 4_096
    pairs: tuple[int, ...] = (2, 4, 8)  # recall: beside those that the run is trained with

    def windows(self, config: TrainConfig) -> list[tuple[int, int]]:
        """(length, stride) of every measurement of the finished model; recall: (distance, pairs).

        In the order in which they are made: what is sampled during training first, the other sliding windows, and last
        the nonoverlapping ones, whose gain beyond L is that of fewer beginnings.
        """
        sampled = self.sampled(config)
        first = sorted(self._sliding(config, self.times), key=lambda pair: pair not in sampled)
        if config.is_recall:
            counts = sorted(n for n in {*self.pairs} - {config.pairs} if shortest(n) <= config.length)
            return first + [(distance, pairs) for pairs in counts for distance in lengths(config, self.times, pairs)]
        return first + [(length, length) for length in lengths(config, self.times)]

    def sampled(self, config: TrainConfig) -> list[tuple[int, int]]:
        """(length, stride) of an interim evaluation; recall: (distance, pairs)."""
        return self._sliding(config, self.sample_times)

    def _sliding(self, config: TrainConfig, times: tuple[float, ...]) -> list[tuple[int, int]]:
        """Sliding windows at these multiples of L; recall: as many pairs as trained."""
        return [(n, config.pairs if config.is_recall else max(1, n // SLIDING)) for n in lengths(config, times)]

    def unmeasured(self, run: Run) -> list[tuple[int, int]]:
        """Those of `windows` that a run still lacks."""
        measured = {(entry["length"], entry.get("stride", entry.get("pairs"))) for entry in run.measurements}
        return [pair for pair in self.windows(run.config) if pair not in measured]


def lengths(config: TrainConfig, times: tuple[float, ...], pairs: int = 0) -> list[int]:
    """The windows of so many training lengths, shortest first; recall: distances, by `window`."""
    return sorted({window(config, multiple, pairs) for multiple in times})


def training_work(config: TrainConfig, steps: int) -> float:
    """Multiplications of so many training steps."""
    return TRAINING * _forward_work(config, config.length, steps * config.batch * config.length)


def test_work(config: TrainConfig, windows: list[tuple[int, int]], held_out: int) -> float:
    """Multiplications of measurements at every (length, stride), on `held_out` bytes; recall: (distance, pairs)."""
    if config.is_recall:
        windows = [(max(config.length, sequence_length(*pair)), pair[1]) for pair in windows]
    if METHODS[config.method].has_position_table:
        windows = [pair for pair in windows if pair[0] <= config.length]  # the others end at once
    if config.is_recall:
        return sum(_forward_work(config, length, QUESTIONS * length) for length, _ in windows)
    fitting = [(length, stride) for length, stride in windows if length < held_out]
    return sum(_forward_work(config, length, held_out * length / stride) for length, stride in fitting)


def _forward_work(config: TrainConfig, length: int, tokens: float) -> float:
    """Multiplications of a forward pass through `tokens` bytes in windows of `length`."""
    inner = config.heads * config.head_dim
    weights = config.width * (256 + config.layers * (8 * config.width + 4 * inner))
    return tokens * (weights + config.layers * inner * length)  # scores and sums: half of 2 T, since the mask is causal


def train(
    state: bytes, steps: int, corpus: Corpus | None, device: str, low_priority: bool
) -> tuple[bytes, dict[str, Any]]:
    """The state after `steps` more steps, and what a Run says of it. corpus: None for a text that the worker has."""
    _init_worker(low_priority)
    before = TrainState.from_bytes(state)
    after = train_chunk(before, steps, corpus or corpus_for(before.config), device=device)
    run = Run(before.config).after(after)
    names = ("corpus", "step", "seconds", "losses")
    return after.to_bytes(), {name: getattr(run, name) for name in names} | {"made_with": environment(device)}


def measure(
    state: bytes, windows: list[tuple[int, int]], held_out: int, corpus: Corpus | None, device: str, low_priority: bool
) -> list[dict[str, Any]]:
    """Measurements of the model at every (length, stride), on `held_out` bytes of text (0: all); recall: see `Plan`."""
    _init_worker(low_priority)
    before = TrainState.from_bytes(state)
    model, corpus = before.model().to(device), corpus or corpus_for(before.config)
    if corpus is None:
        return [recall(model, distance, pairs, length=before.config.length) for distance, pairs in windows]
    text = corpus.held_out[: held_out or None]
    return [evaluate(model, text, n, stride, positions=stride == n) for n, stride in windows]


@functools.cache
def _init_worker(low_priority: bool) -> None:
    """Once a process: one thread, and lower priority than the reader's browser if the machine is shared with it."""
    torch.set_num_threads(1)
    if low_priority and hasattr(os, "nice"):
        os.nice(setting("ALIBI_VIZ_NICE", 10, 0, 19))


def dask_setup(_worker: object) -> None:
    """Dask calls this in each of our workers before it takes tasks (as a "preload"): the first one need not wait for the
    text, and for what PyTorch does at the first step.
    """
    config = TrainConfig(length=16, width=16, heads=2, batch=2, steps=1)
    corpus = corpus_for(config)
    train_chunk(start(config, corpus), 1, corpus)
