"""A class on a real server, over Streamlit's own protocol: answers reach the teacher's screen."""

from __future__ import annotations

from benchmarks.reader import Reader
from benchmarks.room import room
from tests.browser.actions import drag, open_at, open_room, settle
from tests.threads import run_in_a_thread


def test_the_teacher_sees_every_vote_of_a_class_and_the_class_the_answer(app):
    course = run_in_a_thread(room(app, members=4, seconds=0.5, reloading=2))
    assert course.screen == (4, 4), "a reload makes nobody a second member, and loses no vote"
    assert len(course.votes) == 4
    assert len(course.answers) == 4


async def _texts(address):
    """What the page says first, after a number was typed, and after a preset was pressed."""
    said = []
    async with Reader(address, said.append) as reader:
        texts = []
        for act in (
            lambda: reader.open("slopes", ""),
            lambda: reader.release("slopes", {"heads": 12}),
            lambda: reader.release("slopes", {"heads": 112, "model": "BLOOM 176B"}),
        ):
            said.clear()
            await act()
            texts.append(" ".join(said))
        return texts


def test_a_reader_without_a_browser_changes_controls(app):
    first, typed, preset = run_in_a_thread(_texts(app))
    assert "8 heads, slopes from" in first
    assert "**Question.**" not in first
    assert "12 heads, slopes from" in typed
    assert "112 heads, slopes from" in preset


def _type_sizes(page, container):
    """Pixels of each text in a part of the page."""
    read = "all => all.filter((e) => e.textContent.trim()).map((e) => parseFloat(getComputedStyle(e).fontSize))"
    return page.locator(f"{container} :is(p, h1, code)").evaluate_all(read)


def test_a_presenting_teacher_is_read_from_the_back_row_and_has_keys(another_browser, app):
    teacher, student = another_browser(viewport={"width": 1280, "height": 720}), another_browser()
    open_at(teacher, f"{app}/slopes")
    code = open_room(teacher)
    open_at(student, f"{app}/slopes?room={code}")
    open_at(teacher, f"{app}/slopes?present=true")
    teacher.get_by_text("0 of 1 have answered").wait_for()
    assert min(_type_sizes(teacher, ".st-key-question_open")) >= 18
    drag(teacher, "Heads", start=0.1, stop=0.3, moves=4)  # a hand on a slider does not take the keys away
    teacher.keyboard.press("j")
    poster = teacher.locator(".st-key-poster")
    poster.wait_for()
    assert poster.get_by_text(code).first.is_visible()
    assert max(_type_sizes(teacher, ".st-key-poster")) > 100
    assert poster.locator("img").first.bounding_box()["height"] > 400
    teacher.keyboard.press("Escape")
    poster.wait_for(state="hidden")
    teacher.keyboard.press("r")
    student.get_by_text("The answer is").wait_for()
    teacher.keyboard.press("n")
    teacher.wait_for_function("location.pathname.endsWith('/bias')")
    settle(teacher)
    teacher.keyboard.press("Escape")
    teacher.locator("[data-testid=stSidebar]").wait_for()
    teacher.wait_for_function("!location.search.includes('present')")
