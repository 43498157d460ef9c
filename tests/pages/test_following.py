"""A class that follows its teacher, and the bar of a teacher who presents."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from alibi_viz.ui import classroom
from tests.pages.apptest import address, open_page, said

Room = tuple[str, AppTest]


@pytest.fixture
def room() -> Iterator[Room]:
    """The code of a room with its teacher at Slopes."""
    classroom.rooms.forget()
    teacher = open_page("slopes")
    teacher.button(key="room_open").click().run()
    yield next(element.value for element in teacher.markdown if element.value.startswith("### "))[4:], teacher
    classroom.rooms.forget()


def title(at: AppTest) -> str:
    return str(at.title[0].value)


def buttons(at: AppTest) -> set[str]:
    return {str(button.key) for button in at.button}


def test_members_go_where_the_teacher_goes(room: Room) -> None:
    code, teacher = room
    student = open_page("bias", room=code)
    assert title(student) == title(teacher), "who joins comes to where the class is"
    teacher.number_input(key="heads").set_value(12).run()
    assert student.run().number_input(key="heads").value == 12
    teacher.switch_page("pages/story/page.py").run()
    teacher.button(key="story_next").click().run()
    student.run()
    assert title(student) == title(teacher)
    assert address(student)["scene"] == "2"
    assert address(student)["room"] == code, "how a page is framed is the member's own"


def test_what_the_teacher_has_set_back_goes_back(room: Room) -> None:
    code, teacher = room
    teacher.number_input(key="heads").set_value(12).run()
    student = open_page("slopes", room=code)
    teacher.number_input(key="heads").set_value(8).run()
    assert student.run().number_input(key="heads").value == 8


def test_a_member_who_changes_a_control_is_not_fought(room: Room) -> None:
    code, teacher = room
    student, other = open_page("slopes", room=code), open_page("slopes", room=code)
    student.number_input(key="heads").set_value(5).run()
    teacher.number_input(key="heads").set_value(12).run()
    assert student.run().number_input(key="heads").value == 5
    assert other.run().number_input(key="heads").value == 12
    assert "room_stop_following" in buttons(other)
    student.button(key="room_follow_again").click().run()
    assert student.number_input(key="heads").value == 12
    student.button(key="room_stop_following").click().run()
    teacher.number_input(key="heads").set_value(6).run()
    assert student.run().number_input(key="heads").value == 12


def test_a_teacher_need_not_be_followed(room: Room) -> None:
    code, teacher = room
    student = open_page("slopes", room=code)
    teacher.toggle(key="room_lead").set_value(False).run()
    teacher.number_input(key="heads").set_value(12).run()
    assert student.run().number_input(key="heads").value == 8
    assert not {"room_stop_following", "room_follow_again"} & buttons(student)
    teacher.toggle(key="room_lead").set_value(True).run()
    assert student.run().number_input(key="heads").value == 12


@pytest.mark.parametrize("place", ["../x?heads=12", "nowhere?heads=12", "slopes?heads=1e9&rule=%00&colour=x", "?" * 99])
def test_a_place_is_checked_where_it_arrives(room: Room, place: str) -> None:
    code, _ = room
    student = open_page("slopes", room=code)
    with classroom.rooms()._shared.change() as tables:
        tables.execute("UPDATE rooms SET place = ?, turn = turn + 1", (place,))
    student.run()
    assert not student.exception
    assert 1 <= student.number_input(key="heads").value <= 128


def test_a_teacher_who_presents_has_the_room_at_hand(room: Room) -> None:
    code, teacher = room
    student = open_page("slopes", room=code)
    student.button(key="predict_slopes.predict_2").click().run()
    present = AppTest.from_file(teacher._script_path, default_timeout=60)
    present.context, present._page_hash = {"theme": "light"}, teacher._page_hash
    present.session_state["_reader_key"] = teacher.session_state["_reader_key"]
    present.query_params["present"] = "true"
    present.run()
    assert code in said(present)
    assert "answered: 1" in said(present)
    present.button(key="room_join").click().run()
    assert any(element.value == f"# {code}" for element in present.markdown)
    present.button(key="room_reveal").click().run()
    assert "That is right" in said(student.run())
    assert "room_reveal" not in buttons(present)
    before = title(present)
    present.button(key="room_next").click().run()
    assert title(present) != before
    present.button(key="room_hide").click().run()
    assert not {"room_next", "room_hide"} & buttons(present)
