"""A clock that jumps by a day: nothing here asks it how long something took, or who came first."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import dask
import pytest

from alibi_viz.jobs.cluster import QUIET
from alibi_viz.lm.runs import RunStore
from pages.train.server import Viewers
from tests.faults.inline import CONFIG, PLAN, WAIT, outcome, queue, train

DAY = 86_400.0


@pytest.fixture
def jumping(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at the clock finds another day."""
    real, random_ = time.time, random.Random(0)
    monkeypatch.setattr(time, "time", lambda: real() + random_.choice((-DAY, 0.0, DAY)))
    monkeypatch.setattr(time, "time_ns", lambda: int(time.time() * 1e9))


@pytest.mark.usefixtures("jumping")
def test_a_run_and_the_time_that_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs, estimates = queue(tmp_path), list[float]()
    receive = jobs.dispatcher._receive

    def record(*arguments: object) -> None:
        receive(*arguments)  # type: ignore[arg-type]
        left = jobs.progress(CONFIG.hash).seconds_left  # type: ignore[union-attr]
        estimates.extend([] if left is None else [left])

    monkeypatch.setattr(jobs.dispatcher, "_receive", record)
    jobs.submit(CONFIG, plan=PLAN)
    assert jobs.wait(CONFIG.hash, WAIT)
    assert len(estimates) > 3
    assert all(0 <= left < 60 for left in estimates)
    run = jobs.store.get(CONFIG.hash)
    assert run is not None
    assert 0 < run.seconds < 60
    monkeypatch.undo()
    train(tmp_path / "undisturbed")
    assert outcome(jobs.store, CONFIG) == outcome(RunStore(tmp_path / "undisturbed"), CONFIG)


@pytest.mark.usefixtures("jumping")
def test_who_watches_a_run() -> None:
    viewers = Viewers(lambda _: True)
    viewers.watch("tab", "a", ("run",))
    assert [viewers.others("b", "run") for _ in range(20)] == [{"a"}] * 20


@pytest.mark.parametrize("moment", [-DAY * 365 * 60, 0.0, 2.0**33])
def test_a_record_of_another_time_is_listed(moment: float, tmp_path: Path) -> None:
    """Written before 1970, or after 2200: the list has it, and the records beside it in their order."""
    train(tmp_path)
    store = RunStore(tmp_path)
    os.utime(store.path(CONFIG.hash) / "run.json", (moment, moment))
    assert [run.hash for run in store.runs()] == [CONFIG.hash]
    assert store.weights(CONFIG.hash) is not None


def test_the_scheduler_does_not_ask_the_clock_when_it_last_heard_of_a_worker() -> None:
    """Dask compares times of day: a clock that is set forward would end every worker."""
    config = dask.config.collect_env(QUIET)
    assert dask.config.get("distributed.scheduler.worker-ttl", "missing", config=config) is None
