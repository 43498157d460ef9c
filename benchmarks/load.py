"""Many readers of one server at once, over Streamlit's own protocol, on all pages.

Server and readers share this machine, so the readers' own work, about a tenth of the server's, is in the figures. What
the readers do is drawn from a seed.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import time
from typing import Any

from alibi_viz.ui.shell import navigation
from benchmarks.chromium import cpu_seconds, server
from benchmarks.reader import Reader
from benchmarks.report import Figure

READERS = (20, 30, 60)
MOST_SECONDS = 1.0  # for the last of them
THINKING = (3.0, 5.0)  # seconds between two changes of a reader
LASTING = 30.0  # seconds of a run
TURNING = 0.2  # share of the changes that open another page


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


async def visit_all(address: str) -> None:
    """One reader looks at every page: what is computed once has been computed."""
    async with Reader(address) as reader:
        for lesson in navigation.ICONS:
            await reader.open(lesson)


async def change(reader: Reader, chance: random.Random, turning: float = TURNING) -> float | None:
    """One change of a control, or of the page; the seconds until its run has finished, None for a page.

    turning: the share of changes of the page.
    """
    numbers = {
        key: control.element
        for key, control in reader.controls.items()
        if hasattr(control.element, "data_type") and not control.element.disabled
    }
    presets: list[Any] = [key for key in reader.controls if key.startswith("try_")]
    sliders = {
        (name, hand["key"]): hand
        for name, picture in reader.pictures.items()
        for hand in picture.hands["hands"]
        if hand["kind"] == "slider"
    }
    for name, picture in reader.pictures.items():
        presets += [(name, preset["values"]) for preset in picture.hands["presets"]]
    keys = [*sorted(numbers), *sliders, *presets]
    if not keys or chance.random() < turning:
        await reader.open(chance.choice(list(navigation.ICONS)))
        return None
    key = chance.choice(keys)
    if isinstance(key, tuple):
        picture, chosen = key
        if isinstance(chosen, dict):  # a preset
            return await reader.release(picture, chosen)
        low, high, step = (sliders[key][name] for name in ("low", "high", "step"))
        return await reader.release(
            picture, {chosen: low + step * chance.randint(0, min(int((high - low) / step), 1000))}
        )
    if key in presets:
        return await reader.press(key)
    number = numbers[key]
    low = number.min if number.has_min else number.default
    high = number.max if number.has_max else number.default + 10 * (number.step or 1)
    steps = int((high - low) / number.step) if number.step else 10
    return await reader.set_number(key, low + (number.step or 1) * chance.randint(0, min(steps, 1000)))


async def readers(address: str, count: int, seed: int = 0) -> list[float]:
    """Seconds from a change of a control to its finished run, of readers who think between changes."""
    took: list[float] = []

    async def one(number: int) -> None:
        chance = random.Random(1000 * seed + number)
        await asyncio.sleep(chance.uniform(0, THINKING[1]))
        async with Reader(address) as reader:
            end = time.perf_counter() + LASTING
            await reader.open(chance.choice(list(navigation.ICONS)))
            while time.perf_counter() < end:
                await asyncio.sleep(chance.uniform(*THINKING))
                if (seconds := await change(reader, chance)) is not None:
                    took.append(seconds)

    await asyncio.gather(*(one(number) for number in range(count)))
    return took


def measure_readers() -> list[Figure]:
    figures: list[Figure] = []
    with server("app.py") as (address, process):
        asyncio.run(visit_all(address))
        for count in READERS:
            before = cpu_seconds(process)
            took = asyncio.run(readers(address, count))
            cpu = 1000 * (cpu_seconds(process) - before) / len(took)
            note = (
                f"p50 {statistics.median(took):.2f} s of {len(took)} changes; {cpu:.0f} ms of the server's CPU a change"
            )
            limit = MOST_SECONDS if count == READERS[-1] else None
            name = f"{count} readers: control to finished run, p95"
            figures.append(Figure(name, percentile(took, 0.95), "s", limit, note=note))
    return figures
