"""A walk through a class, drawn from a seed.

A teacher with a console on two devices, a wall and other windows, and students with phones that vote, draw, sleep, load
again and turn pages, over Streamlit's own protocol. The server is stopped or killed and started again, also with a clock
that was changed meanwhile. After each round the class is quiet, and then must hold:

- no page shows an error of Python;
- no clock and no step of the plan goes back by itself; where a console turns to, the wall goes, and no farther;
- every vote of a member is counted, in the round that it was given in, or its absence is said;
- within a few seconds all phones show what the wall asks, or its answer.
"""

import asyncio
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from alibi_viz.classroom.kept import NAME, PACE
from alibi_viz.classroom.plans import PLANS
from alibi_viz.classroom.rooms import FIRST
from benchmarks.chromium import free_port, wait_until_ready
from benchmarks.reader import Reader

QUIET = 5.0  # seconds in which all agree
SEEN = 1.5  # seconds after which a phone that is awake has looked at its room
MOST_CHANGED = 3_000  # seconds that a clock is set back or ahead
PAGES = ("slopes", "bias", "story", "recall", "pitfalls", "attention", "extrapolation", "glossary", "compare")
ASKING = (
    "slopes?heads=8",
    "slopes?heads=12",
    "bias?n=128",
    "story?step=6",
    "recall?curse_pairs=4",
    "pitfalls?pitfall=sign",
)
ANSWERED = re.compile(r"\*\*(\d+) of (\d+)\*\* have answered")
OPTION = re.compile(r"question_(\S+)_\d+")
OTHER_LANGUAGE = re.compile("lang=(zh|ja)")
WAITS = "until your teacher reveals"
JOINS = "Open the address, or any page"  # on the poster
BAR = re.compile(r": (?:\d+ → )?(\d+)$")  # how often an option was chosen, in this round
STEP, MINUTE = re.compile(r"^### (\d+)\. ", re.MULTILINE), re.compile(r"Minute (\d+) of")


class Broken(AssertionError):
    """An invariant does not hold."""


@dataclass
class Window:
    """A window of a browser; open while it has a reader. cookies: those of its browser."""

    cookies: dict[str, str]
    reader: Reader | None = None
    at: tuple[str, str] = ("slopes", "")
    said: list[str] = field(default_factory=list)

    async def open(self, address: str, page: str, query: str = "") -> Reader:
        if self.reader is None:
            self.reader = await Reader(address, self.said.append, self.cookies).__aenter__()
        await self.reader.open(page, query)
        return self.reader

    async def close(self) -> None:
        reader, self.reader = self.reader, None
        if reader:
            self.at = reader.page, reader.line
            await reader.__aexit__()

    async def reload(self) -> None:
        if self.reader:
            await self.reader.reload()

    @property
    def text(self) -> str:
        """What it shows."""
        return "\n".join(body for _, body in self.reader.texts.values()) if self.reader else ""


class Walk:
    """students: how many phones there are. quiet: seconds in which all agree."""

    def __init__(self, seed: int, students: int, folder: Path, quiet: float) -> None:
        self.quiet, self.folder, self.port = quiet, folder, free_port()
        self.chance, self.course = random.Random(seed), random.Random(seed)  # of all; of what the teacher does
        self.address, self.acts = f"http://127.0.0.1:{self.port}", list[str]()
        teacher: dict[str, str] = {}
        self.notes, self.wall, self.peek = Window(teacher), Window(teacher), Window(teacher)
        self.desk = Window({})  # the console on another device
        self.phones = [Window({}) for _ in range(students)]
        self.code, self.progress = "", (0, 0)  # step and minute of the plan
        self.taken: defaultdict[str, set[int]] = defaultdict(set)  # question -> phones whose vote was seen to be taken
        self.process: subprocess.Popen[bytes] | None = None

    # The server

    def start(self) -> None:
        command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(self.port)]
        environment = {**os.environ, "ALIBI_VIZ_DATA": str(self.folder), "ALIBI_VIZ_WARM": "0"}
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        wait_until_ready(f"{self.address}/_stcore/health")

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        if self.process:
            self.process.send_signal(how)
            self.process.wait(timeout=20)

    async def restart(self) -> None:
        """Stop or kill the server; set the clock back or ahead; start it, and connect all windows again."""
        await asyncio.sleep(2 * PACE)  # until what was done is on disk
        self.stop(self.chance.choice([signal.SIGTERM, signal.SIGKILL]))
        kept = self.folder / NAME.format(self.port)
        if kept.exists() and self.chance.random() < 0.5:
            content = json.loads(kept.read_bytes())
            content["at"] += self.chance.uniform(-MOST_CHANGED, MOST_CHANGED)
            kept.write_text(json.dumps(content))
        await asyncio.to_thread(self.start)
        self.progress = self.progress[0], 0  # a clock that was set says another minute
        for window in self.windows():
            await window.close()
            await window.open(self.address, *window.at)
        await self.button(self.wall, "room_lead")  # of two that present, another one may have come first

    def windows(self) -> list[Window]:
        teachers = self.wall, self.notes, self.desk, self.peek
        return [window for window in (*teachers, *self.phones) if window.reader]

    # The teacher

    async def begin(self) -> None:
        reader = await self.wall.open(self.address, "slopes")
        self.notes.cookies.update(reader.cookies)
        await reader.open_box("class_open")
        await reader.press("room_open")
        self.code = next(text for text in reversed(self.wall.said) if text.startswith("### "))[4:]
        await self.wall.open(self.address, "slopes", "heads=8&present=true")
        await self.notes.open(self.address, "lesson", "lesson_plan=10")
        await self.follow()
        if self.notes.reader:
            await self.notes.reader.open_box("plan_device")
        link = next(text for text in reversed(self.notes.said) if "desk=" in text)
        await self.desk.open(self.address, "lesson", link.partition("?")[2])
        for phone in self.phones:
            await self.turn(phone)

    async def follow(self) -> None:
        """Begin a plan, or begin it again."""
        reader = self.notes.reader
        if button := next((key for key in ("plan_follow", "plan_again") if reader and key in reader.controls), ""):
            self.progress = (0, 0)
            await reader.press(button)

    async def look_at_plan(self) -> None:
        await self.notes.open(
            self.address, "lesson", self.chance.choice(["", *(f"lesson_plan={plan}" for plan in PLANS)])
        )

    async def to_wall(self) -> None:
        """Another picture on the wall."""
        page, _, query = self.chance.choice([*ASKING, self.chance.choice(PAGES)]).partition("?")
        await self.wall.open(self.address, page, f"{query}&present=true")

    async def press(self, key: str) -> None:
        """A key on the wall."""
        if self.wall.reader and "present_keys" in self.wall.reader.components:
            await self.wall.reader.tell("present_keys", "pressed", [key])

    async def button(self, window: Window, key: str) -> bool:
        """Press a button, if it is there and can be pressed."""
        control = window.reader.controls.get(key) if window.reader else None
        if window.reader is None or control is None or control.element.disabled:
            return False
        await window.reader.press(key)
        return True

    def console(self) -> Window:
        """One of the teacher's two."""
        return self.chance.choice([self.notes, self.desk])

    async def turn_wall(self) -> None:
        """A console, or both at once, turn to a step: the wall goes there, and the other console says so."""
        keys = [f"plan_{key}" for key in ("back", "next", "next", *(f"step_{number}" for number in range(4)))]
        key, windows = (
            self.chance.choice(keys),
            self.chance.choice([[self.notes], [self.desk], [self.notes, self.desk]]),
        )
        shown = [STEP.search(window.text) for window in windows]
        plan, now = self.plan(windows[0]), {int(found[1]) - 1 for found in shown if found}
        if not plan or len(now) != 1 or any(self.plan(window) != plan for window in windows):
            return
        (at,) = now
        to = {"back": at - 1, "next": at + 1}.get(key.removeprefix("plan_"), int(key[-1]) if key[-1].isdigit() else 0)
        if not any(await asyncio.gather(*(self.button(window, key) for window in windows))):
            return
        self.progress = to + 1, self.progress[1]
        await self.until(
            lambda: bool(self.wall.reader) and self.wall.reader.shown == PLANS[plan][to].page, "the wall is there"
        )
        both = [window for window in (self.notes, self.desk) if self.plan(window) == plan]
        await self.until(lambda: all(f"### {to + 1}. " in window.text for window in both), "both consoles say so")

    @staticmethod
    def plan(window: Window) -> str:
        """The plan that a console steers by; "": it shows another one than the room follows."""
        steps = sum(key.startswith("plan_step_") for key in window.reader.controls) if window.reader else 0
        return next((plan for plan, its in PLANS.items() if len(its) == steps), "")

    async def poster(self) -> None:
        """How to join is on the wall, until a console takes it back."""
        for is_up in (True, False):
            if await self.button(self.console(), "plan_poster"):
                await self.until(
                    lambda is_up=is_up: (JOINS in self.wall.text) == is_up, "the wall says how to join, or no more"
                )
                await asyncio.sleep(2 * FIRST)  # the other console has seen it

    async def show_votes(self) -> None:
        """The bars of the wall are the votes that it counts."""
        if await self.button(self.console(), "desk_votes"):
            await self.until(self.bars_are_votes, "the bars are the votes")

    def bars_are_votes(self) -> bool:
        bars = [int(found[1]) for _, text in self.wall.reader.texts.values() if (found := BAR.search(text))]
        return not bars or sum(bars) == self.asked()[1]

    async def ask_again(self) -> None:
        """A second vote begins without votes."""
        if await self.button(self.console(), "desk_again"):
            self.taken.clear()
            await self.until(lambda: self.asked()[1] == 0, "a second vote begins anew")

    async def ask_anew(self) -> None:
        if self.wall.reader and "room_anew" in self.wall.reader.controls:
            self.taken.clear()
            await self.wall.reader.press("room_anew")

    async def look_elsewhere(self) -> None:
        """Another window of the teacher shows a lesson, as large as a wall or not."""
        await self.peek.open(self.address, self.chance.choice(PAGES), self.chance.choice(["", "present=true"]))
        await asyncio.sleep(2 * FIRST)  # no teacher is so quick

    # The students

    async def turn(self, phone: Window) -> None:
        """Join, wake up, or turn the page."""
        query = {"room": self.code, "lang": self.chance.choice(["en", "en", "zh", "ja"])}
        await phone.open(self.address, self.chance.choice(PAGES), urlencode(query))

    async def vote(self, phone: Window) -> None:
        """Answer what it shows, and see that this was taken, or why not."""
        reader = phone.reader
        if reader is None:
            return
        # While the votes are shown its options stand disabled, and it says so.
        options = sorted(
            key for key, shown in reader.controls.items() if OPTION.fullmatch(key) and not shown.element.disabled
        )
        drawing = next((key for key in reader.pictures if reader.pictures[key].message.get("drawing")), "")
        toasts = len(reader.toasts)
        if options:
            chosen = self.chance.choice(options)
            await reader.press(chosen)
            await self.until(
                lambda: self.is_answered(reader, chosen) or len(reader.toasts) > toasts, "a vote was taken"
            )
            if chosen in reader.controls and _is_marked(reader.controls[chosen].element):
                self.taken[OPTION.fullmatch(chosen)[1]].add(self.phones.index(phone))
        elif drawing and reader.pictures[drawing].message["drawing"]["is_open"]:
            await reader.tell(drawing, "drawn", [round(self.chance.uniform(3.5, 60), 2) for _ in range(16)])

    @staticmethod
    def is_answered(reader: Reader, key: str) -> bool:
        """Whether a button is marked, or the question is another one now or has been answered alone."""
        return key not in reader.controls or _is_marked(reader.controls[key].element)

    # What must hold

    async def until(self, holds: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + self.quiet
        while not holds():
            if time.monotonic() > end:
                raise Broken(f"Not within {self.quiet:g} s: {what}.")
            await asyncio.sleep(0.1)

    def asked(self) -> tuple[str, int]:
        """What the wall asks, and how many votes it counts; "": nothing."""
        wall = self.wall.reader
        button = wall.controls.get("room_reveal") if wall else None
        if wall is None or button is None:
            return "", 0
        texts = [body for _, (fragment, body) in sorted(wall.texts.items()) if fragment == button.fragment]
        if not texts:  # the wall is in the middle of a run
            return "", 0
        found = ANSWERED.search("\n".join(texts))
        return texts[0], int(found[1]) if found else 0

    def agree(self) -> bool:
        """Whether every phone that speaks the wall's language shows its question, or none waits for an answer."""
        asked, _ = self.asked()
        phones = [phone for phone in self.phones if phone.reader and not OTHER_LANGUAGE.search(phone.reader.line)]
        return all(asked in phone.text if asked else WAITS not in phone.text for phone in phones)

    def counts(self) -> bool:
        """Whether all votes that phones have seen taken are counted, and no more than there are phones."""
        asked, count = self.asked()
        awake = [phone.reader for phone in self.phones if phone.reader and asked in phone.text]
        names = [{found[1] for key in reader.controls if (found := OPTION.fullmatch(key))} for reader in awake]
        everywhere = set.intersection(*names) if names else set()  # a page may ask a question of its own beside it
        taken = min((len(self.taken[name]) for name in everywhere), default=0)
        return not asked or taken <= count <= len(self.phones)

    async def check(self) -> None:
        await self.until(self.agree, f"all phones show what the wall asks, {self.asked()[0]!r}")
        await self.until(self.counts, "every vote is counted")
        for window in self.windows():
            if window.reader and window.reader._failure:
                raise Broken(window.reader._failure)
        self.goes_on()
        await self.notes.open(self.address, "lesson")
        await self.until(self.goes_on, "the notes know the plan")

    def goes_on(self) -> bool:
        """Whether the notes show the plan of the room; its step and clock have not gone back."""
        step, minute = STEP.search(self.notes.text), MINUTE.search(self.notes.text)
        if step is None:
            return False
        now = int(step[1]), int(minute[1]) if minute else 0
        if now[0] < self.progress[0] or now[1] < self.progress[1]:
            raise Broken(f"Step and minute went back: {self.progress} -> {now}.")
        self.progress = now
        return True

    async def round(self) -> None:
        """The teacher does something, then every student at once, and then all must hold."""
        acts: dict[str, tuple[Callable[[], Awaitable[Any]], int]] = {
            "nothing": (lambda: asyncio.sleep(0), 3),
            "next": (lambda: self.press("N"), 3),
            "reveal": (lambda: self.press("R"), 2),
            "poster": (lambda: self.press("J"), 1),
            "another picture": (self.to_wall, 3),
            "load the wall again": (self.wall.reload, 2),
            "ask anew": (self.ask_anew, 1),
            "look elsewhere": (self.look_elsewhere, 2),
            "close that": (self.peek.close, 1),
            "look at a plan": (self.look_at_plan, 1),
            "begin a plan": (self.follow, 1),
            "turn the wall": (self.turn_wall, 4),
            "poster from the desk": (self.poster, 1),
            "votes": (self.show_votes, 2),
            "ask again": (self.ask_again, 2),
            "answer": (lambda: self.button(self.console(), "desk_answer"), 1),
            "restart": (self.restart, 1),
        }
        name = self.course.choices([*acts], [weight for _, weight in acts.values()])[0]
        self.acts.append(name)
        await acts[name][0]()
        if self.chance.random() < 0.8:  # else they do not know yet
            await asyncio.sleep(SEEN)
        does = self.chance.choices(
            [self.vote, self.turn, Window.close, Window.reload], [8, 3, 1, 1], k=len(self.phones)
        )
        await asyncio.gather(*(act(phone) for act, phone in zip(does, self.phones, strict=True)))
        await self.check()

    async def go(self, is_over: Callable[[], bool]) -> None:
        """Until it is over, or an invariant is broken."""
        try:
            await asyncio.to_thread(self.start)
            await self.begin()
            while not is_over():
                await self.round()
        finally:
            for window in self.windows():
                with suppress(Exception):
                    await window.close()
            self.stop()


def _is_marked(element: Any) -> bool:
    return getattr(element, "type", "") == "primary"


async def walk(seed: int, students: int, is_over: Callable[[list[str]], bool], quiet: float = QUIET) -> list[str]:
    """What the teacher did in a walk. Raises AssertionError, with the acts, where an invariant is broken."""
    with tempfile.TemporaryDirectory() as folder:
        one = Walk(seed, students, Path(folder), quiet)
        try:
            await one.go(lambda: is_over(one.acts))
        except (Broken, RuntimeError) as error:
            raise AssertionError(
                f"Seed {seed}, in round {len(one.acts)} ({', '.join(one.acts[-8:])}): {error}"
            ) from None
        log = (one.folder / "log").read_text()
        assert "Traceback" not in log, log[-3000:]
        return one.acts
