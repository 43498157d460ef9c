"""Rooms of a class: students answer a question, the teacher sees how the answers are distributed, and reveals.

Notable choices:
- No accounts and no names: teacher and members are known by the hash of a key that their browser has (ui/reader.py). So a
  reload, a second tab or a prepared link neither loses a room nor makes a second member.
- Everything is in memory (shared.py) and bounded: rooms, also of one browser and of one address in the
  network, members, questions. A room ends after LIFETIME seconds; sooner if nobody ever joined, or if all have left it.
- One answer a member and question; a new one replaces it until the teacher reveals.
- A wrong code is answered late, one at a time for each address, so that codes cannot be tried out. A right one never is:
  a whole class behind one router is one address.
"""

import secrets
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from alibi_viz.classroom.shared import Shared

LIFETIME = 2 * 60 * 60.0  # seconds
UNMET, LEFT = 10 * 60.0, 30 * 60.0  # seconds after which a room ends that had no member; that neither side was seen in
ROOMS, MEMBERS, QUESTIONS, OPTIONS = 32, 200, 64, 12
BY_ONE, BY_ADDRESS = 2, 8  # rooms of one browser, and of one address in the network
LONGEST = 64  # characters of a question's name
PLACE = 8_000  # characters of the address at which the teacher is
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # without those that are easily confused
DIGITS = 5  # of a code
SEEN_EVERY = 30.0  # seconds from one note that somebody is in a room to the next
SLOW, SLOWEST = 0.5, 10.0  # seconds between two answers to wrong codes from one address; the longest wait
SCHEMA = """
CREATE TABLE IF NOT EXISTS rooms (code PRIMARY KEY, owner, address, opened, seen, met, place DEFAULT '', turn DEFAULT 0);
CREATE TABLE IF NOT EXISTS members (code, member, follows DEFAULT 1, PRIMARY KEY (code, member));
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


@dataclass(frozen=True)
class News:
    """What may change on a member's page without the member's doing."""

    turn: int = 0  # how often the teacher has gone to another place
    place: str = ""  # where: page and query; empty if nobody is led
    follows: bool = False  # whether this member wants to go there
    revealed: int = -1  # questions; -1: the room has ended


class Rooms:
    """All rooms of a class. Methods may be called from any thread; what is refused raises ValueError with a sentence."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, wait: Callable[[float], object] = time.sleep
    ) -> None:
        self._clock, self._wait, self._shared = clock, wait, Shared(SCHEMA)
        self._next: dict[str, float] = {}  # address -> when it hears of the next wrong code
        self._waiting_lock = threading.Lock()

    def open(self, owner: str, address: str = "") -> str:
        """A new room: its code, for students. owner: the teacher; address: in the network, empty if unknown."""
        with self._shared.change() as tables:
            self._forget(tables)
            if _count(tables, "rooms", owner=owner) >= BY_ONE:
                raise ValueError(f"You have {BY_ONE} rooms already. End one of them first.")
            if _count(tables, "rooms") >= ROOMS or (address and _count(tables, "rooms", address=address) >= BY_ADDRESS):
                raise ValueError("There are no more rooms for you on this server. Try again in ten minutes.")
            code, now = self._new_code(tables), self._clock()
            columns = "code, owner, address, opened, seen, met"
            tables.execute(f"INSERT INTO rooms ({columns}) VALUES (?, ?, ?, ?, ?, 0)", (code, owner, address, now, now))
            return code

    def close(self, code: str, owner: str) -> None:
        """End a room; its answers are gone."""
        with self._shared.change() as tables:
            self._check_teacher(tables, code, owner)
            _delete(tables, code)

    def join(self, code: str, member: str) -> None:
        """Be a member of a room, if not one already."""
        with self._look() as tables:
            if _count(tables, "members", code=code, member=member):
                return
        with self._shared.change() as tables:
            self._check(tables, code)
            if _count(tables, "members", code=code) >= MEMBERS:
                raise ValueError("This room is full.")
            tables.execute("INSERT OR IGNORE INTO members (code, member) VALUES (?, ?)", (code, member))
            tables.execute("UPDATE rooms SET met = 1, seen = ? WHERE code = ?", (self._clock(), code))

    def leave(self, code: str, member: str) -> None:
        """Be a member no more; answers that were given go too."""
        with self._shared.change() as tables:
            for table in ("members", "answers"):
                tables.execute(f"DELETE FROM {table} WHERE code = ? AND member = ?", (code, member))

    def exists(self, code: str) -> bool:
        with self._look() as tables:
            return _count(tables, "rooms", code=code) > 0

    def is_wrong(self, code: str, address: str) -> bool:
        """Whether there is no such room: said late, the later the more often one address asks."""
        if self.exists(code):
            return False
        now = self._clock()
        with self._waiting_lock:
            self._next = {place: at for place, at in self._next.items() if at > now}  # bounded by what waits
            moment = self._next[address] = min(max(now, self._next.get(address, 0.0)) + SLOW, now + SLOWEST)
        self._wait(moment - now)
        return True

    def of(self, reader: str) -> str:
        """The room that a reader opened last, or else joined last; empty if none."""
        with self._look() as tables:
            for table, column in (("rooms", "owner"), ("members", "member")):
                rows = tables.execute(f"SELECT code FROM {table} WHERE {column} = ? ORDER BY rowid DESC", (reader,))
                if row := rows.fetchone():
                    return str(row[0])
        return ""

    def is_teacher(self, code: str, reader: str) -> bool:
        """Whether a reader opened a room that exists; notes that somebody is there."""
        self._note_presence(code)
        with self._look() as tables:
            return _count(tables, "rooms", code=code, owner=reader) > 0

    def lead(self, code: str, owner: str, place: str) -> None:
        """Members who follow go to this place, an address without its host, unless the teacher leads nobody."""
        if not 0 < len(place) <= PLACE:
            raise ValueError("This is not a place.")
        with self._shared.change() as tables:
            self._check_teacher(tables, code, owner)
            moved = "UPDATE rooms SET place = ?, turn = turn + 1 WHERE code = ? AND place <> ?"  # NULL: nobody is led
            tables.execute(moved, (place, code, place))

    def set_leading(self, code: str, owner: str, leads: bool) -> None:
        """Whether members are led at all; at first they are."""
        with self._shared.change() as tables:
            self._check_teacher(tables, code, owner)
            tables.execute("UPDATE rooms SET place = ? WHERE code = ?", ("" if leads else None, code))

    def leads(self, code: str) -> bool:
        with self._look() as tables:
            return bool(tables.execute("SELECT 1 FROM rooms WHERE code = ? AND place IS NOT NULL", (code,)).fetchone())

    def set_following(self, code: str, member: str, follows: bool) -> None:
        """Whether a member goes where the teacher goes; at first every member does."""
        with self._shared.change() as tables:
            chosen = (int(follows), code, member)
            tables.execute("UPDATE members SET follows = ? WHERE code = ? AND member = ?", chosen)

    def news(self, code: str, member: str) -> News:
        """What a member's page asks for once a second."""
        self._note_presence(code)
        with self._look() as tables:
            asked = "SELECT turn, place, follows FROM rooms JOIN members USING (code) WHERE code = ? AND member = ?"
            row = tables.execute(asked, (code, member)).fetchone()
            if row is None:
                return News()
            return News(int(row[0]), row[1] or "", bool(row[2]), _count(tables, "revealed", code=code))

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

    def answer_of(self, code: str, member: str, question: str) -> int | None:
        """The option that a member has chosen; None: none so far."""
        with self._look() as tables:
            chosen = "SELECT option FROM answers WHERE code = ? AND member = ? AND question = ?"
            row = tables.execute(chosen, (code, member, question)).fetchone()
            return None if row is None else int(row[0])

    def reveal(self, code: str, owner: str, question: str) -> None:
        """Show a question's answer to all members; no more answers are taken."""
        with self._shared.change() as tables:
            self._check_teacher(tables, code, owner)
            if _count(tables, "revealed", code=code) < QUESTIONS and 0 < len(question) <= LONGEST:
                tables.execute("INSERT OR IGNORE INTO revealed VALUES (?, ?)", (code, question))

    def tally(self, code: str, question: str, options: int) -> Tally:
        """How many members chose each of the options."""
        with self._look() as tables:
            if not _count(tables, "rooms", code=code):
                raise ValueError("There is no such room.")
            chosen = tables.execute("SELECT option FROM answers WHERE code = ? AND question = ?", (code, question))
            counts = Counter(row[0] for row in chosen)
            ordered = tuple(counts[option] for option in range(min(options, OPTIONS)))
            revealed = _count(tables, "revealed", code=code, question=question) > 0
            return Tally(ordered, _count(tables, "members", code=code), revealed)

    @contextmanager
    def _look(self) -> Iterator[sqlite3.Connection]:
        """The tables for reading, without rooms that have ended. Pages look far more often than they change anything."""
        with self._shared.look() as tables:
            if not self._ended(tables):
                yield tables
                return
        with self._shared.change() as tables:
            self._forget(tables)
            yield tables

    def is_revealed(self, code: str, question: str) -> bool:
        """Whether nobody waits for an answer any more: it was shown, or the room has ended."""
        with self._look() as tables:
            has_ended = not _count(tables, "rooms", code=code)
            return has_ended or _count(tables, "revealed", code=code, question=question) > 0

    def _note_presence(self, code: str) -> None:
        """Note that somebody is in a room, now and then."""
        now = self._clock()
        due = code, now - SEEN_EVERY
        with self._look() as tables:
            is_due = tables.execute("SELECT 1 FROM rooms WHERE code = ? AND seen < ?", due).fetchone()
        if is_due:
            with self._shared.change() as tables:
                tables.execute("UPDATE rooms SET seen = ? WHERE code = ?", (now, code))

    def _check(self, tables: sqlite3.Connection, code: str) -> None:
        self._forget(tables)
        if not _count(tables, "rooms", code=code):
            raise ValueError("There is no such room.")

    def _check_teacher(self, tables: sqlite3.Connection, code: str, owner: str) -> None:
        self._check(tables, code)
        if not _count(tables, "rooms", code=code, owner=owner):
            raise ValueError("Only the one who opened the room can do this.")

    def _ended(self, tables: sqlite3.Connection) -> list[str]:
        now = self._clock()
        ended = "opened <= ? OR (NOT met AND opened <= ?) OR seen <= ?"
        moments = (now - LIFETIME, now - UNMET, now - LEFT)
        return [code for (code,) in tables.execute(f"SELECT code FROM rooms WHERE {ended}", moments)]

    def _forget(self, tables: sqlite3.Connection) -> None:
        for code in self._ended(tables):
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
