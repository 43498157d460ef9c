"""A class: a lecture played from its plan in docs/ on projector, laptop and phone, with reloads; and every vote counts."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest

from benchmarks.room import room
from tests.browser.actions import open_at, query, settle
from tests.pages.test_addresses import LINKS
from tests.threads import run_in_a_thread

STEPS = [urlsplit(link) for link in LINKS]
PROJECTOR, LAPTOP, PHONE = (
    dict(zip(("width", "height"), size, strict=True)) for size in ((1280, 720), (1280, 800), (390, 844))
)
RELOADED = (2, 5)  # steps, from 0: the first has no question, the second has one
OPTIONS = "[class*=st-key-question_] button"


@pytest.mark.slow
def test_a_lecture_is_played_from_its_plan(another_browser: Any, app: str) -> None:
    teacher, laptop, phone = (another_browser(viewport=size) for size in (PROJECTOR, LAPTOP, PHONE))
    students, asked = [laptop, phone], 0
    open_at(teacher, app + STEPS[1].path)
    teacher.get_by_role("button", name="Class").first.click()
    teacher.get_by_role("button", name="Open a room").click()
    code = teacher.locator("[data-testid=stPopoverBody] h3").inner_text()
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
                student.get_by_text("Your teacher will reveal the answer").wait_for()
        if number in RELOADED:
            for window in windows:
                window.reload()
                settle(window)
        if teacher.get_by_text("of 2 have answered").count():
            teacher.get_by_text("2 of 2 have answered").wait_for()
            teacher.keyboard.press("r")
            for student in students:
                student.get_by_text("Your teacher will reveal the answer").wait_for(state="hidden")
            teacher.locator("[data-testid=stProgress]").first.wait_for()
    assert asked == 4, "as many as the plan says"
    teacher.keyboard.press("j")
    poster = teacher.locator(".st-key-poster")
    poster.get_by_role("heading", name=code).wait_for()
    assert (
        poster.get_by_role("heading", name=code).evaluate("(one) => parseFloat(getComputedStyle(one).fontSize)") > 100
    )
    assert poster.locator("img").first.bounding_box()["height"] > 400, "the back row reads it"
    teacher.keyboard.press("Escape")
    poster.wait_for(state="hidden")
    teacher.keyboard.press("Escape")
    teacher.locator("[data-testid=stSidebar]").wait_for()
    assert "present" not in query(teacher)


def test_the_teacher_sees_every_vote_of_a_class_and_the_class_the_answer(app: str) -> None:
    course = run_in_a_thread(room(app, members=4, seconds=0.5, reloading=2))
    assert course.screen == (4, 4), "a reload makes nobody a second member, and loses no vote"
    assert len(course.votes) == 4
    assert len(course.answers) == 4
