"""A class of sixty in one room on one server, over Streamlit's own protocol: votes, reloads, and the reveal.

Server and class share this machine, so the members' own work is in the figures. What they do is drawn from a seed.
"""

import asyncio
import random
import re
import statistics
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial

from alibi_viz.classroom.plans import PLANS
from benchmarks.chromium import server
from benchmarks.load import percentile, visit_all
from benchmarks.reader import Reader
from benchmarks.report import Figure

MEMBERS, RELOADING = 60, 10  # of the class; how many of them load the page again, before and after they answer
ANSWERING = 15.0  # seconds in which the class joins, and again as many in which it answers
PATIENCE = 60.0  # seconds that are waited for an answer
MOST_VOTE, MOST_ANSWER = 0.8, 1.5  # p95, in seconds
PRESSES, MOST_TURN = 20, 0.5  # on the console; p95 until the wall has gone there
REVEALS, DRAWING = 20, 90.0  # classes that draw; seconds in which the first of them does
MOST_DRAWN = 0.5  # p95, until all lines are on the wall
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
    turns: list[float] = field(default_factory=list)  # seconds from each press on the console until the wall was there

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
        course.turns = await _turned(address, teacher)
        over.set()
        await class_
    return course


async def _turned(address: str, wall: Reader) -> list[float]:
    """Seconds from each press on the console of this wall's teacher until the wall shows the step."""
    plan, took = PLANS["10"], list[float]()
    async with Reader(address, cookies=wall.cookies) as console:
        await console.open("lesson", "lesson_plan=10")
        await console.press("plan_follow")
        for number in range(PRESSES + 1):
            at = number % 2
            await _has(console, f"plan_step_{at}")
            began, is_there = time.perf_counter(), partial(_shows, wall, plan[at].page)
            await console.press(f"plan_step_{at}")
            await _until(is_there, PATIENCE)
            took.append(time.perf_counter() - began)
    return took[1:]  # the wall was there before the first


def _shows(wall: Reader, page: str) -> bool:
    return wall.shown == page


async def drawn(address: str, members: int = MEMBERS, seconds: float = DRAWING, reveals: int = REVEALS) -> list[float]:
    """Classes draw in the story, one after the other: seconds from each reveal until the wall has every member's lines.

    seconds: in which the first class opens the page and draws; the others take as long as the server lets them.
    """
    chance, said, took, course = random.Random(1), list[str](), list[float](), Course()

    def heard(text: str) -> None:
        said.append(text)
        course.teacher_hears(text)

    async def draw(student: Reader, code: str, waits: float) -> None:
        await asyncio.sleep(waits)
        await student.open("glossary", f"room={code}")  # a page that is open already stays in its room
        await student.open("story", f"step=6&room={code}")
        await student.tell("story", "drawn", [round(chance.uniform(3.5, 60), 2) for _ in range(16)])

    async with AsyncExitStack() as stack:
        teacher = await stack.enter_async_context(Reader(address, heard))
        students = [await stack.enter_async_context(Reader(address)) for _ in range(members)]
        for number in range(reveals):
            course.screen = (0, 0)
            await teacher.open("story", "step=6")
            await teacher.open_box("class_open")
            await teacher.press("room_open")
            code = next(text for text in reversed(said) if text.startswith("### "))[4:]
            waits = [0.0 if number else chance.uniform(0, seconds) for _ in students]
            await asyncio.gather(*(draw(student, code, wait) for student, wait in zip(students, waits, strict=True)))
            await _until(lambda: course.screen == (members, members), PATIENCE)
            await _has(teacher, "room_reveal")
            began = time.perf_counter()
            await teacher.press("room_reveal")
            await _until(lambda: _on_wall(teacher) == members, PATIENCE)
            took.append(time.perf_counter() - began)
            await teacher.open_box("class_open")
            await teacher.press("room_close")
    return took


def _on_wall(teacher: Reader) -> int:
    """How many members' lines the teacher's picture has."""
    drawing = teacher.pictures["story"].message["drawing"]
    return int(drawing["of_class"]["shape"][0]) if drawing else 0


async def _has(reader: Reader, button: str) -> None:
    """Wait for a button that comes with a part of the page, which runs by the clock."""
    await _until(lambda: button in reader.controls, PATIENCE)


async def _until(is_so: Callable[[], bool], patience: float) -> None:
    end = time.perf_counter() + patience
    while not is_so() and time.perf_counter() < end:
        await asyncio.sleep(0.02)


def measure() -> list[Figure]:
    with server("app.py") as (address, _):
        asyncio.run(visit_all(address))
        course = asyncio.run(room(address, reloading=RELOADING))
        reveals = asyncio.run(drawn(address))
    answered, members = course.screen
    return [
        _seconds(f"{MEMBERS} members: a vote on the teacher's screen, p95", course.votes, MOST_VOTE),
        _seconds(f"{MEMBERS} members: the answer after Reveal, p95", course.answers, MOST_ANSWER),
        _seconds(f"{MEMBERS} members: the wall after a press on the console, p95", course.turns, MOST_TURN),
        Figure(f"members counted, {RELOADING} and the teacher have reloaded", members, f"of {MEMBERS}", MEMBERS),
        Figure("votes counted", answered, f"of {MEMBERS}", MEMBERS, at_least=True),
        Figure(
            f"lines of {MEMBERS} on the wall after Reveal, p95 of {len(reveals)}",
            percentile(reveals, 0.95),
            "s",
            MOST_DRAWN,
            note=f"p50 {statistics.median(reveals):.2f}, slowest {max(reveals):.2f} s",
        ),
        Figure("members who saw the answer", len(course.shown), f"of {MEMBERS}", MEMBERS, at_least=True),
    ]


def _seconds(name: str, values: list[float], most: float) -> Figure:
    note = f"p50 {statistics.median(values):.2f}, slowest {max(values):.2f} s of {len(values)}"
    return Figure(name, percentile(values, 0.95), "s", most, note=note)
