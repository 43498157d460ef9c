"""A class on a real server, over Streamlit's own protocol: answers reach the teacher's screen."""

from __future__ import annotations

from benchmarks.reader import Reader
from benchmarks.room import room
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
