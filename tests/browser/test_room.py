"""A class on a real server, over Streamlit's own protocol: answers reach the teacher's screen."""

from __future__ import annotations

import pytest

from benchmarks.reader import Reader
from benchmarks.room import room
from tests.browser.actions import open_at, open_room
from tests.threads import run_in_a_thread


def test_the_teacher_sees_every_answer_of_a_class_and_the_class_follows(app):
    course = run_in_a_thread(room(app, members=4, seconds=0.5, reloading=2, moves=2))
    assert course.screen == (4, 4), "a reload makes nobody a second member, and loses no answer"
    assert len(course.answers) == 4
    assert len(course.follows) == 8


async def _texts(address):
    """What the page says first, after a number was typed, and after a preset was pressed."""
    said = []
    async with Reader(address, said.append) as reader:
        texts = []
        for act in (
            lambda: reader.open("slopes", ""),
            lambda: reader.set_number("heads", 12),
            lambda: reader.press("try_slopes_bloom"),
        ):
            said.clear()
            await act()
            texts.append(" ".join(said))
        return texts


def test_a_reader_without_a_browser_changes_controls(app):
    first, typed, preset = run_in_a_thread(_texts(app))
    assert "8 heads, slopes from" in first
    assert "Predict first" not in first
    assert "12 heads, slopes from" in typed
    assert "112 heads, slopes from" in preset


def _type_sizes(page, container):
    """Pixels of each text in a part of the page."""
    read = "all => all.filter((e) => e.textContent.trim()).map((e) => parseFloat(getComputedStyle(e).fontSize))"
    return page.locator(f"{container} :is(p, h1, code)").evaluate_all(read)


@pytest.mark.slow
def test_the_bar_of_a_teacher_is_read_from_the_back_row(another_browser, app):
    teacher, student = another_browser(viewport={"width": 1280, "height": 720}), another_browser()
    open_at(teacher, f"{app}/slopes")
    code = open_room(teacher)
    open_at(student, f"{app}/slopes?room={code}")
    stop = student.get_by_role("button", name="Stop following")
    stop.click(trial=True)  # nothing covers it
    open_at(teacher, f"{app}/slopes?present=true")
    teacher.get_by_text("members: 1").wait_for()
    assert min(_type_sizes(teacher, ".st-key-room_bar") + _type_sizes(teacher, ".st-key-room_answers")) >= 18
    for button in teacher.locator(".st-key-room_bar button").all():
        box = button.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 1280
        assert box["y"] + box["height"] <= 720
    picture = teacher.locator(".st-key-stage_picture").bounding_box()
    assert picture["y"] + picture["height"] <= teacher.locator(".st-key-room_bar").bounding_box()["y"]
    teacher.keyboard.press("j")
    poster = teacher.locator(".st-key-room_poster")
    poster.wait_for()
    assert max(_type_sizes(teacher, ".st-key-room_poster")) > 100
    assert poster.locator("img").first.bounding_box()["height"] > 400
    teacher.keyboard.press("j")
    poster.wait_for(state="hidden")
    teacher.keyboard.press("h")
    teacher.locator(".st-key-room_bar").wait_for(state="hidden")
    teacher.keyboard.press("n")
    teacher.wait_for_function("location.pathname.endsWith('/bias')")
    student.wait_for_function("location.pathname.endsWith('/bias')")
