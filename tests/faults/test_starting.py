"""A start that cannot succeed is noticed from outside. The process that is started here is a `sleep`."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import psutil
import pytest

from alibi_viz.jobs import dask_processes, starting, watch
from alibi_viz.jobs.dask_processes import services
from alibi_viz.jobs.starting import supervised
from tests.faults.inline import WAIT, until

COMMAND = [sys.executable, "-c", "import time; time.sleep(1000)", dask_processes.SERVICE]


class Scheduler:
    """It starts, and then answers only when it is told to."""

    def __init__(self) -> None:
        self.answers, self.was_undone = threading.Event(), threading.Event()
        self.process: psutil.Popen | None = None

    def make(self) -> str:
        self.process = psutil.Popen(COMMAND, stdout=subprocess.DEVNULL)
        assert self.answers.wait(WAIT)
        return "started"

    def undo(self, made: str) -> None:
        assert made == "started"
        self.was_undone.set()


@pytest.fixture
def scheduler() -> Iterator[Scheduler]:
    made = Scheduler()
    yield made
    made.answers.set()
    if made.process is not None:
        made.process.kill()
        made.process.wait(WAIT)


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "LOOK_EVERY", 0.05)


def strike(scheduler: Scheduler, how: signal.Signals) -> None:
    """As soon as it has been looked at once."""
    until(lambda: any(service.pid == scheduler.process.pid for service in services()) if scheduler.process else False)
    threading.Event().wait(4 * starting.LOOK_EVERY)
    assert scheduler.process is not None
    scheduler.process.send_signal(how)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_who_waits_is_told_and_what_starts_after_all_is_undone(scheduler, how):
    threading.Thread(target=strike, args=(scheduler, how)).start()
    with pytest.raises(RuntimeError, match="has ended while it started"):
        supervised(scheduler.make, scheduler.undo, lambda: True)
    until(lambda: watch.state(scheduler.process) == watch.GONE)
    assert not scheduler.was_undone.is_set()
    scheduler.answers.set()
    assert scheduler.was_undone.wait(WAIT)


def test_a_start_that_nobody_wants_any_more_is_ended(scheduler):
    with pytest.raises(RuntimeError):
        supervised(scheduler.make, scheduler.undo, lambda: scheduler.process is None)


def test_a_start_that_succeeds_is_what_it_makes(scheduler):
    scheduler.answers.set()
    assert supervised(scheduler.make, scheduler.undo, lambda: True) == "started"
    assert not scheduler.was_undone.is_set()
    assert watch.state(scheduler.process) != watch.GONE


def test_an_error_of_the_start_comes_through(scheduler):
    def fail() -> str:
        raise OSError("no port is free")

    with pytest.raises(OSError, match="no port is free"):
        supervised(fail, scheduler.undo, lambda: True)
