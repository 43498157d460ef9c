"""What a worker does: pure functions from bytes to bytes, so that any worker can do it, and do it again."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from typing import Any

import torch

from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import BUILT_IN, Corpus, python_docs
from alibi_viz.lm.evaluation import evaluate, recall_result
from alibi_viz.lm.runs import made_with
from alibi_viz.lm.training import TrainState, train_chunk


def window(config: TrainConfig, times: float) -> int:
    """The window of so many training lengths, in bytes; for recall the distance: L - 1 is the farthest trained."""
    return max(2, int(config.length * times) - config.is_recall)


@dataclass(frozen=True)
class Plan:
    """What is measured of a run. Lengths are multiples of its training length."""

    times: tuple[float, ...] = (0.5, 1, 1.25, 1.5, 2, 4, 8, 16)
    sliding: int = 4  # the sliding window moves by 1/4 of its length; 0: no sliding window
    held_out: int = 24_576  # bytes of the held-out text; 0: all of it
    sample_times: tuple[float, ...] = (1, 2, 4)  # measured on the way, nonoverlapping
    sample_every: int = 100  # steps
    sample_bytes: int = 8_192

    def windows(self, config: TrainConfig) -> list[tuple[int, int]]:
        """(length, stride) of every measurement of the finished model; recall: (distance, 0)."""
        lengths = sorted({window(config, times) for times in self.times})
        if config.is_recall:
            return [(length, 0) for length in lengths]
        both = [(length, length) for length in lengths]
        return both + [(length, max(1, length // self.sliding)) for length in lengths if self.sliding]

    def samples(self, config: TrainConfig) -> list[tuple[int, int]]:
        """The same for the measurements on the way."""
        lengths = sorted({window(config, times) for times in self.sample_times})
        return [(length, 0 if config.is_recall else length) for length in lengths]


@functools.cache
def settle(polite: bool) -> None:
    """Once a process: one thread, and lower priority than the reader's browser if the machine is shared with it."""
    torch.set_num_threads(1)
    if polite and hasattr(os, "nice"):
        os.nice(10)


def text_of(config: TrainConfig, corpus: Corpus | None) -> Corpus | None:
    """The text; the built-in one is made here, so that it need not travel."""
    return python_docs() if corpus is None and config.corpus == BUILT_IN else corpus


def chunk(state: bytes, steps: int, corpus: Corpus | None, device: str, polite: bool) -> tuple[bytes, dict[str, str]]:
    """`steps` more steps, and what they were made with."""
    settle(polite)
    before = TrainState.from_bytes(state)
    after = train_chunk(before, steps, text_of(before.config, corpus), device=device)
    return after.to_bytes(), made_with(device)


def measure(
    state: bytes, windows: list[tuple[int, int]], held_out: int, corpus: Corpus | None, device: str, polite: bool
) -> list[dict[str, Any]]:
    """Measurements of the model, `held_out` bytes of text each (0: all)."""
    settle(polite)
    before = TrainState.from_bytes(state)
    model, text = before.model().to(device), text_of(before.config, corpus)
    found: list[dict[str, Any]] = []
    for length, stride in windows:
        if text is None:
            found.append(recall_result(model, length))
        else:
            part = text.held_out[: held_out or None]
            found.append(evaluate(model, part, length, stride).to_dict(positions=stride == length))
    return found
