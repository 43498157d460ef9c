"""The lesson plan of docs/: each link opens its step as it says, and nothing of it has to be corrected."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from alibi_viz.ui.controls import frame
from alibi_viz.ui.shell import navigation
from tests.pages.apptest import open_page, params, visible

DOCS = Path(__file__).resolve().parents[2] / "docs"
PLAN = (DOCS / "lesson-50.md").read_text(encoding="utf-8")
LINKS: list[str] = re.findall(r"\]\((/[^)]+)\)", PLAN)


def test_the_steps_fill_the_lesson_without_a_gap() -> None:
    ends = [tuple(map(int, pair)) for pair in re.findall(r"^\| (\d+)–(\d+) \|", PLAN, re.MULTILINE)]
    assert len(ends) == len(LINKS) == 11
    assert [0, *(end for _, end in ends)] == [*(begin for begin, _ in ends), 50]


@pytest.mark.parametrize("link", LINKS)
def test_each_link_opens_its_step(link: str) -> None:
    parts = urlsplit(link)
    lesson, query = parts.path.strip("/"), dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
    assert lesson in navigation.ICONS
    known = {param.key for param in (*params(lesson), *frame.PARAMS)}
    assert query.keys() <= known
    at = open_page(lesson, **query)
    assert not at.info, "a corrected value"
    assert visible(at)
