"""The app for a class, as `alibi_viz serve` starts it: several servers behind nginx; and how many readers they hold."""

from __future__ import annotations

import asyncio
import os
import re
import statistics
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import psutil

from alibi_viz.cli.serving.proxy import COOKIE
from benchmarks.chromium import free_port
from benchmarks.load import percentile, readers, visit_all
from benchmarks.reader import Reader
from benchmarks.report import Figure

CLASSES, REPLICAS = (60, 120), 2
_ADDRESS = re.compile(r"http://\S+")


@dataclass(frozen=True)
class Class:
    """address: of the proxy. process: the command's."""

    address: str
    process: subprocess.Popen[str]

    def replicas(self) -> dict[str, psutil.Process]:
        """The servers, by the value of the cookie that names them."""
        found = {}
        for child in psutil.Process(self.process.pid).children():
            with suppress(psutil.Error):  # it may have just ended
                command = child.cmdline()
                if "streamlit" in command:
                    found[f"r{command[-1]}"] = child
        return found

    def reader(self, replica: str) -> Reader:
        """One whose browser was with this replica before."""
        return Reader(self.address, cookies={COOKIE: replica})


@contextmanager
def serving_class(replicas: int = 2, **settings: str) -> Iterator[Class]:
    """`alibi_viz serve` as long as the block lasts. settings: environment variables."""
    command = [sys.executable, "-m", "alibi_viz", "serve", "--replicas", str(replicas), "--port", str(free_port())]
    process = subprocess.Popen(command, env={**os.environ, **settings}, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        line = next((line for line in process.stdout if _ADDRESS.search(line)), "")
        address = _ADDRESS.search(line)
        if address is None:
            raise RuntimeError(f"alibi_viz serve ended with {process.wait()}")
        yield Class(address[0], process)
    finally:
        process.terminate()
        process.wait(timeout=30)


def _memory(processes: Iterable[psutil.Process]) -> float:
    """MB that are theirs alone."""
    return sum(process.memory_full_info().uss for process in processes) / 2**20


def measure_class() -> list[Figure]:
    """Readers on several servers behind the proxy, with one cluster, on this machine."""
    with serving_class(REPLICAS) as served:
        servers = served.replicas()
        for name in servers:
            asyncio.run(visit_all(served.address, {COOKIE: name}))
        before = _memory(servers.values())
        whole = _memory(psutil.Process(served.process.pid).children(recursive=True))
        took = {count: asyncio.run(readers(served.address, count)) for count in CLASSES}
        after = _memory(servers.values())
    figures = [
        Figure("one replica, all pages seen: memory", before / REPLICAS, "MB"),
        Figure(f"all but the {REPLICAS} replicas: memory", whole - before, "MB"),
        Figure(f"{sum(CLASSES)} sessions: memory more, each", (after - before) / sum(CLASSES), "MB"),
    ]
    for count, seconds in took.items():
        note = f"p50 {statistics.median(seconds):.2f} s of {len(seconds)} changes"
        name = f"{count} readers, {REPLICAS} replicas: control to finished run, p95"
        figures.append(Figure(name, percentile(seconds, 0.95), "s", 1.0, note=note))
    return figures
