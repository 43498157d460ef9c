"""A lecture played from its plan in docs/, in three windows: projector, laptop and phone, with reloads in the middle."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.browser.actions import open_at, open_room, query, settle
from tests.pages.test_lesson_plans import LINKS

STEPS = [urlsplit(link) for link in LINKS]
PROJECTOR, LAPTOP, PHONE = (
    dict(zip(("width", "height"), size, strict=True)) for size in ((1280, 720), (1280, 800), (390, 844))
)
RELOADED = (2, 5)  # steps, from 0: the first has no question, the second has one
OPTIONS = "[class*=st-key-question_] button"


@pytest.mark.slow
def test_a_lecture_is_played_from_its_plan(another_browser: Any, app: str, tmp_path: Path) -> None:
    teacher, laptop, phone = (another_browser(viewport=size) for size in (PROJECTOR, LAPTOP, PHONE))
    students, asked = [laptop, phone], 0
    open_at(teacher, app + STEPS[1].path)
    code = open_room(teacher)
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
        for name, window in zip(("projector", "laptop", "phone"), windows, strict=True):
            settle(window)
            window.screenshot(path=tmp_path / f"{number + 1}-{name}.png")
    assert asked == 4, "as many as the plan says"
    teacher.keyboard.press("j")
    teacher.get_by_role("heading", name=code).wait_for()
    assert query(teacher)["present"] == ["true"]
