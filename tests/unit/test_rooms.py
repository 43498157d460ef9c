"""Rooms of a class: who may do what, what is counted, and what is forgotten."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from alibi_viz.classroom import rooms
from alibi_viz.classroom.rooms import Rooms


def test_sixty_members_vote_at_once_and_each_vote_counts_once():
    every = Rooms()
    code = every.open("teacher")
    members = {f"m{number}": number % 3 for number in range(60)}
    for member in [*members] * 2:
        every.join(code, member)
    with ThreadPoolExecutor(60) as pool:
        list(pool.map(lambda member: every.vote(code, member, "order", members[member]), members))
    tally = every.tally(code, "order", 3)
    assert (tally.counts, tally.members, tally.answered) == ((20, 20, 20), 60, 60)


def test_a_vote_may_be_changed_until_it_is_revealed_and_only_the_teacher_reveals():
    every = Rooms()
    code = every.open("teacher")
    every.join(code, "student")
    every.vote(code, "student", "q", 0)
    every.vote(code, "student", "q", 2)
    with pytest.raises(ValueError, match="opened the room"):
        every.reveal(code, "student", "q")
    assert not every.is_revealed(code, "q")
    every.reveal(code, "teacher", "q")
    with pytest.raises(ValueError, match="revealed"):
        every.vote(code, "student", "q", 1)
    assert every.tally(code, "q", 3).counts == (0, 0, 1)
    assert every.vote_of(code, "student", "q") == 2


def test_who_leaves_takes_the_vote_along_and_a_closed_room_is_gone():
    every = Rooms()
    code = every.open("teacher")
    every.join(code, "student")
    every.vote(code, "student", "q", 1)
    every.leave(code, "student")
    assert every.tally(code, "q", 2).answered == 0
    with pytest.raises(ValueError, match="opened the room"):
        every.close(code, "student")
    every.close(code, "teacher")
    assert every.is_revealed(code, "q"), "nobody waits for an answer that will not come"
    with pytest.raises(ValueError, match="no such room"):
        every.join(code, "student")


def test_a_stranger_has_no_vote():
    every = Rooms()
    code = every.open("teacher")
    with pytest.raises(ValueError, match="Join"):
        every.vote(code, "stranger", "q", 0)
    assert every.tally(code, "q", 3).answered == 0


def test_a_room_ends_when_nobody_looks_at_it():
    now = 0.0
    every = Rooms(lambda: now)
    code = every.open("teacher")
    for _ in range(3):
        now += rooms.LEFT - 1
        every.tally(code, "q", 2)
    now += rooms.LEFT
    assert not every.exists(code)


def test_rooms_and_members_are_bounded(monkeypatch):
    monkeypatch.setattr(rooms, "MEMBERS", 2)
    every = Rooms()
    codes = [every.open(f"teacher {number}") for number in range(rooms.ROOMS)]
    assert len(set(codes)) == rooms.ROOMS
    with pytest.raises(ValueError, match="no more rooms"):
        every.open("another")
    for member in ("first", "second", "first"):
        every.join(codes[0], member)
    with pytest.raises(ValueError, match="full"):
        every.join(codes[0], "third")
