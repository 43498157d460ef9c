"""Classes on a server that may open few files: who fits comes in and stays, and who does not fit is told so.

The limits are those of the command alone: these tests open as many connections as it does.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import urllib.error
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from alibi_viz.classroom import open_files
from benchmarks.chromium import free_port, wait_until_ready
from benchmarks.reader import Reader
from tests.threads import run_in_a_thread

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit.")]
AT_ONCE = 8  # readers who open a page
LARGEST_LOG = 20_000  # bytes; a flood writes megabytes


@dataclass
class Crowd:
    """Readers of one server."""

    address: str
    readers: list[Reader] = field(default_factory=list)
    refused: int = 0  # with the page that says so

    async def come(self, count: int) -> None:
        """So many more open a page and stay. Raises what happens to one who neither comes in nor is told why."""
        gate = asyncio.Semaphore(AT_ONCE)

        async def one() -> None:
            reader = Reader(self.address)
            async with gate:
                try:
                    await reader.__aenter__()
                except urllib.error.HTTPError as error:
                    if error.code != 503 or "Retry-After" not in error.headers:
                        raise
                    self.refused += 1
                    return
                self.readers.append(reader)
                await reader.open("slopes")

        await asyncio.gather(*(one() for _ in range(count)))

    async def change(self) -> None:
        """Each changes a control. Raises what happens to one who is not served."""
        for first in range(0, len(self.readers), AT_ONCE):
            part = self.readers[first : first + AT_ONCE]
            await asyncio.gather(*(reader.set_number("heads", 12) for reader in part))

    async def leave(self) -> None:
        for reader in self.readers:
            await reader.__aexit__()
        self.readers.clear()


@contextmanager
def limited(limit: str, log: Path) -> Iterator[str]:
    """The address of `alibi_viz run` with this limit (arguments of ulimit); its server must live as long as the block."""
    port = free_port()
    command = [sys.executable, "-m", "alibi_viz", "run", "--port", str(port)]
    address = f"http://127.0.0.1:{port}"
    with log.open("wb") as lines:
        shell = ["bash", "-c", f'ulimit {limit}; exec "$@"', "bash", *command]
        process = subprocess.Popen(shell, stdout=subprocess.DEVNULL, stderr=lines)
        try:
            wait_until_ready(f"{address}/_stcore/health", 120)
            before = psutil.Process(process.pid).children(recursive=True)
            yield address
            assert all(child.is_running() for child in before)
        finally:
            process.terminate()
            process.wait(timeout=30)
    assert log.stat().st_size < LARGEST_LOG


def test_six_hundred_visits_and_then_two_hundred_readers_with_a_soft_limit_of_1024(tmp_path: Path) -> None:
    async def story(address: str) -> tuple[int, int]:
        crowd = Crowd(address)
        for _ in range(600 // AT_ONCE):
            await crowd.come(AT_ONCE)
            await crowd.leave()
        await crowd.come(200)
        await crowd.change()
        stayed = len(crowd.readers)
        await crowd.leave()
        return stayed, crowd.refused

    with limited("-Sn 1024", tmp_path / "log") as address:
        assert run_in_a_thread(story(address)) == (200, 0)


def test_three_classes_one_after_the_other_with_a_soft_limit_of_256(tmp_path: Path) -> None:
    async def story(address: str) -> list[int]:
        crowd, came = Crowd(address), []
        for _ in range(3):
            await crowd.come(40)
            await crowd.change()
            came.append(len(crowd.readers))
            await crowd.leave()
        return came

    with limited("-Sn 256", tmp_path / "log") as address:
        assert run_in_a_thread(story(address)) == [40, 40, 40]


def test_with_a_hard_limit_of_256_who_is_in_stays_and_who_does_not_fit_is_told_so(tmp_path: Path) -> None:
    async def story(address: str) -> tuple[int, int, int]:
        crowd = Crowd(address)
        await crowd.come(100)
        await crowd.come(140)
        await crowd.change()
        full, refused = len(crowd.readers), crowd.refused
        await crowd.leave()
        await asyncio.sleep(1)
        await crowd.come(1)
        back = len(crowd.readers)
        await crowd.leave()
        return full, refused, back

    with limited("-n 256", tmp_path / "log") as address:
        full, refused, back = run_in_a_thread(story(address))
    assert full + refused == 240
    assert full >= 150
    assert refused > 0
    assert back == 1  # there is room again


def test_the_command_raises_the_limit_of_what_it_starts(tmp_path: Path) -> None:
    """The soft limit of the server itself; psutil can read that of another process on Linux alone."""
    if not hasattr(psutil.Process, "rlimit"):
        pytest.skip("this system does not tell the limits of another process")
    with limited("-Sn 64", tmp_path / "log") as address:
        port = int(address.rsplit(":", 1)[1])
        server = next(
            process
            for process in psutil.Process().children(recursive=True)
            if "streamlit" in process.cmdline() and str(port) in process.cmdline()
        )
        soft, hard = server.rlimit(psutil.RLIMIT_NOFILE)
    assert soft >= min(hard, open_files.ENOUGH)
