"""A class of sixty in one room, over Streamlit's own protocol: answers, reloads, and members who follow their teacher.

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
MOVES = 8  # changes of the teacher that the class follows
THINKING = (2.0, 4.0)  # seconds between two, from when all pages have shown the first of them
PATIENCE = 60.0  # seconds that are waited for an answer
MOST_ANSWER, MOST_FOLLOW = 1.5, 2.0  # seconds, p95
HEADS = 20  # the teacher's first change sets one more
_ANSWERED = re.compile(r"(\d+) of (\d+) have answered")
_HEADS = re.compile(r"(\d+) heads, slopes from")


@dataclass
class Course:
    """What a class saw. Times are seconds of `time.perf_counter`."""

    sent: list[float] = field(default_factory=list)  # answers
    counted: list[float] = field(default_factory=list)  # when the teacher's screen showed 1, 2, 3, ... answers
    screen: tuple[int, int] = (0, 0)  # what it showed last: answers, members
    moved: dict[int, float] = field(default_factory=dict)  # number of heads -> when the teacher asked for it
    arrived: dict[tuple[int, int], float] = field(
        default_factory=dict
    )  # (member, number of heads) -> when it was shown

    def teacher_hears(self, text: str) -> None:
        if found := _ANSWERED.search(text):
            self.screen = int(found[1]), int(found[2])
            self.counted += [time.perf_counter()] * (self.screen[0] - len(self.counted))

    def member_hears(self, member: int, text: str) -> None:
        if (found := _HEADS.search(text)) and int(found[1]) in self.moved:
            self.arrived.setdefault((member, int(found[1])), time.perf_counter())

    @property
    def answers(self) -> list[float]:
        """Seconds from each answer until the teacher's screen counted it; of those that it counted."""
        return [seen - left for left, seen in zip(sorted(self.sent), self.counted, strict=False)]

    @property
    def follows(self) -> list[float]:
        """Seconds from each change of the teacher until a member's page showed it; of the pages that did."""
        return [seen - self.moved[heads] for (_, heads), seen in self.arrived.items()]


async def room(
    address: str, members: int = MEMBERS, seconds: float = ANSWERING, *, reloading: int = 0, moves: int = 0
) -> Course:
    """A class joins, answers, and follows. seconds: in which all join, and then again, in which all answer.

    reloading: members who load the page again; then the teacher does too. moves: changes of the teacher.
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
            option = chance.choice([key for key in student.controls if key.startswith("predict_slopes")])
            course.sent.append(time.perf_counter())
            await student.press(option)
            if number < reloading:
                await student.reload()
            await over.wait()

    async with Reader(address, heard) as teacher:
        await teacher.open("slopes")
        await teacher.press("room_open")
        code = next(text for text in reversed(said) if text.startswith("### "))[4:]
        times = [(chance.uniform(0, seconds), chance.uniform(seconds, 2 * seconds)) for _ in range(members)]
        class_ = asyncio.gather(*(member(number, code, *moments) for number, moments in enumerate(times)))
        await until(1.5 * seconds)
        if reloading:
            await teacher.reload()
        await _until(lambda: course.screen[0] >= members, 0.5 * seconds + PATIENCE)
        for heads in range(HEADS + 1, HEADS + 1 + moves):
            course.moved[heads] = time.perf_counter()
            await teacher.set_number("heads", heads)
            await _until(lambda: len(course.arrived) == members * len(course.moved), PATIENCE)
            await asyncio.sleep(chance.uniform(*THINKING))
        over.set()
        await class_
    return course


async def _until(is_so: Callable[[], bool], patience: float) -> None:
    end = time.perf_counter() + patience
    while not is_so() and time.perf_counter() < end:
        await asyncio.sleep(0.05)


def measure() -> list[Figure]:
    """On one server."""
    with server("app.py") as (address, _):
        asyncio.run(visit_all(address))
        course = asyncio.run(room(address, reloading=RELOADING, moves=MOVES))
    answers, follows, (answered, members) = course.answers, course.follows, course.screen
    lost = MEMBERS * MOVES - len(follows)
    return [
        _seconds(f"{MEMBERS} members: an answer on the teacher's screen, p95", answers, MOST_ANSWER),
        _seconds(f"{MEMBERS} members follow a change of the teacher, p95", follows, MOST_FOLLOW),
        Figure(f"members counted, {RELOADING} and the teacher have reloaded", members, f"of {MEMBERS}", MEMBERS),
        Figure("answers counted", answered, f"of {MEMBERS}", MEMBERS, at_least=True),
        Figure("changes that a member's page did not show", lost, f"of {MEMBERS * MOVES}", 0),
    ]


def _seconds(name: str, values: list[float], limit: float) -> Figure:
    note = f"p50 {statistics.median(values):.2f}, slowest {max(values):.2f} s of {len(values)}"
    return Figure(name, percentile(values, 0.95), "s", limit, note=note)
