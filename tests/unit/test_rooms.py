"""Rooms of a class: who may do what, what is counted, and what is forgotten."""

from __future__ import annotations

import threading

import pytest

from alibi_viz.classroom import rooms
from alibi_viz.classroom.rooms import News, Rooms, Tally


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_sixty_members_answer_at_once_and_the_teacher_sees_all():
    every = Rooms()
    code = every.open("teacher")
    members = [f"m{number}" for number in range(60)]
    for member in members:
        every.join(code, member)
    threads = [
        threading.Thread(target=every.answer, args=(code, member, "order", number % 3))
        for number, member in enumerate(members)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tally = every.tally(code, "order", 3)
    assert tally.counts == (20, 20, 20)
    assert (tally.members, tally.answered, tally.revealed) == (60, 60, False)
    every.reveal(code, "teacher", "order")
    assert every.tally(code, "order", 3).revealed


def test_the_last_answer_counts_until_it_is_revealed():
    every = Rooms()
    code = every.open("teacher")
    every.join(code, member := "student")
    every.answer(code, member, "q", 0)
    every.answer(code, member, "q", 2)
    assert every.tally(code, "q", 3).counts == (0, 0, 1)
    every.reveal(code, "teacher", "q")
    with pytest.raises(ValueError, match="revealed"):
        every.answer(code, member, "q", 1)
    assert every.tally(code, "q", 3).counts == (0, 0, 1)


def test_only_the_teacher_reveals_and_closes():
    every = Rooms()
    code = every.open("teacher")
    for wrong in ("", "guess", "teache", "é"):
        with pytest.raises(ValueError, match="opened the room"):
            every.reveal(code, wrong, "q")
        with pytest.raises(ValueError, match="opened the room"):
            every.close(code, wrong)
    every.close(code, "teacher")
    assert not every.exists(code)
    with pytest.raises(ValueError, match="no such room"):
        every.join(code, "student")


def test_strangers_and_nonsense_are_refused():
    every = Rooms()
    code = every.open("teacher")
    every.join(code, member := "student")
    with pytest.raises(ValueError, match="Join"):
        every.answer(code, "stranger", "q", 0)
    for question, option in (("q", -1), ("q", rooms.OPTIONS), ("", 0), ("x" * 65, 0)):
        with pytest.raises(ValueError, match="not an answer"):
            every.answer(code, member, question, option)
    assert every.tally(code, "q", 3).answered == 0


def test_a_room_is_gone_after_two_hours():
    clock = Clock()
    every = Rooms(clock)
    code = every.open("teacher")
    every.join(code, "student")
    while clock.now < rooms.LIFETIME - rooms.LEFT:
        clock.now += rooms.LEFT - 1
        assert every.is_teacher(code, "teacher")
    clock.now = rooms.LIFETIME - 1
    assert every.exists(code)
    clock.now = rooms.LIFETIME
    assert not every.exists(code)


def test_everything_is_bounded(monkeypatch):
    monkeypatch.setattr(rooms, "MEMBERS", 2)
    monkeypatch.setattr(rooms, "QUESTIONS", 2)
    every = Rooms()
    codes = [every.open(f"teacher {number}") for number in range(rooms.ROOMS)]
    assert len(set(codes)) == rooms.ROOMS
    with pytest.raises(ValueError, match="no more rooms"):
        every.open("another")
    code, first = codes[0], "first"
    every.join(code, first)
    every.join(code, "second")
    every.join(code, first)
    with pytest.raises(ValueError, match="full"):
        every.join(code, "third")
    for question in ("a", "b"):
        every.answer(code, first, question, 0)
    with pytest.raises(ValueError, match="too many"):
        every.answer(code, first, "c", 0)


def test_who_comes_back_is_the_same_member_and_leaving_takes_the_answers_along():
    every = Rooms()
    code = every.open("teacher")
    for _ in range(3):
        every.join(code, "student")
        every.answer(code, "student", "q", 1)
    assert every.tally(code, "q", 2) == Tally((0, 1), 1, False)
    assert (every.of("student"), every.of("teacher"), every.of("stranger")) == (code, code, "")
    assert every.is_teacher(code, "teacher")
    assert not every.is_teacher(code, "student")
    every.leave(code, "student")
    assert every.tally(code, "q", 2) == Tally((0, 0), 0, False)
    assert every.of("student") == ""


def test_nobody_takes_all_rooms():
    every = Rooms()
    first, second = every.open("one", "10.0.0.1"), every.open("one", "10.0.0.1")
    with pytest.raises(ValueError, match="2 rooms already"):
        every.open("one", "10.0.0.2")
    for number in range(rooms.BY_ADDRESS - 2):
        every.open(f"browser {number}", "10.0.0.1")
    with pytest.raises(ValueError, match="no more rooms for you"):
        every.open("another", "10.0.0.1")
    assert every.open("another", "10.0.0.2")
    every.close(first, "one")
    assert every.open("one", "10.0.0.1")
    assert every.exists(second)


def test_a_room_ends_early_if_nobody_joined_or_all_have_left():
    clock = Clock()
    every = Rooms(clock)
    alone, met = every.open("one"), every.open("other")
    every.join(met, "student")
    clock.now = rooms.UNMET - 1
    assert every.is_teacher(alone, "one")
    assert every.is_teacher(met, "other")
    clock.now = rooms.UNMET
    assert not every.exists(alone), "though its teacher is there"
    clock.now += rooms.LEFT - 2
    assert every.exists(met)
    clock.now += 1
    assert not every.exists(met)


def test_wrong_codes_are_answered_late_and_right_ones_at_once():
    clock, waits = Clock(), []
    every = Rooms(clock, waits.append)
    code = every.open("teacher")
    assert all(every.is_wrong(f"NO{number}", "10.0.0.1") for number in range(30))
    assert waits == [min(rooms.SLOW * (number + 1), rooms.SLOWEST) for number in range(30)]
    assert not every.is_wrong(code, "10.0.0.1")
    assert every.is_wrong("NOONE", "10.0.0.2")
    assert waits[30:] == [rooms.SLOW], "another address has not asked yet"
    clock.now = 60.0
    every.is_wrong("NOONE", "10.0.0.1")
    assert waits[31:] == [rooms.SLOW]


def test_members_hear_where_the_teacher_is_until_they_or_the_teacher_stop_it():
    every = Rooms()
    code = every.open("teacher")
    every.join(code, "student")
    assert not every.news(code, "student").place
    for place in ("slopes?", "slopes?", "bias?n=64"):
        every.lead(code, "teacher", place)
    assert every.news(code, "student") == News(2, "bias?n=64", follows=True, revealed=0)
    every.set_following(code, "student", follows=False)
    every.join(code, "student")
    assert not every.news(code, "student").follows, "a reload does not undo it"
    every.set_leading(code, "teacher", leads=False)
    every.lead(code, "teacher", "why?")
    assert not every.news(code, "student").place
    assert not every.leads(code)
    every.close(code, "teacher")
    assert every.news(code, "student") == News()


@pytest.mark.parametrize(
    ("who", "place"), [("student", "bias?"), ("teacher", ""), ("teacher", "x" * (rooms.PLACE + 1))]
)
def test_only_the_teacher_leads_and_only_to_an_address(who, place):
    every = Rooms()
    code = every.open("teacher")
    every.join(code, "student")
    with pytest.raises(ValueError, match=r"place|opened the room"):
        every.lead(code, who, place)
    assert every.news(code, "student").turn == 0
