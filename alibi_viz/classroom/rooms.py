"""Rooms of a class: students answer a question, the teacher sees how the answers are distributed, and reveals.

Notable choices:
- No accounts and no names: a student is a random number, a teacher is whoever holds the room's key.
- Everything is in the shared database (shared.py) and bounded: rooms, members, questions. A room is gone after LIFETIME
  seconds.
- One answer a member and question; a new one replaces it until the teacher reveals.
- The clock is the machine's, not a process's: all replicas of a server run on one machine.
"""

import secrets
import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from alibi_viz.classroom.shared import Shared

LIFETIME = 2 * 60 * 60.0  # seconds
ROOMS, MEMBERS, QUESTIONS, OPTIONS = 32, 200, 64, 12
LONGEST = 64  # characters of a question's name
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # without those that are easily confused
DIGITS = 5  # of a code
SCHEMA = """
CREATE TABLE IF NOT EXISTS rooms (code PRIMARY KEY, key, opened);
CREATE TABLE IF NOT EXISTS members (code, member, PRIMARY KEY (code, member));
CREATE TABLE IF NOT EXISTS answers (code, question, member, option, PRIMARY KEY (code, question, member));
CREATE TABLE IF NOT EXISTS revealed (code, question, PRIMARY KEY (code, question));
"""
TABLES = ("rooms", "members", "answers", "revealed")


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
    """All rooms of a class. Methods may be called from any thread; what is refused raises ValueError with a sentence."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._shared = clock, Shared(SCHEMA)

    def open(self) -> tuple[str, str]:
        """A new room: its code, for students, and its key, for the teacher alone."""
        with self._shared.change() as tables:
            self._forget(tables)
            if _count(tables, "rooms") >= ROOMS:
                raise ValueError("This server has no more rooms. Try again in an hour.")
            code, key = self._new_code(tables), secrets.token_urlsafe(16)
            tables.execute("INSERT INTO rooms VALUES (?, ?, ?)", (code, key, self._clock()))
            return code, key

    def close(self, code: str, key: str) -> None:
        """End a room; its answers are gone."""
        with self._shared.change() as tables:
            self._check_teacher(tables, code, key)
            _delete(tables, code)

    def join(self, code: str) -> str:
        """A new member of a room."""
        with self._shared.change() as tables:
            self._check(tables, code)
            if _count(tables, "members", code=code) >= MEMBERS:
                raise ValueError("This room is full.")
            member = secrets.token_urlsafe(8)
            tables.execute("INSERT INTO members VALUES (?, ?)", (code, member))
            return member

    def exists(self, code: str) -> bool:
        with self._shared.change() as tables:
            self._forget(tables)
            return _count(tables, "rooms", code=code) > 0

    def answer(self, code: str, member: str, question: str, option: int) -> None:
        """A member's answer: the number of an option, from 0."""
        if not 0 <= option < OPTIONS or not 0 < len(question) <= LONGEST:
            raise ValueError("This is not an answer.")
        with self._shared.change() as tables:
            self._check(tables, code)
            if not _count(tables, "members", code=code, member=member):
                raise ValueError("Join the room first.")
            if _count(tables, "revealed", code=code, question=question):
                raise ValueError("This question has been revealed already.")
            asked = {row[0] for row in tables.execute("SELECT DISTINCT question FROM answers WHERE code = ?", (code,))}
            if question not in asked and len(asked) >= QUESTIONS:
                raise ValueError("This room has had too many questions.")
            tables.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", (code, question, member, option))

    def reveal(self, code: str, key: str, question: str) -> None:
        """Show a question's answer to all members; no more answers are taken."""
        with self._shared.change() as tables:
            self._check_teacher(tables, code, key)
            if _count(tables, "revealed", code=code) < QUESTIONS and 0 < len(question) <= LONGEST:
                tables.execute("INSERT OR IGNORE INTO revealed VALUES (?, ?)", (code, question))

    def tally(self, code: str, question: str, options: int) -> Tally:
        """How many members chose each of the options."""
        with self._shared.change() as tables:
            self._check(tables, code)
            chosen = tables.execute("SELECT option FROM answers WHERE code = ? AND question = ?", (code, question))
            counts = Counter(row[0] for row in chosen)
            ordered = tuple(counts[option] for option in range(min(options, OPTIONS)))
            revealed = _count(tables, "revealed", code=code, question=question) > 0
            return Tally(ordered, _count(tables, "members", code=code), revealed)

    def _check(self, tables: sqlite3.Connection, code: str) -> None:
        self._forget(tables)
        if not _count(tables, "rooms", code=code):
            raise ValueError("There is no such room. Rooms end after two hours.")

    def _check_teacher(self, tables: sqlite3.Connection, code: str, key: str) -> None:
        self._check(tables, code)
        ((of_room,),) = tables.execute("SELECT key FROM rooms WHERE code = ?", (code,))
        if not secrets.compare_digest(of_room.encode(), key.encode()):
            raise ValueError("Only the one who opened the room can do this.")

    def _forget(self, tables: sqlite3.Connection) -> None:
        oldest = self._clock() - LIFETIME
        for (code,) in tables.execute("SELECT code FROM rooms WHERE opened <= ?", (oldest,)).fetchall():
            _delete(tables, code)

    def _new_code(self, tables: sqlite3.Connection) -> str:
        while True:
            code = "".join(secrets.choice(LETTERS) for _ in range(DIGITS))
            if not _count(tables, "rooms", code=code):
                return code


def _count(tables: sqlite3.Connection, table: str, **equal: str) -> int:
    """Rows of a table whose columns have these values."""
    where = " AND ".join(f"{column} = :{column}" for column in equal) or "TRUE"
    ((count,),) = tables.execute(f"SELECT count(*) FROM {table} WHERE {where}", equal)
    return int(count)


def _delete(tables: sqlite3.Connection, code: str) -> None:
    for table in TABLES:
        tables.execute(f"DELETE FROM {table} WHERE code = ?", (code,))
