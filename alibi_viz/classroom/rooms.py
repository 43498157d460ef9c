"""A class in one room: a teacher opens it, students join by its code, and each has one vote a question.

Notable choices:
- A room has one question at a time. It is frozen with its options when it is asked: what a vote counts for is what the
  voter has read, whatever the pages of teacher and voter show by then.
- What is shown of a question, and in which round it is, stands in the question alone (`shown`, `before`): wall, phones and
  the teacher's devices read it there. While votes are shown none is taken.
- Teacher and members are known by the keys of their browsers, so that a reload or a second tab loses nothing and counts
  nobody twice. No names, no accounts.
- One screen of the teacher leads: what it shows is where the teacher is, and what it asks is asked. A wall takes the lead
  from a screen that is none, and from a wall that is gone; in a room that had a wall no other screen takes it unasked. A
  wall that is loaded again is another screen, so those that were there before wait a while, and the newest goes first.
- A room knows where its teacher is, so that a phone can follow, and at which step of which plan (plans.py). It counts how
  often a step was turned to, so that the screen that leads goes there once, whichever device has turned.
- The owner's link holds a key of the room, which is of one server; the devices that have opened it stay.
- Questions and their options are those of the pages: no reader can name another.
- One client can bring as many keys as it likes. So an address has a limit of rooms, far above what one hall needs, since a
  hall behind one proxy is one address; and of the members that join within a minute RUSH have a vote that counts. The
  teacher is told of the others, and can count them. Who comes slowly with many keys is not told from a late student.
"""

import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

from alibi_viz.lessons.problems import Problem

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # of a code, without those that look alike
DIGITS = 5
ROOMS, MEMBERS, OF_ADDRESS = 100, 500, 20  # at most: rooms, members of a room, rooms of an address
DEVICES = 4  # at most: of a teacher, beside the one that opened the room; the newest stay
LEFT = 2 * 60 * 60.0  # seconds after which a room ends that nobody has looked at
EMPTY = 60.0  # after which a room without members makes way for another
HERE = 10.0  # seconds since a member's page has looked at the room, while it is awake
FIRST = 1.0  # seconds after which a page that is open has looked again
RUSH, MINUTE = 250, 60.0  # members, at most, that join within so many seconds with a vote that counts
LINE, LEAST, MOST = 8, 3.0, 80.0  # of a drawn line: its numbers, from after L to 16 L in equal ratios, and their ends

Told = TypeVar("Told")
Answer = int | tuple[float, ...]  # the number of an option; or drawn lines, LINE perplexities each
Votes = Mapping[str, Answer]  # by member
Shown = Literal["", "votes", "answer"]  # of a question: nothing, how the votes fell, and what is right


@dataclass(frozen=True)
class Wording:
    """A question in one language. reasons: what who chose each of the options thought."""

    text: str
    options: tuple[str, ...]
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class Question:
    """A question as it was asked, and how it was answered. A room has it by its name, and by a number."""

    name: str
    page: str  # whose picture it is about
    query: Mapping[str, str]  # of the address at which that picture is as it was
    wordings: Mapping[str, Wording]  # language -> the same question
    right: tuple[int, ...] = ()  # numbers of the options, from 0
    measured: tuple[float, ...] = ()  # where lines are drawn: the true last number of each
    number: int = 0
    votes: Votes = field(default_factory=dict)
    uncounted: frozenset[str] = frozenset()  # members whose vote does not count
    shown: Shown = ""
    before: Votes | None = None  # in the second round: the votes of the first

    @property
    def is_revealed(self) -> bool:
        return self.shown == "answer"

    @property
    def voters(self) -> set[str]:
        """Of either round."""
        return {*self.votes, *(self.before or ())}

    @property
    def rounds(self) -> tuple[tuple[Answer, ...], ...]:
        """The votes that count, of each round."""
        every = [votes for votes in (self.before, self.votes) if votes is not None]
        return tuple(tuple(votes[one] for one in votes if one not in self.uncounted) for votes in every)

    @property
    def counted(self) -> tuple[Answer, ...]:
        """Those of the round that is now."""
        return self.rounds[-1]

    @property
    def counts(self) -> tuple[tuple[int, ...], ...]:
        """How many members chose each of the options, in each round."""
        options = range(len(next(iter(self.wordings.values())).options))
        return tuple(tuple(map(Counter(answers).__getitem__, options)) for answers in self.rounds)

    def without(self, member: str) -> "Question":
        """The same, as if this member had never voted."""
        first, votes = ({one: of[one] for one in of if one != member} for of in (self.before or {}, self.votes))
        return replace(self, votes=votes, before=self.before and first)

    def asks_the_same(self, other: "Question") -> bool:
        """Whether both have the same words and the same answer."""
        mine, its = ((one.name, one.wordings, one.right, one.measured) for one in (self, other))
        return mine == its

    def checked(self, answer: object) -> Answer:
        """An answer as a browser reports it. Raises ValueError unless it is one of the options, or LINE numbers a line."""
        if not self.measured:
            if not (isinstance(answer, int) and 0 <= answer < len(self.counts[-1])):
                raise Problem("rooms.no_option")
            return answer
        numbers = answer if isinstance(answer, list | tuple) and len(answer) == LINE * len(self.measured) else ()
        if not numbers or not all(isinstance(one, int | float) and LEAST <= one <= MOST for one in numbers):
            raise Problem("rooms.no_line")
        return tuple(round(float(one), 2) for one in numbers)


@dataclass(frozen=True)
class Place:
    """What the teacher's screen shows: a lesson, and the query at which it opens so."""

    page: str
    query: Mapping[str, str]


@dataclass(frozen=True)
class Course:
    """The plan that a room follows, the number of its step now, from 0, and the clock at its beginning (None: not yet)."""

    plan: str
    step: int
    begun: float | None


@dataclass(frozen=True)
class Screen:
    """A window of the teacher that leads the class."""

    name: str
    is_wall: bool


@dataclass
class Member:
    """When a member joined, whether the member's votes count, and when the page looked last."""

    joined: float
    counts: bool
    seen: float = 0.0


@dataclass
class Room:
    owner: str
    address: str  # from which it was opened
    key: str = field(default_factory=lambda: secrets.token_urlsafe(16))  # of the owner's link
    devices: list[str] = field(default_factory=list)  # of its teacher, that have opened that link
    seen: float = 0.0  # when somebody was there last
    members: dict[str, Member] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)  # by name
    now: str = ""  # the name of the one that is asked now; empty: none
    count: int = 0  # of the questions so far
    leader: Screen | None = None
    screens: dict[Screen, float] = field(default_factory=dict)  # of the teacher, and when they have looked first
    met: float = 0.0  # when the leader was there last
    place: Place | None = None
    course: Course | None = None
    turns: int = 0  # how often a step was turned to
    has_poster: bool = False  # whether the wall shows how to join

    def is_taught_by(self, reader: str) -> bool:
        return reader == self.owner or reader in self.devices

    def go(self, course: Course) -> None:
        """Turn to a step: the wall goes there, and nothing lies over it."""
        self.course, self.turns, self.has_poster = course, self.turns + 1, False

    def counted(self, question: Question) -> Question:
        """With the members whose vote does not count."""
        voters = question.voters & self.members.keys()
        return replace(question, uncounted=frozenset(name for name in voters if not self.members[name].counts))

    def admit(self, member: str, now: float) -> None:
        """Take a new member. Where there is no place left, those go that have looked once and never again."""
        if len(self.members) >= MEMBERS:
            voters = set[str]().union(*(question.voters for question in self.questions.values()))
            for name, one in list(self.members.items()):
                if one.seen < min(one.joined + FIRST, now - HERE) and name not in voters:
                    del self.members[name]
        if len(self.members) >= MEMBERS:
            raise Problem("rooms.full")
        new = sum(now - one.joined < MINUTE for one in self.members.values())
        self.members[member] = Member(now, new < RUSH, now)


class Rooms:
    """All rooms of a server. Methods may be called from any thread; what is refused raises ValueError with a sentence."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock, self._rooms = clock, threading.RLock(), dict[str, Room]()

    def open(self, owner: str, address: str = "") -> str:
        """The code of the teacher's room; a teacher has one, and gets the same again. address: of the teacher."""
        with self._lock:
            self._forget()
            if code := next((code for code, room in self._rooms.items() if room.owner == owner), ""):
                return code
            of_address = [code for code, room in self._rooms.items() if room.address == address]
            if len(of_address) >= OF_ADDRESS or len(self._rooms) >= ROOMS:
                self._make_way(of_address if len(of_address) >= OF_ADDRESS else list(self._rooms))
            code = ""
            while not code or code in self._rooms:
                code = "".join(secrets.choice(LETTERS) for _ in range(DIGITS))
            self._rooms[code] = Room(owner, address, seen=self._clock())
            return code

    def close(self, code: str, owner: str) -> None:
        with self._of_teacher(code, owner):
            del self._rooms[code]

    def _make_way(self, codes: list[str]) -> None:
        """End one of these rooms: the one that nobody has joined and that was looked at longest ago."""
        before = self._clock() - EMPTY
        empty = [code for code in codes if not self._rooms[code].members and self._rooms[code].seen <= before]
        if not empty:
            raise Problem("rooms.no_more")
        del self._rooms[min(empty, key=lambda code: self._rooms[code].seen)]

    def join(self, code: str, member: str) -> None:
        """Be a member of a room, and be here: a page that is awake says so again and again."""
        with self._room(code) as room:
            if member in room.members:
                room.members[member].seen = self._clock()
            else:
                room.admit(member, self._clock())

    def leave(self, code: str, member: str) -> None:
        """Be a member no more; votes that were given go too."""
        with self._lock:
            if room := self._rooms.get(code):
                room.members.pop(member, None)
                room.questions = {name: question.without(member) for name, question in room.questions.items()}

    def exists(self, code: str) -> bool:
        with self._lock:
            self._forget()
            return code in self._rooms

    def of(self, reader: str) -> str:
        """The room that a reader has opened, or else joined last; empty if none."""
        with self._lock:
            self._forget()
            taught = [code for code, room in self._rooms.items() if room.is_taught_by(reader)]
            joined = {code: room.members[reader].joined for code, room in self._rooms.items() if reader in room.members}
            return taught[0] if taught else max(joined, key=joined.__getitem__, default="")

    def is_teacher(self, code: str, reader: str) -> bool:
        """Whether a reader opened a room that exists, or has its owner's link."""
        with self._looked_at(code) as room:
            return room is not None and room.is_taught_by(reader)

    def key(self, code: str, owner: str) -> str:
        """What the owner's link holds."""
        with self._of_teacher(code, owner) as room:
            return room.key

    def teach(self, code: str, key: str, reader: str) -> None:
        """Let another device of the teacher teach too, which brings the key; it is no member."""
        with self._room(code) as room:
            if not secrets.compare_digest(room.key.encode(), key.encode()):
                raise Problem("rooms.not_teacher")
            if not room.is_taught_by(reader):
                self.leave(code, reader)
                room.devices = [*room.devices, reader][-DEVICES:]

    def members(self, code: str) -> tuple[int, int]:
        """How many are here now, or have answered what is asked; and how many have joined. 0 in a room that has ended."""
        with self._looked_at(code) as room:
            if room is None:
                return 0, 0
            now = self._clock()
            answered = room.questions[room.now].votes if room.now else ()
            here = sum(now - one.seen <= HERE or name in answered for name, one in room.members.items())
            return here, len(room.members)

    def count_all(self, code: str, owner: str) -> None:
        """Let the votes of all members count."""
        with self._of_teacher(code, owner) as room:
            for member in room.members.values():
                member.counts = True

    def leads(self, code: str, owner: str, screen: Screen, is_open: Callable[[str], bool]) -> bool:
        """Whether this screen of the teacher leads; it takes the lead where it may. is_open: by a screen's name."""
        with self._of_teacher(code, owner) as room:
            now, leader = self._clock(), room.leader
            room.screens = {one: first for one, first in room.screens.items() if is_open(one.name)}
            first = room.screens.setdefault(screen, now)
            if leader is None:
                takes = True
            elif leader.name == screen.name:
                takes, room.met = not leader.is_wall, now
            elif is_open(leader.name):
                takes, room.met = screen.is_wall and not leader.is_wall, now
            else:  # it is gone
                heirs = {one: at for one, at in room.screens.items() if one.is_wall or not leader.is_wall}
                is_newest = screen in heirs and first == max(heirs.values())
                takes = is_newest and (first > room.met - FIRST or now > room.met + HERE)
            if takes:
                room.leader, room.met = screen, now
            return room.leader is not None and room.leader.name == screen.name

    def lead(self, code: str, owner: str, screen: Screen) -> None:
        """Let this screen of the teacher lead, whichever did, as firmly as a wall."""
        with self._of_teacher(code, owner) as room:
            room.leader = replace(screen, is_wall=True)

    def leader(self, code: str) -> str:
        """The name of the screen that leads; empty: none does."""
        with self._looked_at(code) as room:
            return room.leader.name if room and room.leader else ""

    def ask(self, code: str, owner: str, question: Question, *, anew: bool = False) -> None:
        """Ask the room a question; one of the same name that was asked before comes back as it was left.

        anew: ask it as it is now, and forget the votes on the earlier one.
        """
        with self._of_teacher(code, owner) as room:
            if anew or question.name not in room.questions:
                room.count += 1
                room.questions[question.name] = replace(question, number=room.count, votes={}, shown="", before=None)
            room.now = question.name

    def ask_again(self, code: str, owner: str, number: int) -> None:
        """Take a second vote before the answer is shown. Its own number keeps late votes of the first round out."""
        with self._of_teacher(code, owner) as room:
            question = next((one for one in room.questions.values() if one.number == number), None)
            if question and question.before is None and not question.is_revealed:
                room.count += 1
                again = replace(question, number=room.count, votes={}, shown="", before=question.votes)
                room.questions[question.name], room.now = again, question.name

    def put_away(self, code: str, owner: str) -> None:
        """Ask nothing for now; the question keeps its votes."""
        with self._of_teacher(code, owner) as room:
            room.now = ""

    def question(self, code: str, name: str = "") -> Question | None:
        """What is asked now, or the question of this name; None: none, or the room has ended."""
        with self._looked_at(code) as room:
            question = room and room.questions.get(name or room.now)
            return room.counted(question) if room and question else None

    def questions(self, code: str, owner: str) -> list[Question]:
        """All that the room was asked, in that order."""
        with self._of_teacher(code, owner) as room:
            return sorted(map(room.counted, room.questions.values()), key=lambda one: one.number)

    def show(self, code: str, owner: str, place: Place) -> None:
        """Say what the teacher's screen shows."""
        with self._of_teacher(code, owner) as room:
            room.place = place

    def place(self, code: str) -> Place | None:
        """What the teacher's screen has shown last."""
        with self._looked_at(code) as room:
            return room.place if room else None

    def follow(self, code: str, owner: str, plan: str) -> None:
        """Begin a plan: its first step, and its clock waits for `begin`."""
        with self._of_teacher(code, owner) as room:
            room.go(Course(plan, 0, None))

    def turn(self, code: str, owner: str, step: int) -> None:
        """Go to a step of the plan that is followed; its clock goes on."""
        with self._of_teacher(code, owner) as room:
            if room.course:
                room.go(replace(room.course, step=step))

    def put_up(self, code: str, owner: str, has_poster: bool) -> None:
        """Say on the wall how to join, or no more."""
        with self._of_teacher(code, owner) as room:
            room.has_poster = has_poster

    def asked_of_wall(self, code: str) -> tuple[int, bool]:
        """How often a step was turned to, and whether the wall is to say how to join."""
        with self._room(code) as room:
            return room.turns, room.has_poster

    def begin(self, code: str, owner: str) -> None:
        """The class sees the step of its plan: from now on its clock runs."""
        with self._of_teacher(code, owner) as room:
            if room.course and room.course.begun is None:
                room.course = replace(room.course, begun=self._clock())

    def course(self, code: str) -> tuple[Course | None, float | None]:
        """The plan that is followed, and the seconds since it began; None: not yet."""
        with self._looked_at(code) as room:
            course = room.course if room else None
            return course, None if course is None or course.begun is None else self._clock() - course.begun

    def vote(self, code: str, member: str, number: int, answer: object) -> None:
        """A member's one answer to the question of this number. It may be changed until the true one is shown."""
        with self._room(code) as room:
            question = room.questions.get(room.now)
            if member not in room.members:
                raise Problem("rooms.not_joined")
            if question is None or question.number != number:
                raise Problem("rooms.over")
            if question.is_revealed:
                raise Problem("rooms.revealed")
            if question.shown:
                raise Problem("rooms.shown")
            votes = {**question.votes, member: question.checked(answer)}
            room.questions[question.name] = replace(question, votes=votes)

    def reveal(self, code: str, owner: str, name: str, shown: Shown = "answer") -> None:
        """Show how the votes fell, or take that back (""), or show the answer: no more votes are taken, and it stays."""
        with self._of_teacher(code, owner) as room:
            question = room.questions.get(name)
            if question and not question.is_revealed:
                room.questions[name], room.now = replace(question, shown=shown), name

    def told(self, tell: Callable[[dict[str, Room], float], Told]) -> Told:
        """What `tell` says of all rooms, and of the clock, while nothing in them changes."""
        with self._lock:
            self._forget()
            return tell(self._rooms, self._clock())

    def resume(self, rooms: Mapping[str, Room], clock: float, away: float) -> None:
        """Go on with the rooms of an earlier server. clock: what its clock said last; away: seconds since then."""
        with self._lock:
            now = self._clock()
            later = now - away - clock
            for code, room in rooms.items():
                room.seen = now - away
                for member in room.members.values():
                    member.joined, member.seen = member.joined + later, now
                if room.course and room.course.begun is not None:
                    room.course = replace(room.course, begun=room.course.begun + later)
                self._rooms[code] = room
            self._forget()

    @contextmanager
    def _room(self, code: str) -> Iterator[Room]:
        with self._looked_at(code) as room:
            if room is None:
                raise Problem("rooms.unknown")
            yield room

    @contextmanager
    def _of_teacher(self, code: str, owner: str) -> Iterator[Room]:
        with self._room(code) as room:
            if not room.is_taught_by(owner):
                raise Problem("rooms.not_teacher")
            yield room

    @contextmanager
    def _looked_at(self, code: str) -> Iterator[Room | None]:
        """A room, with somebody in it now, which nobody else changes meanwhile; None: it has ended."""
        with self._lock:
            self._forget()
            if room := self._rooms.get(code):
                room.seen = self._clock()
            yield room

    def _forget(self) -> None:
        now = self._clock()
        self._rooms = {code: room for code, room in self._rooms.items() if now - room.seen < LEFT}
