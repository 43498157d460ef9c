"""The server's memory: it must stay where it is without a full collection after every run (alibi_viz/ui/shell/warm.py).

Readers change controls without thinking, and sessions are opened and abandoned. What grows at first are caches, all of
them bounded, and the sessions that Streamlit keeps for readers who come back; so the second half of each is what counts.
"""

from __future__ import annotations

import asyncio
import random

from alibi_viz.ui.shell import navigation
from benchmarks.chromium import megabytes, server
from benchmarks.load import change, visit_all
from benchmarks.reader import Reader
from benchmarks.report import Figure

CHANGES, SESSIONS = 1_000, 200
AT_ONCE = 5  # readers
LIMIT = 50  # megabytes that the second half may add


async def changes(address: str, count: int, seed: int) -> None:
    """So many changes of controls, on all pages."""

    async def one(number: int) -> None:
        chance, made = random.Random(1000 * seed + number), 0
        async with Reader(address) as reader:
            await reader.open(chance.choice(list(navigation.ICONS)))
            while made < count // AT_ONCE:
                made += await change(reader, chance) is not None

    await asyncio.gather(*(one(number) for number in range(AT_ONCE)))


async def abandoned(address: str, count: int, seed: int) -> None:
    """So many sessions that open a page and leave."""

    async def one(number: int) -> None:
        chance = random.Random(1000 * seed + number)
        for _ in range(count // AT_ONCE):
            async with Reader(address) as reader:
                await reader.open(chance.choice(list(navigation.ICONS)))

    await asyncio.gather(*(one(number) for number in range(AT_ONCE)))


def measure() -> list[Figure]:
    with server("app.py") as (address, process):
        asyncio.run(visit_all(address))
        sizes = [megabytes(process)]
        for half in range(2):
            asyncio.run(changes(address, CHANGES // 2, seed=half))
            sizes.append(megabytes(process))
        for half in range(2):
            asyncio.run(abandoned(address, SESSIONS // 2, seed=half))
            sizes.append(megabytes(process))
    note = "MB: " + ", ".join(f"{size:.0f}" for size in sizes)
    return [
        Figure(f"memory, {CHANGES} changes: growth in the second half", sizes[2] - sizes[1], "MB", LIMIT, note=note),
        Figure(f"memory, {SESSIONS} abandoned sessions: growth in the second half", sizes[4] - sizes[3], "MB", LIMIT),
    ]
