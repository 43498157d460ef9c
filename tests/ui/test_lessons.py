"""The lesson files hold what the pages ask for."""

from __future__ import annotations

import pytest

from alibi_viz.lessons import FOLDER, fill, load, parse

PAGES = sorted(path.stem for path in (FOLDER / "en").glob("*.md"))


@pytest.mark.parametrize("name", PAGES)
def test_every_lesson_reads(name):
    lesson = load(name)
    assert lesson.sections
    assert all(text for text in lesson.sections.values())


def test_a_missing_section_or_number_is_an_error():
    with pytest.raises(KeyError, match="no section"):
        load("words").text("nothing")
    with pytest.raises(KeyError, match="no number"):
        fill("{{x}} of {{y}}", {"x": 1})
    assert fill("{{x}} of {{y}}", {"x": 1, "y": 2}) == "1 of 2"
    assert fill("{{share:.0%}} of {{bytes:,}}", {"share": 0.123, "bytes": 4096}) == "12% of 4,096"


def test_a_section_that_stands_twice_is_refused():
    with pytest.raises(ValueError, match="twice"):
        parse("## a\nx\n## a\ny")
