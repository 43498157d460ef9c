"""Kills at random moments: nothing lost, the same numbers to the last digit, a sentence that says so, no orphan.

ALIBI_VIZ_FAULTS: how many (10: each kind once; 100 for a night). ALIBI_VIZ_FAULTS_SEED: which moments. How long each took
is printed (pytest -s) and not judged: a loaded machine is slow, not wrong.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from alibi_viz.checks import setting
from alibi_viz.jobs import Jobs, watch
from alibi_viz.jobs.cluster import ROOT
from alibi_viz.jobs.dask_processes import is_worker
from alibi_viz.lessons import load
from alibi_viz.lm.runs import RunStore
from tests.faults import server
from tests.faults.inline import InlineCluster, outcome, until

FAULTS, SEED = setting("ALIBI_VIZ_FAULTS", 10, 1, 10_000), setting("ALIBI_VIZ_FAULTS_SEED", 0, 0, 10**9)
WAIT = 240.0  # seconds before the test gives up
ORPHANS = 15.0  # seconds in which every process has ended
LONGEST_PAUSE = 1.5  # seconds between one fault that is mended and the next
KINDS = [
    *(("one worker", "KILL"), ("one worker", "STOP"), ("all workers", "KILL")),
    *(("one nanny", "KILL"), ("one nanny", "STOP"), ("all nannies", "KILL")),
    *(("scheduler", "KILL"), ("scheduler", "STOP")),
    *(("server", "KILL"), ("server", "STOP")),
]
STATUS = load("train").entries("status")


def begins(key: str) -> str:
    """A part of a status sentence by which it is known."""
    return STATUS[key].split("{{")[0] if key == "lost" else STATUS[key].rsplit("}}", 1)[1]


def command_lines(parent: psutil.Process) -> dict[psutil.Process, str]:
    """What it has started. Processes end at any moment: those that have are left out."""
    lines: dict[psutil.Process, str] = {}
    with contextlib.suppress(psutil.Error):
        for child in parent.children():
            with contextlib.suppress(psutil.Error):
                lines[child] = " ".join(child.cmdline())
    return lines


class Server:
    """The process under test, what it last showed, and every process that it ever started."""

    def __init__(self, folder: Path, number: int) -> None:
        self.command = [sys.executable, "-m", "tests.faults.server", str(folder), str(number)]
        self.family: set[psutil.Process] = set()
        self.start()

    def start(self) -> None:
        self.first: dict[str, Any] | None = None
        self.shown: dict[str, Any] = {}
        self.process = subprocess.Popen(self.command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        threading.Thread(target=self._read, args=(self.process,), daemon=True).start()

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self.shown = json.loads(line)
            self.first = self.shown if self.first is None else self.first

    def says(self, key: str) -> bool:
        return any(begins(key) in sentence for sentence, _ in self.shown.values())

    @property
    def done(self) -> int:
        return sum(done for _, done in self.shown.values())

    @property
    def has_ended(self) -> bool:
        return self.process.poll() is not None

    def part(self, name: str) -> list[psutil.Process]:
        """The processes of this name, as they are now."""
        me = psutil.Process(self.process.pid)
        if name == "server":
            return [me]
        services = command_lines(me)
        nannies = [child for child, words in services.items() if "Nanny" in words]
        workers = [child for child in watch.children(nannies) if is_worker(child)]
        schedulers = [child for child, words in services.items() if "distributed.Scheduler" in words]
        self.family |= {me, *nannies, *workers, *schedulers}
        return {"worker": workers, "workers": workers, "nanny": nannies, "nannies": nannies, "scheduler": schedulers}[
            name.split()[-1]
        ]


def strike(target: Server, where: str, how: str, random_: random.Random) -> list[psutil.Process]:
    """Send the signal; the processes that it reached. None if they are gone already."""
    try:
        found = target.part(where)
        victims = [random_.choice(found)] if where.startswith("one") else found
        for victim in victims:
            victim.send_signal(getattr(signal, f"SIG{how}"))
    except (psutil.Error, IndexError):
        return []
    return victims


def seconds_until(true: Callable[[], object]) -> float:
    began = time.monotonic()
    until(true, WAIT)
    return time.monotonic() - began


def recover(target: Server, where: str, how: str, before: int) -> tuple[float, float]:
    """Seconds until the page says what happened, and until it has gone on."""
    began = time.monotonic()
    if where != "server":
        said = seconds_until(lambda: target.says("lost") or target.has_ended)
    elif how == "KILL":
        _, alive = psutil.wait_procs(list(target.family), timeout=ORPHANS)
        assert not alive, f"{alive} live on"
        target.process.wait()
        target.start()
        said = seconds_until(lambda: target.first is not None)
        sentences = [sentence for sentence, _ in (target.first or {}).values()]
        unfinished = [sentence for sentence in sentences if not sentence.startswith("finished")]
        assert all(begins("interrupted") in sentence for sentence in unfinished), sentences
    else:
        time.sleep(1)
        os.kill(target.process.pid, signal.SIGCONT)
        said = 0.0
    until(lambda: (target.done > before and not target.says("lost")) or target.has_ended, WAIT)
    return said, time.monotonic() - began


@pytest.fixture(scope="module")
def faults() -> Iterator[tuple[str, str]]:
    """Every kind once in each ten, in another order each time."""

    def endless() -> Iterator[tuple[str, str]]:
        shuffle = random.Random(SEED)
        while True:
            yield from shuffle.sample(KINDS, len(KINDS))

    return endless()


@pytest.mark.slow
def test_kills_at_random_moments_change_nothing(tmp_path: Path, faults: Iterator[tuple[str, str]]) -> None:
    random_, sent, number = random.Random(SEED), 0, 0
    while sent < FAULTS:
        configs, target = server.configs(number), Server(tmp_path, number)
        until(lambda target=target: target.done, WAIT)
        while sent < FAULTS and not target.has_ended:
            time.sleep(random_.uniform(0, LONGEST_PAUSE))
            target.part("worker") if not target.has_ended else None
            where, how = next(faults)
            before = target.done
            if not strike(target, where, how, random_):
                continue
            said, gone_on = recover(target, where, how, before)
            sent += 1
            print(f"{sent:4} {where} {how}: said after {said:.1f} s, goes on after {gone_on:.1f} s", flush=True)
        assert target.process.wait(WAIT) == 0
        _, alive = psutil.wait_procs(list(target.family), timeout=ORPHANS)
        assert not alive, f"{alive} live on"
        undisturbed = Jobs(RunStore(tmp_path / "undisturbed"), InlineCluster(), chunk=100)
        for config in configs:
            undisturbed.submit(config, plan=server.PLAN)
            assert undisturbed.wait(config.hash, WAIT)
            assert outcome(RunStore(tmp_path), config) == outcome(undisturbed.store, config)
        undisturbed.close()
        number += 1
