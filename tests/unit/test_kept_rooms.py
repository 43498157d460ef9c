"""Rooms outlive their server: what a class had is there again, and nothing that it has ended."""

import json
import logging

import pytest

from alibi_viz.classroom import rooms
from alibi_viz.classroom.kept import AGAIN, NAME, Keeper
from alibi_viz.classroom.rooms import Place, Question, Rooms, Screen, Wording


class Machine:
    """Two clocks: of the process, and of the world."""

    def __init__(self, path):
        self.path, self.now, self.clock = path, 1e9, 50.0

    def start(self, clock):
        """A server, whose process has this clock."""
        self.clock = clock
        every = Rooms(lambda: self.clock)
        keeper = Keeper(every, self.path, lambda: self.now)
        keeper.resume()
        return every, keeper

    def wait(self, seconds):
        self.now, self.clock = self.now + seconds, self.clock + seconds


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path / "data" / NAME.format(8501))


def a_class(machine):
    """One that has answered two questions, the second by drawing, and is at step 3."""
    every, keeper = machine.start(50.0)
    code = every.open("teacher", "10.0.0.1")
    every.leads(code, "teacher", Screen("wall", True), lambda _: True)
    every.follow(code, "teacher", "50")
    every.begin(code, "teacher")
    every.show(code, "teacher", Place("story", {"step": "6"}))
    wording = {"en": Wording("?", ("a", "b")), "zh": Wording("？", ("甲", "乙"))}
    every.ask(code, "teacher", Question("q", "slopes", {"heads": "8"}, wording, (1,)))
    every.join(code, "student")
    every.vote(code, "student", 1, 1)
    every.reveal(code, "teacher", "q")
    every.ask(code, "teacher", Question("lines", "story", {}, {"en": Wording("?", ())}, measured=(4.0, 45.0)))
    every.vote(code, "student", 2, [5.0] * 16)
    every.ask_again(code, "teacher", 2)
    every.vote(code, "student", 3, [5.0] * 16)
    every.teach(code, every.key(code, "teacher"), "phone")
    machine.wait(600)
    every.turn(code, "teacher", 3)
    keeper.write()
    return code, every, keeper


def seen_by_all(every, code):
    return [every.question(code), every.question(code, "q"), every.place(code), every.course(code)[0].step]


def test_a_class_goes_on_where_it_was_also_its_clock_and_each_vote(machine):
    code, before, _ = a_class(machine)
    expected = seen_by_all(before, code)
    machine.wait(120)
    after, _ = machine.start(3.0)
    assert seen_by_all(after, code) == expected
    assert after.course(code)[1] == pytest.approx(720)
    assert after.members(code) == (1, 1)
    assert (after.of("teacher"), after.of("student")) == (code, code)
    after.vote(code, "student", 3, [6.0] * 16)
    assert after.asked_of_wall(code) == before.asked_of_wall(code)
    assert after.is_teacher(code, "phone")
    assert before.key(code, "phone") not in machine.path.read_text()
    assert not after.leads(code, "teacher", Screen("notes", False), lambda _: False), "the wall comes back"
    assert after.leads(code, "teacher", Screen("wall again", True), lambda _: False)


@pytest.mark.parametrize(("away", "is_there"), [(rooms.LEFT - 1, True), (rooms.LEFT, False), (-9999.0, True)])
def test_a_room_waits_two_hours_and_a_clock_that_was_set_back_ends_none(machine, away, is_there):
    code, _, _ = a_class(machine)
    machine.now += away
    after, _ = machine.start(3.0)
    assert after.exists(code) == is_there
    if is_there:
        assert after.course(code)[1] >= 600


def test_the_file_has_no_more_than_what_lasts_and_goes_with_the_last_room(machine):
    code, every, keeper = a_class(machine)
    first = machine.path.read_bytes()
    machine.wait(AGAIN - 1)
    every.join(code, "student")
    keeper.write()
    assert machine.path.read_bytes() == first, "a look is not written"
    machine.wait(1)
    keeper.write()
    assert json.loads(machine.path.read_bytes())["at"] == machine.now, "but that somebody was there"
    assert machine.path.stat().st_mode & 0o077 == 0, "others on this machine cannot read it"
    every.close(code, "teacher")
    keeper.write()
    assert not machine.path.exists()
    machine.path.touch()
    keeper.write()
    assert machine.path.exists(), "without rooms it is looked for once"


@pytest.mark.parametrize("damaged", [b"", b"{", b'{"at": 1, "clock": 2, "rooms": {"A": 3}}', b"\xff" * 99, b"null"])
def test_a_damaged_file_is_left_and_rooms_can_be_opened(machine, damaged, caplog):
    machine.path.parent.mkdir()
    machine.path.write_bytes(damaged)
    with caplog.at_level(logging.WARNING):
        every, keeper = machine.start(0.0)
    assert "cannot be read" in caplog.text
    code = every.open("teacher")
    keeper.write()
    assert machine.start(1.0)[0].exists(code)


def test_files_of_servers_that_have_long_ended_go(machine):
    code, _, _ = a_class(machine)
    other = machine.path.with_name(NAME.format(8502))
    machine.path.rename(other)
    machine.now = other.stat().st_mtime + rooms.LEFT - 1
    assert not machine.start(0.0)[0].exists(code), "it is of another server"
    assert other.exists()
    machine.now += 2
    machine.start(0.0)
    assert not other.exists()
