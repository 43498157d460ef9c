"""A run in the queue: what the queue holds of it, and what it tells a reader."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

from alibi_viz.jobs.tasks import Plan
from alibi_viz.lm.corpus import Corpus
from alibi_viz.lm.runs import Run


@dataclass(frozen=True)
class Progress:
    """Where a run stands. `place`: turns of others that must end before its own begins; 0 while a worker has it."""

    run: Run
    place: int | None
    steps_per_second: float | None
    seconds_left: float | None  # of training alone, at the pace so far, without waiting


@dataclass
class Job:
    """A run that waits or is trained."""

    run: Run
    corpus: Corpus | None  # a reader's own text; None: the worker makes it
    plan: Plan
    state: bytes
    device: str
    busy: bool = False
    allowance: int | None = None  # steps still wanted before it pauses; None: all
    attempts: int = 0
    sampled: int = 0  # the last step that was measured on the way
    task: Any = None
    kind: str = ""
    sent: int = 0  # steps of the chunk on the way
    done: threading.Event = field(default_factory=threading.Event)

    @property
    def unmeasured(self) -> list[tuple[int, int]]:
        """(length, stride) still to be measured once training is over."""
        found = {(one["length"], one.get("stride", 0)) for one in (*self.run.evaluations, *self.run.recall)}
        return [pair for pair in self.plan.windows(self.run.config) if pair not in found]
