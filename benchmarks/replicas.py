"""The app for a class, as `alibi_viz serve` starts it: several servers behind nginx."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import psutil

from alibi_viz.cli.serving.proxy import COOKIE
from benchmarks.chromium import free_port
from benchmarks.reader import Reader

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
