"""A class: a lecture played from its plan in docs/ on projector, laptop and phone, with reloads; every vote counts for what
its phone showed; and the wall shows question and picture, and no answer too early."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest

from benchmarks.pages import PICTURES
from benchmarks.room import room
from tests.browser.actions import open_at, query, settle
from tests.browser.answers import answers_in, seen
from tests.browser.test_pages import ASKING
from tests.cases import some
from tests.pages.test_addresses import LINKS
from tests.threads import run_in_a_thread

STEPS = [urlsplit(link) for link in LINKS]
PROJECTOR, LAPTOP, PHONE = (
    dict(zip(("width", "height"), size, strict=True)) for size in ((1280, 720), (1280, 800), (390, 844))
)
RELOADED = (2, 5)  # steps, from 0: the first has no question, the second has one
OPTIONS = "[class*=st-key-question_] button"
WAITING = "until your teacher reveals the answer"
WALLS = ((1920, 1080), (1280, 720), (1024, 768))
QUICK = ("slopes", "extrapolation")  # a picture with hands, a chart
#: Where the picture of a page begins and ends, with what stands in it for readers.
EXTENT = """(places) => {
  const all = (root) => [...root.querySelectorAll("*")].flatMap(
    (one) => [one, ...(one.shadowRoot ? all(one.shadowRoot) : [])]);
  const boxes = [...document.querySelectorAll(places)].flatMap(all)
    .filter((one) => one.matches("canvas, .main-svg, .plots, .attention, .readout") && one.checkVisibility())
    .map((one) => one.getBoundingClientRect()).filter(({ width, height }) => width > 20 && height > 20);
  return [Math.min(...boxes.map(({ top }) => top)), Math.max(...boxes.map(({ bottom }) => bottom))];
}"""
OUTSIDE = """(parts) => [...document.querySelectorAll(parts)].filter((one) => {
  const { left, top, right, bottom } = one.getBoundingClientRect();
  return left < 0 || top < 0 || right > innerWidth + 1 || bottom > innerHeight + 1 || one.scrollWidth > one.clientWidth + 1;
}).map((one) => one.outerHTML.slice(0, 80))"""


def open_a_room(page: Any, app: str) -> str:
    """The code of the teacher's new room."""
    open_at(page, f"{app}/glossary")
    page.get_by_role("button", name="Class").first.click()
    page.get_by_role("button", name="Open a room").click()
    return str(page.locator("[data-testid=stPopoverBody] h3").inner_text())


def at(app: str, address: str, more: str) -> str:
    return f"{app}/{address}{'&' if '?' in address else '?'}{more}"


@pytest.mark.slow
def test_a_lecture_is_played_from_its_plan(another_browser: Any, app: str) -> None:
    teacher, laptop, phone = (another_browser(viewport=size) for size in (PROJECTOR, LAPTOP, PHONE))
    students, asked = [laptop, phone], 0
    code = open_a_room(teacher, app)
    for student in students:
        open_at(student, f"{app}/bias?room={code}")
    for number, step in enumerate(STEPS):
        windows = (teacher, *students)
        open_at(teacher, f"{app}{step.path}?{step.query}")
        for student in students:
            open_at(student, f"{app}{step.path}?{step.query.replace('present=true', '')}")
        if teacher.get_by_text("of 2 have answered").count():
            asked += 1
            for student in students:
                student.locator(OPTIONS).first.click()
                student.get_by_text(WAITING).wait_for()
        if number in RELOADED:
            for window in windows:
                window.reload()
                settle(window)
        if teacher.get_by_text("of 2 have answered").count():
            teacher.get_by_text("2 of 2 have answered").wait_for()
            teacher.keyboard.press("r")
            for student in students:
                student.get_by_text(WAITING).wait_for(state="hidden")
            teacher.locator("[data-testid=stProgress]").first.wait_for()
    assert asked == 4, "as many as the plan says"
    teacher.keyboard.press("Escape")
    teacher.locator("[data-testid=stSidebar]").wait_for()
    assert "present" not in query(teacher)


def test_the_teacher_sees_every_vote_of_a_class_and_the_class_the_answer(app: str) -> None:
    course = run_in_a_thread(room(app, members=4, seconds=0.5, reloading=2))
    assert course.screen == (4, 4), "a reload makes nobody a second member, and loses no vote"
    assert len(course.votes) == 4
    assert len(course.answers) == 4


def test_the_poster_is_read_from_the_back_row_and_nothing_of_it_is_cut(another_browser: Any, app: str) -> None:
    teacher = another_browser(viewport=PROJECTOR)
    code = open_a_room(teacher, app)
    open_at(teacher, f"{app}/slopes?present=true")
    teacher.keyboard.press("j")
    teacher.locator(".st-key-poster").get_by_role("heading", name=code).wait_for()
    heading = teacher.locator(".st-key-poster h1")
    heading.evaluate("(one) => { one.querySelector('span').textContent = 'WWWWW'; }")  # the widest code
    for width, height in WALLS:
        teacher.set_viewport_size({"width": width, "height": height})
        settle(teacher)
        parts = ".st-key-poster, .st-key-poster :is(h1, h1 *, img, p, code)"
        assert teacher.evaluate(OUTSIDE, parts) == [], (width, height)
        size, code_box = heading.evaluate("(one) => parseFloat(getComputedStyle(one).fontSize)"), heading.bounding_box()
        picture = teacher.locator(".st-key-poster img").first.bounding_box()
        assert size > 0.07 * width
        assert code_box["height"] < 2 * size, "in one line"
        assert picture["height"] > 0.44 * width or picture["height"] > 0.75 * height
        assert picture["x"] + picture["width"] <= code_box["x"]
    teacher.keyboard.press("Escape")
    teacher.locator(".st-key-poster").wait_for(state="hidden")


@pytest.mark.parametrize("address", some(ASKING, *QUICK))
def test_presented_the_picture_has_the_height_that_its_question_leaves(
    another_browser: Any, app: str, address: str
) -> None:
    teacher = another_browser(viewport=PROJECTOR)
    open_a_room(teacher, app)
    open_at(teacher, at(app, address, "present=true"))
    for box in (".st-key-question_open", ".st-key-question"):
        teacher.locator(box).wait_for()
        for width, height in WALLS:
            teacher.set_viewport_size({"width": width, "height": height})
            settle(teacher)
            where = (box, width, height)
            teacher.wait_for_function(f"(places) => ({EXTENT})(places).every(Number.isFinite)", arg=PICTURES)
            top, bottom = teacher.evaluate(EXTENT, PICTURES)
            main, page = (teacher.locator(part) for part in ("[data-testid=stMain]", ".st-key-page"))
            assert main.evaluate("(one) => one.scrollHeight") <= height, where
            assert 0.87 * height < bottom <= height, (*where, bottom)
            assert bottom - top > 0.4 * height, (*where, top, bottom)
            assert page.bounding_box()["x"] >= 0
            assert teacher.evaluate(OUTSIDE, f":is({box}) :is(button, li)") == [], where
        teacher.keyboard.press("r")


def test_two_phones_vote_for_what_they_show_and_the_wall_counts_it(another_browser: Any, app: str) -> None:
    teacher = another_browser(viewport=PROJECTOR)
    code = open_a_room(teacher, app)
    open_at(teacher, f"{app}/extrapolation?present=true")
    phones = []
    for address, option in (("extrapolation?ext_protocol=nonoverlapping", "lower"), ("slopes?lang=zh", "更低")):
        phones.append(phone := open_at(another_browser(viewport=PHONE), at(app, address, f"room={code}")))
        phone.locator(OPTIONS).last.click()
        phone.get_by_role("button", name=option, exact=True).click()  # another one, before the answer
    same_lesson, other = phones
    assert same_lesson.locator(PICTURES).locator("visible=true").count() == 0, "its picture shows the other windows"
    assert other.locator(PICTURES).locator("visible=true").count()
    teacher.get_by_text("2 of 2 have answered").wait_for()
    teacher.keyboard.press("r")
    texts = teacher.locator("[data-testid=stProgress]")
    texts.first.wait_for()
    assert [text.strip() for text in texts.all_inner_texts()] == ["✓ lower: 2", "about the same: 0", "higher: 0"]
    same_lesson.locator(".js-plotly-plot").first.wait_for()
    other.get_by_role("link").filter(has=other.get_by_text("相应的图")).click()
    other.locator(".js-plotly-plot").first.wait_for()
    assert query(other)["lang"] == ["zh"]


@pytest.mark.parametrize("address", some(ASKING, "recall"))
def test_no_page_of_a_member_says_the_answer_before_it_is_revealed(
    another_browser: Any, app: str, address: str
) -> None:
    teacher, member = (another_browser(viewport=size) for size in (PROJECTOR, LAPTOP))
    code = open_a_room(teacher, app)
    open_at(teacher, at(app, address, "present=true"))
    open_at(member, at(app, address, f"room={code}"))
    member.locator(".st-key-question_open").wait_for()
    assert member.locator(PICTURES).locator("visible=true").count(), "the picture of the question"
    for page in (teacher, member):
        assert answers_in(address, seen(page)) == []
    teacher.keyboard.press("r")
    member.locator(".st-key-question_open").wait_for(state="hidden")
    settle(member)
    assert answers_in(address, seen(member)), "then it says it"
