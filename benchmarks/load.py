"""Many readers of one server at once, over Streamlit's own protocol, on all pages.

Server and readers share this machine, so the readers' own work, about a tenth of the server's, is in the figures. What
the readers do is drawn from a seed.
"""

import asyncio
import base64
import random
import statistics
import subprocess
import time
from collections.abc import Awaitable, Callable
from typing import Any

from alibi_viz.ui.shell import navigation
from benchmarks.chromium import cpu_seconds, server
from benchmarks.reader import Reader
from benchmarks.report import Figure

READERS = {60: 0.2, 120: 1.0}  # and their p95, seconds
COLD = 0.5  # seconds: p95 of the first ones of a server that was just started
THINKING = (3.0, 5.0)  # seconds between two changes of a reader
LASTING = 30.0  # seconds of a run
WRITERS = 60  # readers who all let models write
WRITING = (4.0, 8.0)  # seconds in which a browser writes four texts of 1,000 bytes
TURNING = 0.2  # share of the changes that open another page
Act = Callable[[Reader, random.Random], Awaitable[float | None]]  # what a reader does; the seconds that it took


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


async def visit_all(address: str) -> None:
    """One reader looks at every page: what is computed once has been computed."""
    async with Reader(address) as reader:
        for lesson in navigation.ICONS:
            await reader.open(lesson)


def _of_hand(hand: dict[str, Any], chance: random.Random) -> Any:
    """A value that a hand can report; None: it takes a text."""
    if hand["kind"] == "slider":
        steps = max(int((hand["high"] - hand["low"]) / hand["step"]), 1)
        return hand["low"] + hand["step"] * chance.randint(0, min(steps, 1000))
    if hand["kind"] == "switch":
        return chance.random() < 0.5
    return chance.choice(hand["options"])[0] if hand.get("options") else None


async def change(reader: Reader, chance: random.Random, turning: float = TURNING) -> float | None:
    """One change of any control, or of the page; the seconds until its run has finished, None for a page.

    turning: the share of changes of the page.
    """
    moves: list[tuple[str, dict[str, Any]]] = []
    for name, picture in reader.pictures.items():
        moves += [(name, preset["values"]) for preset in picture.hands["presets"]]
        for hand in picture.hands["hands"]:
            if (value := _of_hand(hand, chance)) is not None:
                moves.append((name, {hand["key"]: value}))
    if not moves or chance.random() < turning:
        await reader.open(chance.choice(list(navigation.ICONS)))
        return None
    return await reader.release(*chance.choice(moves))


async def write(reader: Reader, chance: random.Random) -> float:
    """A beginning of this reader's own: the browser writes on and reports, and PyTorch checks all of it. Returns the
    seconds of both runs."""
    if reader.page != "write":
        await reader.open("write")
    waited = await reader.release("write", {"write_text": f"The {chance.randint(0, 10**9)} is "})
    message = reader.pictures["write"].message
    await asyncio.sleep(chance.uniform(*WRITING))
    texts = [base64.b64encode(chance.randbytes(message["length"])).decode() for _ in message["texts"]]
    return waited + await reader.tell("write", "written", {"choices": message["choices"], "texts": texts})


async def readers(address: str, count: int, seed: int = 0, act: Act = change) -> list[float]:
    """Seconds that readers who think between two acts wait for the server; by default from a change of a control to its
    finished run."""
    took: list[float] = []

    async def one(number: int) -> None:
        chance = random.Random(1000 * seed + number)
        await asyncio.sleep(chance.uniform(0, THINKING[1]))
        async with Reader(address) as reader:
            end = time.perf_counter() + LASTING
            await reader.open(chance.choice(list(navigation.ICONS)))
            while time.perf_counter() < end:
                await asyncio.sleep(chance.uniform(*THINKING))
                if (seconds := await act(reader, chance)) is not None:
                    took.append(seconds)

    await asyncio.gather(*(one(number) for number in range(count)))
    return took


def measure_readers() -> list[Figure]:
    """Readers of all pages: the first sixty of a new server, then more of one that has served every page."""
    with server("app.py") as (address, process):
        figures = [_figure(address, process, 60, "readers of a new server", COLD)]
    with server("app.py") as (address, process):
        asyncio.run(visit_all(address))
        figures += [_figure(address, process, count, "readers", most) for count, most in READERS.items()]
        return [*figures, _figure(address, process, WRITERS, "readers who all write", READERS[WRITERS], write)]


def _figure(
    address: str, process: subprocess.Popen[bytes], count: int, name: str, most: float, act: Act = change
) -> Figure:
    before = cpu_seconds(process)
    took = asyncio.run(readers(address, count, act=act))
    cpu = 1000 * (cpu_seconds(process) - before) / len(took)
    note = f"p50 {statistics.median(took):.2f} s of {len(took)} acts; {cpu:.0f} ms of the server's CPU an act"
    return Figure(f"{count} {name}: act to finished run, p95", percentile(took, 0.95), "s", most, note=note)
