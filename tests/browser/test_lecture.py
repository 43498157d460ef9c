"""A lecture played from its plan in docs/, in three windows: projector, laptop and phone, with reloads in the middle."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.browser.actions import open_at, open_room, query, settle
from tests.pages.test_lesson_plans import links

STEPS = [urlsplit(link) for link in links(50)]
PROJECTOR, LAPTOP, PHONE = (
    dict(zip(("width", "height"), size, strict=True)) for size in ((1280, 720), (1280, 800), (390, 844))
)
RELOADED = (2, 4)  # steps, from 0: the first has no question, the second has one
AT = "(name) => location.pathname.endsWith(name)"


def answer(teacher: Any, students: list[Any]) -> None:
    """All students answer the question of this step, and the teacher reveals it."""
    for student in students:
        student.locator("[class*=st-key-predict_] button").filter(visible=True).first.click()
        student.get_by_text("Your teacher will reveal the answer").wait_for()
    counted = f"answered: {len(students)}", f"{len(students)} of {len(students)} have answered"
    teacher.get_by_text(counted[0]).or_(teacher.get_by_text(counted[1])).first.wait_for()
    if query(teacher).get("present"):
        teacher.keyboard.press("r")
    else:
        teacher.locator(".st-key-room_reveal button").click()
    for student in students:
        student.get_by_text("Your teacher will reveal the answer").wait_for(state="hidden")


@pytest.mark.slow
def test_a_lecture_is_played_from_its_plan(another_browser: Any, app: str, tmp_path: Path) -> None:
    teacher, laptop, phone = (another_browser(viewport=size) for size in (PROJECTOR, LAPTOP, PHONE))
    students, asked = [laptop, phone], 0
    open_at(teacher, app + STEPS[0].path)
    code = open_room(teacher)
    for student in students:
        open_at(student, f"{app}/bias?room={code}")
    for number, step in enumerate(STEPS):
        open_at(teacher, f"{app}{step.path}?{step.query}")
        if number in RELOADED:
            for window in (teacher, *students):
                window.reload()
                settle(window)
        for student in students:
            student.wait_for_function(AT, arg=step.path)
            settle(student)
            assert query(student).get("scene") == query(teacher).get("scene")
        if teacher.locator(".st-key-room_reveal button").count():
            answer(teacher, students)
            asked += 1
        for name, window in zip(("projector", "laptop", "phone"), (teacher, *students), strict=True):
            settle(window)
            window.screenshot(path=tmp_path / f"{number + 1}-{name}.png")
    assert asked >= 4
    teacher.keyboard.press("j")
    teacher.get_by_role("heading", name=code).wait_for()
    assert teacher.get_by_text("members: 2").count(), "a reload makes nobody a second member"
