"""Rooms of a class: students answer a question, the teacher sees how the answers are distributed, and reveals.

Notable choices:
- No accounts and no names: a student is a random number, a teacher is whoever holds the room's key.
- Everything is in the memory of the server and bounded: rooms, members, questions. A room is gone after LIFETIME seconds.
- One answer a member and question; a new one replaces it until the teacher reveals.
"""

import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

LIFETIME = 2 * 60 * 60.0  # seconds
ROOMS, MEMBERS, QUESTIONS, OPTIONS = 32, 200, 64, 12
LONGEST = 64  # characters of a question's name
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # without those that are easily confused
DIGITS = 5  # of a code


@dataclass
class _Room:
    key: str
    opened: float
    members: set[str] = field(default_factory=set)
    answers: dict[str, dict[str, int]] = field(default_factory=dict)  # question -> member -> option
    revealed: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Tally:
    """The answers to one question."""

    counts: tuple[int, ...]  # of each option
    members: int
    revealed: bool

    @property
    def answered(self) -> int:
        return sum(self.counts)


class Rooms:
    """All rooms of a server. Methods may be called from any thread; what is refused raises ValueError with a sentence."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._rooms: dict[str, _Room] = {}

    def open(self) -> tuple[str, str]:
        """A new room: its code, for students, and its key, for the teacher alone."""
        with self._lock:
            self._forget()
            if len(self._rooms) >= ROOMS:
                raise ValueError("This server has no more rooms. Try again in an hour.")
            code = self._new_code()
            room = self._rooms[code] = _Room(secrets.token_urlsafe(16), self._clock())
            return code, room.key

    def close(self, code: str, key: str) -> None:
        """End a room; its answers are gone."""
        with self._lock:
            self._of_teacher(code, key)
            del self._rooms[code]

    def join(self, code: str) -> str:
        """A new member of a room."""
        with self._lock:
            room = self._room(code)
            if len(room.members) >= MEMBERS:
                raise ValueError("This room is full.")
            member = secrets.token_urlsafe(8)
            room.members.add(member)
            return member

    def exists(self, code: str) -> bool:
        with self._lock:
            self._forget()
            return code in self._rooms

    def answer(self, code: str, member: str, question: str, option: int) -> None:
        """A member's answer: the number of an option, from 0."""
        if not 0 <= option < OPTIONS or not 0 < len(question) <= LONGEST:
            raise ValueError("This is not an answer.")
        with self._lock:
            room = self._room(code)
            if member not in room.members:
                raise ValueError("Join the room first.")
            if question in room.revealed:
                raise ValueError("This question has been revealed already.")
            if question not in room.answers and len(room.answers) >= QUESTIONS:
                raise ValueError("This room has had too many questions.")
            room.answers.setdefault(question, {})[member] = option

    def reveal(self, code: str, key: str, question: str) -> None:
        """Show a question's answer to all members; no more answers are taken."""
        with self._lock:
            room = self._of_teacher(code, key)
            if len(room.revealed) < QUESTIONS and 0 < len(question) <= LONGEST:
                room.revealed.add(question)

    def tally(self, code: str, question: str, options: int) -> Tally:
        """How many members chose each of the options."""
        with self._lock:
            room = self._room(code)
            counts = Counter(room.answers.get(question, {}).values())
            ordered = tuple(counts[option] for option in range(min(options, OPTIONS)))
            return Tally(ordered, len(room.members), question in room.revealed)

    def _room(self, code: str) -> _Room:
        self._forget()
        if code not in self._rooms:
            raise ValueError("There is no such room. Rooms end after two hours.")
        return self._rooms[code]

    def _of_teacher(self, code: str, key: str) -> _Room:
        room = self._room(code)
        if not secrets.compare_digest(room.key.encode(), key.encode()):
            raise ValueError("Only the one who opened the room can do this.")
        return room

    def _forget(self) -> None:
        now = self._clock()
        self._rooms = {code: room for code, room in self._rooms.items() if now - room.opened < LIFETIME}

    def _new_code(self) -> str:
        while True:
            code = "".join(secrets.choice(LETTERS) for _ in range(DIGITS))
            if code not in self._rooms:
                return code
