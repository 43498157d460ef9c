"""A class of sixty in one room on one server, over Streamlit's own protocol: votes, reloads, and the reveal.

Server and class share this machine, so the members' own work is in the figures. What they do is drawn from a seed.
"""

from __future__ import annotations

import asyncio
import random
import re
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.chromium import server
from benchmarks.load import percentile, visit_all
from benchmarks.reader import Reader
from benchmarks.report import Figure

MEMBERS, RELOADING = 60, 10  # of the class; how many of them load the page again, before and after they answer
ANSWERING = 15.0  # seconds in which the class joins, and again as many in which it answers
PATIENCE = 60.0  # seconds that are waited for an answer
MOST_SECONDS = 1.5  # p95, of a vote and of the reveal
_ANSWERED = re.compile(r"\*\*(\d+) of (\d+)\*\* have answered")
_REVEALED = re.compile(r"The answer is|That is right")


@dataclass
class Course:
    """What a class saw. Times are seconds of `time.perf_counter`."""

    sent: list[float] = field(default_factory=list)  # votes
    counted: list[float] = field(default_factory=list)  # when the teacher's screen showed 1, 2, 3, ... votes
    screen: tuple[int, int] = (0, 0)  # what it showed last: votes, members
    revealed: float = 0.0  # when the teacher pressed Reveal
    shown: dict[int, float] = field(default_factory=dict)  # member -> when the answer was on the member's page

    def teacher_hears(self, text: str) -> None:
        if found := _ANSWERED.search(text):
            self.screen = int(found[1]), int(found[2])
            self.counted += [time.perf_counter()] * (self.screen[0] - len(self.counted))

    def member_hears(self, member: int, text: str) -> None:
        if self.revealed and _REVEALED.search(text):
            self.shown.setdefault(member, time.perf_counter())

    @property
    def votes(self) -> list[float]:
        """Seconds from each vote until the teacher's screen counted it; of those that it counted."""
        return [seen - left for left, seen in zip(sorted(self.sent), self.counted, strict=False)]

    @property
    def answers(self) -> list[float]:
        """Seconds from the reveal until a member's page showed the answer."""
        return [seen - self.revealed for seen in self.shown.values()]


async def room(address: str, members: int = MEMBERS, seconds: float = ANSWERING, *, reloading: int = 0) -> Course:
    """A class joins, votes, and sees the answer. seconds: in which all join, and then again, in which all vote.

    reloading: members who load the page again; then the teacher does too.
    """
    chance, said, course, over = random.Random(0), list[str](), Course(), asyncio.Event()
    begun = time.perf_counter()

    def heard(text: str) -> None:
        said.append(text)
        course.teacher_hears(text)

    async def until(moment: float) -> None:
        await asyncio.sleep(max(0.0, begun + moment - time.perf_counter()))

    async def member(number: int, code: str, joins: float, answers: float) -> None:
        await until(joins)
        async with Reader(address, lambda text: course.member_hears(number, text)) as student:
            await student.open("slopes", f"room={code}")
            await until(answers)
            if number < reloading:
                await student.reload()
            option = chance.choice([key for key in student.controls if key.startswith("question_slopes")])
            course.sent.append(time.perf_counter())
            await student.press(option)
            if number < reloading:
                await student.reload()
            await over.wait()

    async with Reader(address, heard) as teacher:
        await teacher.open("slopes")
        await teacher.open_box("class_open")
        await teacher.press("room_open")
        code = next(text for text in reversed(said) if text.startswith("### "))[4:]
        times = [(chance.uniform(0, seconds), chance.uniform(seconds, 2 * seconds)) for _ in range(members)]
        class_ = asyncio.gather(*(member(number, code, *moments) for number, moments in enumerate(times)))
        await until(1.5 * seconds)
        if reloading:
            await teacher.reload()
        await _until(lambda: course.screen[0] >= members, 0.5 * seconds + PATIENCE)
        course.revealed = time.perf_counter()
        await teacher.press("room_reveal")
        await _until(lambda: len(course.shown) == members, PATIENCE)
        over.set()
        await class_
    return course


async def _until(is_so: Callable[[], bool], patience: float) -> None:
    end = time.perf_counter() + patience
    while not is_so() and time.perf_counter() < end:
        await asyncio.sleep(0.05)


def measure() -> list[Figure]:
    with server("app.py") as (address, _):
        asyncio.run(visit_all(address))
        course = asyncio.run(room(address, reloading=RELOADING))
    answered, members = course.screen
    return [
        _seconds(f"{MEMBERS} members: a vote on the teacher's screen, p95", course.votes),
        _seconds(f"{MEMBERS} members: the answer after Reveal, p95", course.answers),
        Figure(f"members counted, {RELOADING} and the teacher have reloaded", members, f"of {MEMBERS}", MEMBERS),
        Figure("votes counted", answered, f"of {MEMBERS}", MEMBERS, at_least=True),
        Figure("members who saw the answer", len(course.shown), f"of {MEMBERS}", MEMBERS, at_least=True),
    ]


def _seconds(name: str, values: list[float]) -> Figure:
    note = f"p50 {statistics.median(values):.2f}, slowest {max(values):.2f} s of {len(values)}"
    return Figure(name, percentile(values, 0.95), "s", MOST_SECONDS, note=note)
