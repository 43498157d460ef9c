"""Rooms of a class: who may do what, what is counted, and what is forgotten."""

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from alibi_viz.classroom import rooms
from alibi_viz.classroom.rooms import Place, Question, Rooms, Screen, Wording


def question(*options, name="q", page="slopes"):
    return Question(name, page, {}, {"en": Wording("?", options or ("a", "b", "c"))}, (0,))


@pytest.fixture
def clock():
    return SimpleNamespace(now=0.0)


@pytest.fixture
def every(clock):
    return Rooms(lambda: clock.now)


@pytest.fixture
def code(every):
    """A room whose teacher asks q."""
    code = every.open("teacher")
    every.ask(code, "teacher", question())
    return code


def asked(every, code, name=""):
    found = every.question(code, name)
    assert found is not None
    return found


def test_sixty_members_vote_at_once_and_each_vote_counts_once(every, code):
    members = {f"m{number}": number % 3 for number in range(60)}
    for member in [*members] * 2:
        every.join(code, member)
    with ThreadPoolExecutor(60) as pool:
        list(pool.map(lambda member: every.vote(code, member, 1, members[member]), members))
    assert (asked(every, code).counts[-1], every.members(code)) == ((20, 20, 20), (60, 60))


def test_a_vote_may_be_changed_until_it_is_revealed(every, code):
    every.join(code, "student")
    every.vote(code, "student", 1, 0)
    every.vote(code, "student", 1, 2)
    every.reveal(code, "teacher", "q")
    with pytest.raises(ValueError, match="revealed"):
        every.vote(code, "student", 1, 1)
    assert asked(every, code).counts[-1] == (0, 0, 1)
    assert asked(every, code).votes["student"] == 2


def test_a_second_vote_begins_anew_beside_the_first_and_no_late_vote_falls_into_it(every, code):
    for member, option in (("one", 1), ("two", 0)):
        every.join(code, member)
        every.vote(code, member, 1, option)
    every.reveal(code, "teacher", "q", "votes")
    with pytest.raises(ValueError, match="none is taken"):
        every.vote(code, "one", 1, 0)
    every.reveal(code, "teacher", "q", "")
    every.vote(code, "one", 1, 2)
    every.ask_again(code, "teacher", 1)
    again = asked(every, code)
    assert (again.counts, again.shown) == (((1, 0, 1), (0, 0, 0)), "")
    with pytest.raises(ValueError, match="no longer asked"):
        every.vote(code, "one", 1, 1)
    every.vote(code, "one", again.number, 0)
    for number in (1, again.number):  # another device of the teacher presses late, or the same one twice
        every.ask_again(code, "teacher", number)
    assert asked(every, code).counts == ((1, 0, 1), (1, 0, 0))
    every.leave(code, "one")
    every.reveal(code, "teacher", "q")
    for act in (lambda: every.ask_again(code, "teacher", again.number), lambda: every.reveal(code, "teacher", "q", "")):
        act()
        assert (asked(every, code).counts, asked(every, code).is_revealed) == (((1, 0, 0), (0, 0, 0)), True)


def test_who_brings_the_key_teaches_too_and_is_no_member(every, code, monkeypatch):
    monkeypatch.setattr(rooms, "DEVICES", 2)
    key = every.key(code, "teacher")
    every.join(code, "phone")
    every.vote(code, "phone", 1, 0)
    for wrong in ("", "é", key[:-1], code):
        with pytest.raises(ValueError, match="opened the room"):
            every.teach(code, wrong, "phone")
    every.teach(code, key, "phone")
    assert (every.is_teacher(code, "phone"), every.of("phone"), every.members(code)) == (True, code, (0, 0))
    every.reveal(code, "phone", "q")
    assert (asked(every, code).is_revealed, asked(every, code).votes) == (True, {})
    for other in ("teacher", "laptop", "phone", "tablet"):
        every.teach(code, key, other)
    teachers = {one for one in ("teacher", "phone", "laptop", "tablet") if every.is_teacher(code, one)}
    assert teachers == {"teacher", "laptop", "tablet"}


def test_a_question_stays_as_it_was_asked_until_the_teacher_asks_it_anew(every, code):
    every.join(code, "student")
    every.vote(code, "student", 1, 1)
    other = question("other", "options")
    every.ask(code, "teacher", other)
    assert asked(every, code).wordings == question().wordings
    assert asked(every, code).counts[-1] == (0, 1, 0)
    every.reveal(code, "teacher", "q")
    every.ask(code, "teacher", other, anew=True)
    now = asked(every, code)
    assert (now.wordings, now.counts[-1], now.is_revealed) == (other.wordings, (0, 0), False)
    with pytest.raises(ValueError, match="no longer asked"):
        every.vote(code, "student", 1, 1)
    every.vote(code, "student", now.number, 1)
    with pytest.raises(ValueError, match="no such option"):
        every.vote(code, "student", now.number, 2)
    assert asked(every, code).counts[-1] == (0, 1)


def test_a_room_has_one_question_at_a_time_and_an_earlier_one_comes_back_with_its_votes(every, code):
    every.join(code, "student")
    every.vote(code, "student", 1, 1)
    every.put_away(code, "teacher")
    assert every.question(code) is None
    with pytest.raises(ValueError, match="no longer asked"):
        every.vote(code, "student", 1, 0)
    every.ask(code, "teacher", question(name="next"))
    assert (asked(every, code).name, asked(every, code).counts[-1]) == ("next", (0, 0, 0))
    with pytest.raises(ValueError, match="no longer asked"):
        every.vote(code, "student", 1, 0)
    every.ask(code, "teacher", question())
    assert asked(every, code).counts[-1] == (0, 1, 0)


def test_a_room_knows_where_its_teacher_is_and_the_time_of_its_plan(every, code, clock):
    assert every.course(code) == (None, None)
    every.follow(code, "teacher", "50")
    clock.now = 300.0
    assert every.course(code)[1] is None, "the class does not see it yet"
    every.begin(code, "teacher")
    clock.now = 900.0
    every.begin(code, "teacher")
    every.turn(code, "teacher", 3)
    course, seconds = every.course(code)
    assert course is not None
    assert (course.plan, course.step, seconds) == ("50", 3, 600.0)
    every.turn(code, "teacher", 0)
    assert every.course(code)[1] == 600.0, "back to the first step: the clock goes on"
    every.follow(code, "teacher", "10")
    assert every.course(code)[1] is None, "another plan has its own clock"
    every.show(code, "teacher", Place("slopes", {"heads": "12"}))
    assert every.place(code) == Place("slopes", {"heads": "12"})


#: Screens of a teacher look in turn: "a>b": a looks, then b leads. Upper case: it presents. "-a": a is closed. "~": a
#: while passes.
LEADS = {
    "the only one": "a>a a>a",
    "the wall, once there is one": "a>a B>b a>b B>b",
    "the wall, whatever else is opened": "A>a b>a C>a A>a",
    "the wall, loaded again, though others have looked": "A>a b>a C>a A>a -a b>a C>a D>d C>d ~ C>d D>d",
    "the wall, loaded again, also when that was noticed late": "A>a C>a b>a D>a -a ~ b>a C>a D>d",
    "another wall, when the first is gone for good": "A>a b>a C>a A>a -a C>a ~ b>a C>c",
    "another one, as long as there was no wall": "a>a b>a a>a -a b>a ~ b>b",
    "the wall, also when it presents no more": "A>a B>a a>a B>a",
}


@pytest.mark.parametrize("story", LEADS.values(), ids=LEADS)
def test_one_screen_of_a_teacher_leads(every, code, clock, story):
    is_open = dict.fromkeys("abcd", True)
    for act in story.split():
        screen, _, leader = act.partition(">")
        clock.now += 2.0
        if leader:
            looks = Screen(screen.lower(), screen.isupper())
            assert every.leads(code, "teacher", looks, is_open.__getitem__) == (looks.name == leader), act
        elif act == "~":
            clock.now += rooms.HERE + 1
        else:
            is_open[act[1]] = False
    every.lead(code, "teacher", chosen := Screen("e", False))
    for screen in (Screen("a", True), chosen, Screen("b", False)):
        assert every.leads(code, "teacher", screen, lambda _: True) == (screen == chosen)


def test_who_leaves_takes_the_vote_along_and_a_closed_room_is_gone(every, code):
    every.join(code, "student")
    every.vote(code, "student", 1, 1)
    every.leave(code, "student")
    assert not asked(every, code).votes
    every.close(code, "teacher")
    assert every.question(code) is None, "nobody waits for an answer that will not come"
    assert every.members(code) == (0, 0)
    with pytest.raises(ValueError, match="no such room"):
        every.join(code, "student")


#: What the teacher does, and what it is done with.
TEACHERS: dict[str, tuple[object, ...]] = dict.fromkeys("put_away begin count_all close key questions".split(), ())
TEACHERS |= {"ask": (question(name="mine"),), "reveal": ("q",), "show": (Place("bias", {}),), "follow": ("50",)}
TEACHERS |= {"lead": (Screen("b", True),), "turn": (1,), "put_up": (True,), "ask_again": (1,)}


@pytest.mark.parametrize("act", TEACHERS)
def test_a_member_is_no_teacher_and_a_stranger_has_no_vote(every, code, act):
    every.join(code, "student")
    with pytest.raises(ValueError, match="opened the room"):
        getattr(every, act)(code, "student", *TEACHERS[act])
    with pytest.raises(ValueError, match="Join"):
        every.vote(code, "stranger", 1, 0)
    assert (asked(every, code).name, asked(every, code).is_revealed, asked(every, code).votes) == ("q", False, {})


def test_a_room_ends_when_nobody_looks_at_it(every, code, clock):
    for _ in range(3):
        clock.now += rooms.LEFT - 1
        every.members(code)
    clock.now += rooms.LEFT
    assert not every.exists(code)


def test_rooms_and_members_are_bounded(monkeypatch, every):
    monkeypatch.setattr(rooms, "MEMBERS", 2)
    codes = [every.open(f"teacher {number}", f"hall {number}") for number in range(rooms.ROOMS)]
    assert len(set(codes)) == rooms.ROOMS
    with pytest.raises(ValueError, match="no more rooms"):
        every.open("another", "elsewhere")
    for member in ("first", "second", "first"):
        every.join(codes[0], member)
    with pytest.raises(ValueError, match="full"):
        every.join(codes[0], "third")


def test_one_client_cannot_take_all_rooms_and_those_that_nobody_joins_make_way(every, clock):
    taken = [every.open(f"key {number}", "one address") for number in range(rooms.OF_ADDRESS)]
    with pytest.raises(ValueError, match="no more rooms"):
        every.open("one more key", "one address")
    class_room = every.open("teacher", "another address")
    every.join(taken[0], "somebody")
    clock.now += rooms.EMPTY + 1
    assert every.exists(every.open("one more key", "one address"))
    assert [every.exists(code) for code in taken[:3]] == [True, False, True], "the oldest without members"
    assert every.exists(class_room)


def test_an_honest_class_is_counted_and_of_a_rush_of_keys_no_more_than_a_hall_brings(every, code, clock, monkeypatch):
    monkeypatch.setattr(rooms, "RUSH", 100)
    for number in range(100):  # within ten minutes; each looks for half a minute, votes, and the phone sleeps
        clock.now = 6.0 * number
        every.join(code, f"m{number}")
        every.vote(code, f"m{number}", 1, 0)
    assert asked(every, code).counts[-1] == (100, 0, 0)
    clock.now += 30
    assert every.members(code) == (100, 100), "who has answered is not waited for"
    every.put_away(code, "teacher")
    assert every.members(code) == (0, 100)
    every.ask(code, "teacher", question())
    for number in range(3 * rooms.RUSH):
        clock.now += rooms.MINUTE / (3 * rooms.RUSH)
        every.join(code, f"key {number}")
        every.vote(code, f"key {number}", 1, 1)
    rushed = asked(every, code)
    assert rushed.counts[-1][0] == 100, "who was there before is counted"
    assert rushed.counts[-1][1] <= rooms.RUSH
    assert len(rushed.votes) == len(rushed.counted) + len(rushed.uncounted) == 100 + 3 * rooms.RUSH
    every.count_all(code, "teacher")
    assert asked(every, code).counts[-1] == (100, 3 * rooms.RUSH, 0)


def test_a_full_room_lets_go_who_never_came_back_and_nobody_who_was_there(every, code, clock, monkeypatch):
    monkeypatch.setattr(rooms, "MEMBERS", 3)
    for member in ("sleeps", "voted", "passes by"):
        every.join(code, member)
    every.vote(code, "voted", 1, 0)
    clock.now = 2.0
    every.join(code, "sleeps")
    with pytest.raises(ValueError, match="full"):
        every.join(code, "new")
    clock.now = 3600.0
    every.join(code, "new")
    assert every.members(code)[1] == 3
    every.join(code, "sleeps")
    clock.now += 2.0
    every.join(code, "new")
    clock.now += 3600.0
    with pytest.raises(ValueError, match="full"):
        every.join(code, "passes by")
    assert every.question(code).votes == {"voted": 0}


def test_a_reader_is_in_the_room_opened_or_else_joined_last(every):
    first, second = every.open("one"), every.open("another")
    every.join(second, "reader")
    every.join(first, "reader")
    assert every.of("reader") == first
    every.join(second, "reader")
    assert every.of("reader") == first, "to look again is not to join"
    assert every.of("reader") != every.open("reader") == every.of("reader")
