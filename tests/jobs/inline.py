"""Runs without Dask, for faults of the line and the disk: each task is done at once, fails, is lost, or never comes back.

With it a fault happens at an exact place, and a test takes milliseconds.
"""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from alibi_viz.jobs.cluster import Cluster
from alibi_viz.jobs.queue import Jobs
from alibi_viz.jobs.tasks import Plan
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import Run, RunStore

CONFIG = TrainConfig(length=8, width=8, heads=1, layers=1, batch=2, steps=8, corpus="recall", pairs=2)
PLAN = Plan(times=(1, 2), pairs=(), sample_times=(1,), sample_every=3)
WAIT = 240.0  # seconds before a test gives up: a loaded machine is slow, not wrong
Fate = Literal["done", "lost", "silent", "refused", "failed"]


class Task:
    """As much of a Dask future as the line uses."""

    def __init__(self, fate: Fate, compute: Callable[[], Any], thread: ThreadPoolExecutor) -> None:
        self.status = {"done": "finished", "failed": "error", "lost": "cancelled"}.get(fate, "pending")
        self._compute, self._thread = compute, thread

    def result(self) -> Any:
        if self.status == "error":
            raise MemoryError("no room for this task\nand more lines")
        return self._compute()

    def add_done_callback(self, call: Callable[["Task"], None]) -> None:
        if self.status != "pending":
            self._thread.submit(call, self)

    def cancel(self) -> None:
        pass


class InlineCluster(Cluster):
    """fates: of the tasks in turn; the rest is done. A task that is lost takes the cluster with it."""

    own = False  # the test itself need not be polite
    is_connected = False

    def __init__(self, fates: Sequence[Fate] = ()) -> None:
        super().__init__(workers=1)
        self.fates, self.sent = list(fates), 0
        self.thread = ThreadPoolExecutor(1)  # as Dask has one for all callbacks

    def client(self) -> Any:
        self.is_connected = True
        return self

    def submit(self, function: Callable[..., Any], *arguments: Any, **options: Any) -> Task:
        fate: Fate = self.fates.pop(0) if self.fates else "done"
        self.sent += 1
        if fate == "refused":
            raise OSError("the connection has just ended")
        self.is_connected = fate != "lost"
        return Task(fate, lambda: function(*arguments), self.thread)

    def close(self) -> None:
        self.is_connected = False


def line(folder: Path, *fates: Fate, chunk: float = 1e-9, **options: Any) -> Jobs:
    """A line of runs in a folder; chunk: one step at a time after the first ones."""
    return Jobs(RunStore(folder), InlineCluster(fates), chunk=chunk, **options)


def seen(jobs: Jobs, config: TrainConfig = CONFIG) -> Run:
    """The run as its reader sees it."""
    progress = jobs.progress(config.hash)
    assert progress is not None
    return progress.run


def finish(jobs: Jobs, config: TrainConfig = CONFIG, plan: Plan = PLAN) -> Run:
    """The run when it has ended in some way."""
    jobs.submit(config, plan=plan)
    return ended(jobs, config)


def ended(jobs: Jobs, config: TrainConfig = CONFIG, seconds: float = WAIT) -> Run:
    """The same of a run that has been started."""
    until(lambda: not seen(jobs, config).is_active, seconds)
    return seen(jobs, config)


def outcome(store: RunStore, config: TrainConfig) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Everything that a finished run gave, to the last digit; how long it took does not count."""
    run, weights = store.get(config.hash), store.weights(config.hash)
    assert run is not None
    assert run.status == "finished", run.error
    assert weights is not None
    same = replace(run, seconds=0.0, made_with={}, browsers=()).to_dict()
    return same, {name: weight.numpy().tobytes() for name, weight in weights.items()}


def until(true: Callable[[], object], seconds: float = WAIT) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.01)


def ends_soon(call: Callable[[], Any], seconds: float = 2.0) -> Any:
    """What the call returns or raises. Fails if it takes longer: who hangs would take the whole test run with it."""
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
