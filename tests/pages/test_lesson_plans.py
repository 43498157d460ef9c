"""The lesson plans of docs/: each link opens its step as it says, and nothing of it has to be corrected."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from alibi_viz.ui.controls import frame
from alibi_viz.ui.shell import navigation
from tests.pages.apptest import open_page, params, visible

DOCS = Path(__file__).resolve().parents[2] / "docs"
PLANS = {50: 9, 90: 13}  # minutes -> steps


def plan(minutes: int) -> str:
    return (DOCS / f"lesson-{minutes}.md").read_text(encoding="utf-8")


def links(minutes: int) -> list[str]:
    return re.findall(r"\]\((http[^)]+)\)", plan(minutes))


@pytest.mark.parametrize("minutes", PLANS)
def test_the_steps_fill_the_lesson_without_a_gap(minutes: int) -> None:
    ends = [tuple(map(int, pair)) for pair in re.findall(r"^\| (\d+)–(\d+) \|", plan(minutes), re.MULTILINE)]
    assert len(ends) == len(links(minutes)) == PLANS[minutes]
    assert [0, *(end for _, end in ends)] == [*(begin for begin, _ in ends), minutes]


@pytest.mark.parametrize("link", sorted({link for minutes in PLANS for link in links(minutes)}))
def test_each_link_opens_its_step(link: str) -> None:
    parts = urlsplit(link)
    lesson, query = parts.path.strip("/"), dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
    assert lesson in navigation.ICONS
    known = {param.key for param in (*params(lesson), *frame.PARAMS)}
    assert query.keys() <= known
    for listed in (query.get(frame.HIDE.key, ""), query.get(frame.LOCK.key, "")):
        assert set(filter(None, listed.split(","))) <= known | {frame.PROSE}
    at = open_page(lesson, **query)
    assert not at.info, "a corrected value"
    assert visible(at)
