"""A class in one room: a teacher opens it, students join by its code, and each has one vote a question.

Notable choices:
- Rooms live in the memory of one server, and end with it. Nothing of them is kept.
- Teacher and members are known by the keys of their browsers, so that a reload or a second tab loses nothing and counts
  nobody twice. No names, no accounts.
- Rooms and members have a limit, and a room that nobody looks at ends by itself. Questions and their options are those of
  the pages: no reader can name another.
"""

import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # of a code, without those that look alike
DIGITS = 5
ROOMS, MEMBERS = 100, 500  # at most
LEFT = 2 * 60 * 60.0  # seconds after which a room ends that nobody has looked at


@dataclass
class _Room:
    owner: str
    seen: float  # when somebody was there last
    members: set[str] = field(default_factory=set)
    votes: dict[str, dict[str, int]] = field(default_factory=dict)  # question -> member -> option
    revealed: set[str] = field(default_factory=set)  # questions


@dataclass(frozen=True)
class Tally:
    """The votes on one question."""

    counts: tuple[int, ...]  # of each option
    members: int

    @property
    def answered(self) -> int:
        return sum(self.counts)


class Rooms:
    """All rooms of a server. Methods may be called from any thread; what is refused raises ValueError with a sentence."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock, self._rooms = clock, threading.RLock(), dict[str, _Room]()

    def open(self, owner: str) -> str:
        """The code of the teacher's room; a teacher has one, and gets the same again."""
        with self._lock:
            self._forget()
            if code := next((code for code, room in self._rooms.items() if room.owner == owner), ""):
                return code
            if len(self._rooms) >= ROOMS:
                raise ValueError("This server has no more rooms. Try again later.")
            code = ""
            while not code or code in self._rooms:
                code = "".join(secrets.choice(LETTERS) for _ in range(DIGITS))
            self._rooms[code] = _Room(owner, self._clock())
            return code

    def close(self, code: str, owner: str) -> None:
        """End a room; its votes are gone."""
        with self._lock:
            self._of_teacher(code, owner)
            del self._rooms[code]

    def join(self, code: str, member: str) -> None:
        """Be a member of a room, if not one already."""
        with self._lock:
            room = self._room(code)
            if member not in room.members and len(room.members) >= MEMBERS:
                raise ValueError("This room is full.")
            room.members.add(member)

    def leave(self, code: str, member: str) -> None:
        """Be a member no more; votes that were given go too."""
        with self._lock:
            if room := self._rooms.get(code):
                room.members.discard(member)
                for votes in room.votes.values():
                    votes.pop(member, None)

    def exists(self, code: str) -> bool:
        with self._lock:
            self._forget()
            return code in self._rooms

    def of(self, reader: str) -> str:
        """The room that a reader has opened, or else joined last; empty if none."""
        with self._lock:
            self._forget()
            taught = [code for code, room in self._rooms.items() if room.owner == reader]
            joined = [code for code, room in self._rooms.items() if reader in room.members]
            return next(reversed([*joined, *taught]), "")

    def is_teacher(self, code: str, reader: str) -> bool:
        """Whether a reader opened a room that exists."""
        with self._lock:
            return self.exists(code) and self._room(code).owner == reader

    def vote(self, code: str, member: str, question: str, option: int) -> None:
        """A member's one vote: the number of an option, from 0. It may be changed until the answer is shown."""
        with self._lock:
            room = self._room(code)
            if member not in room.members:
                raise ValueError("Join the room first.")
            if question in room.revealed:
                raise ValueError("This question has been revealed already.")
            room.votes.setdefault(question, {})[member] = option

    def vote_of(self, code: str, member: str, question: str) -> int | None:
        """The option that a member has chosen; None: none so far."""
        with self._lock:
            room = self._rooms.get(code)
            return room.votes.get(question, {}).get(member) if room else None

    def reveal(self, code: str, owner: str, question: str) -> None:
        """Show the answer to all members; no more votes are taken."""
        with self._lock:
            self._of_teacher(code, owner).revealed.add(question)

    def is_revealed(self, code: str, question: str) -> bool:
        """Whether nobody waits for an answer any more: it was shown, or the room has ended."""
        with self._lock:
            return not self.exists(code) or question in self._room(code).revealed

    def tally(self, code: str, question: str, options: int) -> Tally:
        """How many members chose each of the options."""
        with self._lock:
            room = self._room(code)
            counts = Counter(room.votes.get(question, {}).values())
            return Tally(tuple(counts[option] for option in range(options)), len(room.members))

    def _room(self, code: str) -> _Room:
        """A room, with somebody in it now."""
        self._forget()
        if code not in self._rooms:
            raise ValueError("There is no such room.")
        room = self._rooms[code]
        room.seen = self._clock()
        return room

    def _of_teacher(self, code: str, owner: str) -> _Room:
        room = self._room(code)
        if room.owner != owner:
            raise ValueError("Only the one who opened the room can do this.")
        return room

    def _forget(self) -> None:
        now = self._clock()
        self._rooms = {code: room for code, room in self._rooms.items() if now - room.seen < LEFT}
