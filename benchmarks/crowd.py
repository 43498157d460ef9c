"""What a crowd of readers costs a server: CPU for each change, memory, and what trains beside them.

Server and readers share this machine, so the readers' own work is in the figures of training.
"""

import asyncio
import random
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar

from alibi_viz.lm.runs import RunStore
from alibi_viz.ui.shell import navigation
from benchmarks.chromium import cpu_seconds, megabytes, server
from benchmarks.load import change, percentile, readers, visit_all
from benchmarks.reader import Reader
from benchmarks.report import Figure

CHANGES = 20  # a page
AGAIN = 60  # openings of a page: CPU is counted in steps of 10 ms
MOST_TIMES, MEAN_TIMES = 3.0, 2.2  # bounds, in bare pages
LOOK, MOST_LOOKS, RESTING = 0.3, 100, 0.1  # seconds, and share of a core: a server at rest
MOST_CPU = 20.0  # milliseconds a change, mean over the pages
MOST_MEMORY, SETTLING, BACK = 300.0, 60.0, 0.1  # MB above the start; seconds until it is back, but for this share
TRAININGS = ("alibi", "sinusoidal")
STEPS = 5_000  # more than a run of the benchmark makes
IDLE = 20.0  # seconds in which training has the machine to itself
MOST_SECONDS, LEAST_PACE = 0.5, 0.6
Result = TypeVar("Result")


async def page_costs(address: str, process: subprocess.Popen[bytes]) -> dict[str, float]:
    """Milliseconds of CPU that a change takes, for each page on which something can be changed; one reader."""
    costs: dict[str, float] = {}
    for lesson in navigation.ICONS:
        chance, made = random.Random(7), 0
        async with Reader(address) as reader:
            await reader.open(lesson)
            await at_rest(process)
            before = cpu_seconds(process)
            while made < CHANGES and reader.page == lesson:
                if await change(reader, chance, turning=0.0) is None:
                    break
                made += 1
        if made == CHANGES:
            costs[lesson] = 1000 * (cpu_seconds(process) - before) / made
    return costs


async def opened_again(address: str, process: subprocess.Popen[bytes], pages: list[str]) -> dict[str, float]:
    """Milliseconds of CPU that each page takes when it is opened again, over one connection."""
    costs: dict[str, float] = {}
    for page in pages:
        async with Reader(address) as reader:
            await reader.open(page)
            await reader.open(page)
            await at_rest(process)
            before = cpu_seconds(process)
            for _ in range(AGAIN):
                await reader.open(page)
            costs[page] = 1000 * (cpu_seconds(process) - before) / AGAIN
    return costs


async def at_rest(process: subprocess.Popen[bytes]) -> None:
    """Wait until the server does nothing by itself: a text that the page before has begun is not this one's cost."""
    for _ in range(MOST_LOOKS):
        before = cpu_seconds(process)
        await asyncio.sleep(LOOK)
        if cpu_seconds(process) - before < RESTING * LOOK:
            return


@cache  # a run has one unit
def bare(loop: str) -> float:
    """Milliseconds of CPU of a page with twenty elements and nothing else. loop: "asyncio" or "uvloop"."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "bare.py"
        script.write_text("import streamlit as st\nfor number in range(20):\n    st.markdown(f'{number}')\n")
        if loop == "asyncio":  # Streamlit takes uvloop where it can be imported
            Path(folder, "uvloop.py").write_text("raise ModuleNotFoundError")
        with server(str(script), path=folder) as (address, process):
            return asyncio.run(opened_again(address, process, [""]))[""]


def measure_opened() -> list[Figure]:
    """Every page, opened again, beside a bare one: the unit of what a page may cost."""
    unit, on_uvloop = bare("asyncio"), bare("uvloop")
    with server("app.py") as (address, process):
        asyncio.run(visit_all(address))
        costs = asyncio.run(opened_again(address, process, list(navigation.ICONS)))
    times = {page: cost / unit for page, cost in costs.items()}
    ranked = sorted(times, key=times.__getitem__, reverse=True)
    note = ", ".join(f"{page} {times[page]:.1f}" for page in ranked[:4])
    about = f"a bare page: {unit:.1f} ms on asyncio, {on_uvloop:.1f} on uvloop"
    return [
        Figure("a page opened again, times a bare one, largest", times[ranked[0]], "x", MOST_TIMES, note=note),
        Figure(
            "a page opened again, times a bare one, mean", statistics.mean(times.values()), "x", MEAN_TIMES, note=about
        ),
    ]


def measure_changes() -> list[Figure]:
    with server("app.py") as (address, process):
        asyncio.run(visit_all(address))
        costs = asyncio.run(page_costs(address, process))
    slowest = sorted(costs, key=costs.__getitem__, reverse=True)[:4]
    note = ", ".join(f"{name} {costs[name]:.0f}" for name in slowest)
    mean = statistics.mean(costs.values())
    return [Figure(f"CPU of a change, mean of {len(costs)} pages", mean, "ms", MOST_CPU, note=f"{note} ms")]


def measure_memory() -> list[Figure]:
    count = 60
    with server("app.py") as (address, process):
        asyncio.run(visit_all(address))
        start = megabytes(process)
        took, most = _watched(lambda: asyncio.run(readers(address, count)), lambda: megabytes(process))
        time.sleep(SETTLING)
        end = megabytes(process)
    note = f"MB: {start:.0f} before, {most:.0f} at most, {end:.0f} {SETTLING:g} s after they left; {len(took)} changes"
    return [
        Figure(f"memory of {count} readers", most - start, "MB", MOST_MEMORY, note=note),
        Figure(f"memory {SETTLING:g} s after {count} readers left", end / start, "x", 1 + BACK),
    ]


def measure_training() -> list[Figure]:
    count = 60
    with tempfile.TemporaryDirectory() as folder, server("app.py", data=folder) as (address, _):
        asyncio.run(visit_all(address))
        took, idle, busy = asyncio.run(_beside_training(address, RunStore(Path(folder)), count))
    note = f"p50 {statistics.median(took):.2f} s of {len(took)} changes"
    pace = f"{idle:.0f} and {busy:.0f} steps a second, both runs together"
    return [
        Figure(f"{count} readers beside two trainings: p95", percentile(took, 0.95), "s", MOST_SECONDS, note=note),
        Figure(f"training beside {count} readers: share of its pace", busy / idle, "", LEAST_PACE, True, note=pace),
    ]


async def _beside_training(address: str, store: RunStore, count: int) -> tuple[list[float], float, float]:
    """Seconds of the readers' changes, and steps a second without and with them."""

    def steps() -> int:
        return sum(run.step for run in store.runs())

    async with Reader(address) as trainer:
        await trainer.open("train", f"train={','.join(TRAININGS)}&train_steps={STEPS}")
        await trainer.press("train_play")
        while steps() < 100:
            await asyncio.sleep(0.2)
        before, began = steps(), time.perf_counter()
        await asyncio.sleep(IDLE)
        idle = (steps() - before) / (time.perf_counter() - began)
        before, began = steps(), time.perf_counter()
        took = await readers(address, count)
        busy = (steps() - before) / (time.perf_counter() - began)
        await trainer.press("train_pause")
    return took, idle, busy


def _watched(work: Callable[[], Result], look: Callable[[], float]) -> tuple[Result, float]:
    """What the work gives, and the largest value seen meanwhile."""
    most, ended = [look()], threading.Event()

    def watch() -> None:
        while not ended.wait(0.5):
            most.append(look())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        return work(), max(most)
    finally:
        ended.set()
        watcher.join()
