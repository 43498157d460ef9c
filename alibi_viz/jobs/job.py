"""A run in the queue: what may be asked for, what the queue holds of it, its next task, and what it tells a reader."""

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from alibi_viz.jobs import tasks
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import Corpus
from alibi_viz.lm.records import Run

Kind = Literal["train", "interim_evaluations", "evaluations", "recall"]  # a measurement: where its result goes in Run


class Busy(RuntimeError):
    """Too many runs wait already."""


@dataclass(frozen=True)
class Limits:
    """What one reader may ask of a shared machine."""

    waiting: int = 32  # active runs; paused ones do not count
    steps: int = 5_000
    parameters: int = 2_000_000
    tokens: int = 20_000_000  # bytes read in training
    length: int = 1_024

    def check(self, config: TrainConfig) -> None:
        """Raises ValueError, in one sentence, for a run that is too large."""
        for name in ("steps", "parameters", "tokens", "length"):
            value, most = getattr(config, name), getattr(self, name)
            if value > most:
                raise ValueError(f"A run may have at most {most:,} {name} here, not {value:,}.")


SHARED = Limits()


@dataclass(frozen=True)
class Progress:
    """Where a run stands."""

    run: Run
    queue_position: int | None = None  # turns of others before its own; 0 while a worker has it; None: not in the queue


@dataclass(eq=False)
class Job:
    """A run that waits or is trained."""

    run: Run
    corpus: Corpus | None  # a reader's own text; None: the worker makes it
    plan: tasks.Plan
    state: bytes  # TrainState.to_bytes
    evaluated_at: int  # step of the last interim evaluation
    steps_wanted: float = math.inf  # before it pauses
    attempts: int = 0
    task: Any = None  # Dask's future while a worker has it
    kind: Kind = "train"  # of that task
    steps_sent: int = 0  # of that task, if it trains
    done: threading.Event = field(default_factory=threading.Event)

    @property
    def unmeasured(self) -> list[tuple[int, int]]:
        """(length, stride) still to be measured once training is over; recall: (distance, pairs)."""
        measured = {(entry["length"], entry.get("stride", entry.get("pairs"))) for entry in self.run.measurements}
        return [pair for pair in self.plan.windows(self.run.config) if pair not in measured]

    def next_task(self, chunk: int) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """The function and its first arguments: a chunk of training, an interim evaluation, or one measurement."""
        config, step, plan = self.run.config, self.run.step, self.plan
        if step >= config.steps:
            self.kind = "recall" if config.is_recall else "evaluations"
            return tasks.measure, (self.state, self.unmeasured[:1], plan.held_out)
        to_evaluation = self.evaluated_at + plan.sample_every - step if plan.sample_times else math.inf
        if to_evaluation <= 0:
            self.kind, self.evaluated_at = "interim_evaluations", step
            return tasks.measure, (self.state, tasks.nonoverlapping(config, plan.sample_times), plan.sample_bytes)
        self.kind = "train"
        self.steps_sent = int(max(1, min(chunk, config.steps - step, to_evaluation, self.steps_wanted)))
        return tasks.train, (self.state, self.steps_sent)
