"""What is found out about a cluster's processes: ended, stopped, restarted, unanswering. Those here are `sleep`s."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import psutil
import pytest

from alibi_viz.jobs import Cluster, watch
from alibi_viz.jobs.dask_processes import is_worker
from alibi_viz.jobs.watch import Watch
from tests.faults.inline import until

NANNY = """import subprocess, sys
helper = subprocess.Popen(["sleep", "1000"])
while True:
    worker = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)", "spawn_main"])
    print(worker.pid, flush=True)
    worker.wait()
    if "once" in sys.argv:
        sys.stdin.read()
"""


class Client:
    """A scheduler's answers; None: it does not answer."""

    def __init__(self) -> None:
        self.workers: dict[str, Any] | None = {"a": 1}
        self.scheduler = self
        self.identity = None

    def sync(self, _: Any, *, n_workers: int, callback_timeout: float) -> dict[str, Any]:
        if self.workers is None:
            raise TimeoutError
        return {"workers": self.workers}


def the_worker(processes: list[psutil.Process]) -> psutil.Process:
    (worker,) = [child for child in watch.children(processes) if is_worker(child)]
    return worker


def kill_worker(processes: list[psutil.Process]) -> None:
    worker = the_worker(processes)
    worker.kill()
    until(lambda: worker not in watch.children(processes))


@pytest.fixture
def processes(request: pytest.FixtureRequest) -> Iterator[list[psutil.Process]]:
    """A scheduler, and a nanny that starts its worker again and again, or "once"; and something else beside it."""
    scheduler = subprocess.Popen(["sleep", "1000"])
    command = [sys.executable, "-c", NANNY, getattr(request, "param", "")]
    nanny = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert nanny.stdout is not None
    nanny.stdout.readline()
    family = [psutil.Process(scheduler.pid), psutil.Process(nanny.pid)]
    yield family
    Watch(Client(), family).kill()
    for child in (scheduler, nanny):
        child.wait(10)


def test_a_cluster_that_works_is_well(processes):
    looks = Watch(Client(), processes)
    assert [looks.look() for _ in range(3)] == ["well"] * 3


@pytest.mark.parametrize("which", [0, 1])
def test_a_scheduler_or_a_nanny_that_has_ended_is_not_replaced_by_anybody(processes, which):
    looks = Watch(Client(), processes)
    processes[which].kill()  # it stays a zombie: nobody asks how it ended
    until(lambda: looks.look() == "broken")


@pytest.mark.parametrize("which", ["scheduler", "nanny", "worker"])
def test_a_stopped_process_counts_when_it_is_seen_twice(processes, which):
    looks = Watch(Client(), processes)
    worker = the_worker(processes)
    stopped = {"scheduler": processes[0], "nanny": processes[1], "worker": worker}[which]
    stopped.send_signal(signal.SIGSTOP)
    until(lambda: stopped.status() == psutil.STATUS_STOPPED)
    assert [looks.look(), looks.look()] == ["well", "broken"]
    stopped.send_signal(signal.SIGCONT)
    until(lambda: stopped.status() != psutil.STATUS_STOPPED)
    assert looks.look() == "well"
    stopped.send_signal(signal.SIGSTOP)  # Ctrl-Z once more: again only the second look
    until(lambda: stopped.status() == psutil.STATUS_STOPPED)
    assert looks.look() == "well"
    looks.kill()
    until(lambda: watch.state(stopped) == watch.GONE)


def test_a_worker_that_its_nanny_replaces_is_told_once(processes):
    looks = Watch(Client(), processes)
    assert looks.look() == "well"
    kill_worker(processes)
    until(lambda: any(is_worker(child) for child in watch.children(processes)))
    assert [looks.look(), looks.look()] == ["worker lost", "well"]
    assert [looks.look() for _ in range(2 * watch.WORKERLESS)] == ["well"] * 2 * watch.WORKERLESS


@pytest.mark.parametrize("processes", ["once"], indirect=True)
def test_a_nanny_that_does_not_replace_its_worker_is_given_up(processes):
    """Dask's nanny does not if the worker ended while it was still starting."""
    looks = Watch(Client(), processes)
    assert looks.look() == "well"
    kill_worker(processes)
    assert [looks.look() for _ in range(watch.WORKERLESS)] == [
        "worker lost",
        *["well"] * (watch.WORKERLESS - 2),
        "broken",
    ]


@pytest.mark.parametrize("answer", [{}, None])
def test_a_scheduler_that_names_no_worker_is_given_up_after_a_while_and_not_before(answer, monkeypatch):
    """On a busy machine an answer can take long, and so can a nanny to start a worker again."""
    client = Client()
    looks = Watch(client, [])  # an existing cluster, on other machines
    client.workers = answer
    assert [looks.look() for _ in range(3)] == ["well"] * 3
    monkeypatch.setattr(watch, "SILENT", 0.0)
    assert looks.look() == "broken"
    monkeypatch.setattr(watch, "SILENT", 60.0)
    client.workers = {"a": 1}
    assert looks.look() == "well"


@pytest.mark.parametrize(("answer", "named"), [({"a": 1}, True), ({}, False), (None, False)])
def test_a_worker_is_there_when_the_scheduler_names_it(answer, named):
    client = Client()
    client.workers = answer
    assert Watch(client, []).has_worker() == named


def test_a_cluster_that_has_not_been_started_has_lost_nothing():
    assert Cluster(workers=1).look() == "well"
