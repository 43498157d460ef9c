"""Runs without Dask, for faults of the queue and the disk: each task is done at once, lost, or never comes back.

With it a fault happens at an exact place, and a test takes milliseconds.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import torch

from alibi_viz.jobs import Cluster, Jobs, Plan
from alibi_viz.jobs.watch import Finding
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import Run, RunStore

CONFIG = TrainConfig(length=8, width=8, heads=1, layers=1, batch=2, steps=8, corpus="recall", pairs=2)
PLAN = Plan(times=(1, 2), pairs=(), sample_times=(1,), sample_every=3)
WAIT = 60.0
Fate = Literal["done", "lost", "silent", "refused", "held"]


class Task:
    """As much of a Dask future as the queue uses. held: it is done, but its worker does not hand the result out."""

    def __init__(self, fate: Fate, compute: Callable[[], Any]) -> None:
        self.status = {"done": "finished", "held": "finished", "lost": "lost"}.get(fate, "pending")
        self._result = compute() if fate == "done" else None

    def done(self) -> bool:
        return self.status != "pending"

    def result(self, timeout: float) -> Any:
        if self._result is None:
            time.sleep(0.01)
            raise TimeoutError
        return self._result

    def add_done_callback(self, call: Callable[[Task], None]) -> None:
        if self.done():
            call(self)

    def cancel(self) -> None:
        self.status = "cancelled"


class InlineCluster(Cluster):
    """fates: of the tasks in turn; the rest is done. A task that does not come back breaks the cluster."""

    def __init__(self, fates: Sequence[Fate] = (), workers: int = 1) -> None:
        super().__init__(workers)
        self.fates, self.sent, self.killed, self.finding = list(fates), 0, 0, "well"

    @property
    def own(self) -> bool:
        return False  # the test itself need not be polite

    def client(self) -> InlineCluster:
        return self

    def submit(self, function: Callable[..., Any], *arguments: Any, pure: bool) -> Task:
        fate: Fate = self.fates.pop(0) if self.fates else "done"
        self.sent += 1
        if fate == "refused":
            raise OSError("the connection has just ended")
        self.finding = "broken" if fate in ("silent", "held") else self.finding
        return Task(fate, lambda: function(*arguments))

    def look(self) -> Finding:
        return self.finding  # type: ignore[return-value]

    def kill(self) -> None:
        self.killed += 1
        self.finding = "well"


def queue(folder: Path, *fates: Fate, chunk: int = 2) -> Jobs:
    return Jobs(RunStore(folder), InlineCluster(fates), chunk=chunk)


def train(folder: Path, *fates: Fate, config: TrainConfig = CONFIG, plan: Plan = PLAN) -> Run:
    """The run of a queue of its own, when it has ended in some way."""
    jobs = queue(folder, *fates)
    try:
        jobs.submit(config, plan=plan)
        assert jobs.wait(config.hash, WAIT)
        progress = jobs.progress(config.hash)
        assert progress is not None
        return progress.run
    finally:
        jobs.close()


def outcome(store: RunStore, config: TrainConfig) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Everything that a finished run gave, to the last digit; how long it took does not count."""
    run, weights = store.get(config.hash), store.weights(config.hash)
    assert run is not None
    assert run.status == "finished", run.error
    assert weights is not None
    same = replace(run, seconds=0.0, environment={}).to_dict()
    return same, {name: weight.numpy().tobytes() for name, weight in weights.items()}


def until(true: Callable[[], object], seconds: float = WAIT) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.01)


def ends_soon(call: Callable[[], Any], seconds: float = 2.0) -> Any:
    """What the call returns. Fails if it takes longer: a reader who hangs would take the whole test run with it."""
    results: list[Any] = []

    def catch() -> None:
        try:
            results.append(call())
        except Exception as error:
            results.append(error)

    thread = threading.Thread(target=catch, daemon=True)
    thread.start()
    thread.join(seconds)
    assert results, f"no answer in {seconds} s"
    return results[0]


torch.set_num_threads(1)
