"""A class on two replicas: what one reader does arrives at the other, and a killed replica costs its readers a reload."""

from __future__ import annotations

import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator

import psutil
import pytest

from alibi_viz.cli.serving import proxy
from alibi_viz.cli.serving.proxy import COOKIE
from benchmarks.reader import Reader
from benchmarks.replicas import Class, serving_class
from benchmarks.room import room
from tests.threads import run_in_a_thread

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def served() -> Iterator[Class]:
    try:
        proxy.find()
    except ValueError as missing:
        pytest.skip(str(missing))
    with serving_class(replicas=2) as running:
        everything = psutil.Process(running.process.pid).children(recursive=True)
        yield running
    assert [process.name() for process in psutil.wait_procs(everything, timeout=15)[1]] == []


async def heads(reader: Reader, query: str) -> float:
    """The number of heads that the page shows at this address."""
    async with reader:
        await reader.open("slopes", query)
        return float(reader.controls["heads"].element.value)


def test_readers_are_spread_evenly_and_stay(served: Class) -> None:
    async def visit() -> list[tuple[str, str]]:
        readers = [Reader(served.address) for _ in range(6)]
        for reader in readers:
            await reader.__aenter__()
            await reader.open("slopes")
        first = [reader.cookies[COOKIE] for reader in readers]
        for reader in readers:
            await reader.__aexit__()
        again = []
        for reader in readers:
            async with Reader(served.address, cookies=dict(reader.cookies)) as back:
                again.append(back.cookies[COOKIE])
        return list(zip(first, again, strict=True))

    pairs = run_in_a_thread(visit())
    assert {first for first, _ in pairs} == set(served.replicas())
    assert [first for first, _ in pairs].count(pairs[0][0]) == 3
    assert all(first == again for first, again in pairs)


def test_a_class_is_in_one_room_though_its_readers_are_on_two_replicas(served: Class) -> None:
    course = run_in_a_thread(room(served.address, members=6, seconds=2.0, reloading=2, moves=2))
    assert course.screen == (6, 6)
    assert len(course.follows) == 12


def test_a_killed_replica_costs_its_readers_a_reload(served: Class) -> None:
    gone, other = sorted(served.replicas())
    reader = served.reader(gone)
    assert run_in_a_thread(heads(reader, "heads=12")) == 12
    served.replicas()[gone].kill()
    reloaded = Reader(served.address, cookies=dict(reader.cookies))
    assert run_in_a_thread(heads(reloaded, "heads=12")) == 12
    assert reloaded.cookies[COOKIE] == other
    until = time.monotonic() + 60
    while gone not in served.replicas() and time.monotonic() < until:
        time.sleep(0.2)
    assert gone in served.replicas()  # it was started again


def test_a_page_of_another_host_reaches_no_replica(served: Class) -> None:
    def status(origin: str) -> int:
        asked = urllib.request.Request(f"{served.address}/_stcore/health", headers={"Origin": origin})
        try:
            with urllib.request.urlopen(asked, timeout=20) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as refused:
            return refused.code

    assert status(served.address) == 200
    assert status("http://example.org") == 403
    assert status(served.address + "0") == 403


def test_what_is_left_of_a_killed_command_ends(served: Class) -> None:
    """Two replicas more, for a moment: the command is killed while they start."""
    command = [*served.process.args[:3], "serve", "--replicas", "1"]  # type: ignore[index]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while not (children := psutil.Process(process.pid).children(recursive=True))[2:] and time.monotonic() < until:
        time.sleep(0.1)
    process.kill()
    process.wait()
    assert len(children) > 2
    assert [child.name() for child in psutil.wait_procs(children, timeout=15)[1]] == []
