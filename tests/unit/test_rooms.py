"""Rooms of a class: who may do what, what is counted, and what is forgotten."""

from __future__ import annotations

import sqlite3
import threading

import pytest

from alibi_viz.classroom import rooms, shared
from alibi_viz.classroom.rooms import Rooms, Tally


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_sixty_members_answer_at_once_and_the_teacher_sees_all():
    every = Rooms()
    code, key = every.open()
    members = [every.join(code) for _ in range(60)]
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
    every.reveal(code, key, "order")
    assert every.tally(code, "order", 3).revealed


def test_the_last_answer_counts_until_it_is_revealed():
    every = Rooms()
    code, key = every.open()
    member = every.join(code)
    every.answer(code, member, "q", 0)
    every.answer(code, member, "q", 2)
    assert every.tally(code, "q", 3).counts == (0, 0, 1)
    every.reveal(code, key, "q")
    with pytest.raises(ValueError, match="revealed"):
        every.answer(code, member, "q", 1)
    assert every.tally(code, "q", 3).counts == (0, 0, 1)


def test_only_the_teacher_reveals_and_closes():
    every = Rooms()
    code, key = every.open()
    for wrong in ("", "guess", key[:-1], "é"):
        with pytest.raises(ValueError, match="opened the room"):
            every.reveal(code, wrong, "q")
        with pytest.raises(ValueError, match="opened the room"):
            every.close(code, wrong)
    every.close(code, key)
    assert not every.exists(code)
    with pytest.raises(ValueError, match="no such room"):
        every.join(code)


def test_strangers_and_nonsense_are_refused():
    every = Rooms()
    code, _ = every.open()
    member = every.join(code)
    with pytest.raises(ValueError, match="Join"):
        every.answer(code, "stranger", "q", 0)
    for question, option in (("q", -1), ("q", rooms.OPTIONS), ("", 0), ("x" * 65, 0)):
        with pytest.raises(ValueError, match="not an answer"):
            every.answer(code, member, question, option)
    assert every.tally(code, "q", 3).answered == 0


def test_a_room_is_gone_after_two_hours():
    clock = Clock()
    every = Rooms(clock)
    code, _ = every.open()
    clock.now = rooms.LIFETIME - 1
    assert every.exists(code)
    clock.now = rooms.LIFETIME
    assert not every.exists(code)


def test_everything_is_bounded(monkeypatch):
    monkeypatch.setattr(rooms, "MEMBERS", 2)
    monkeypatch.setattr(rooms, "QUESTIONS", 2)
    every = Rooms()
    codes = [every.open() for _ in range(rooms.ROOMS)]
    assert len({code for code, _ in codes}) == rooms.ROOMS
    with pytest.raises(ValueError, match="no more rooms"):
        every.open()
    code, _ = codes[0]
    first = every.join(code)
    every.join(code)
    with pytest.raises(ValueError, match="full"):
        every.join(code)
    for question in ("a", "b"):
        every.answer(code, first, question, 0)
    with pytest.raises(ValueError, match="too many"):
        every.answer(code, first, "c", 0)


def test_two_servers_with_one_file_have_the_same_rooms(monkeypatch, tmp_path):
    monkeypatch.setenv(shared.SETTING, str(tmp_path / "shared.sqlite"))
    of_teacher, of_students = Rooms(), Rooms()
    code, key = of_teacher.open()
    members = [of_students.join(code) for _ in range(20)]
    threads = [
        threading.Thread(target=every.answer, args=(code, member, "q", 1))
        for member in members
        for every in (of_teacher, of_students)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert of_teacher.tally(code, "q", 2) == of_students.tally(code, "q", 2) == Tally((0, 20), 20, False)
    of_teacher.close(code, key)
    assert not of_students.exists(code)


def test_what_is_refused_leaves_the_database_usable(monkeypatch, tmp_path):
    monkeypatch.setenv(shared.SETTING, str(tmp_path / "shared.sqlite"))
    one, other = Rooms(), Rooms()
    with pytest.raises(ValueError, match="no such room"):
        one.join("NOONE")
    assert other.open()


def test_a_database_that_is_busy_is_told_in_a_sentence(monkeypatch, tmp_path):
    monkeypatch.setattr(shared, "WAITING", 0.1)
    monkeypatch.setenv(shared.SETTING, str(tmp_path / "shared.sqlite"))
    one = Rooms()
    with sqlite3.connect(tmp_path / "shared.sqlite", isolation_level=None) as busy:
        busy.execute("BEGIN EXCLUSIVE")
        with pytest.raises(ValueError, match="cannot be used now"):
            one.open()
        busy.execute("ROLLBACK")
    assert one.open()
