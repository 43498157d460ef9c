"""Links that are written down, in the lesson plan of docs/ and on the Sources page: each opens what it says."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from alibi_viz.lessons import load
from alibi_viz.ui.controls import frame
from alibi_viz.ui.controls.params import clean
from tests.pages.apptest import open_page, params_of, shown

DOCS = Path(__file__).resolve().parents[2] / "docs"
LINKS: list[str] = re.findall(r"\]\((/[^)]+)\)", (DOCS / "lesson-50.md").read_text(encoding="utf-8"))
SAID: list[str] = re.findall(r"\]\(([^)]+)\) \|$", load("sources").sections["said"], re.MULTILINE)


@pytest.mark.parametrize("link", [*LINKS, *SAID])
def test_each_link_opens_what_it_says(link: str) -> None:
    parts = urlsplit(link)
    lesson, query = parts.path.strip("/"), dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
    at = open_page(lesson, **query)
    assert not at.info, "a corrected value"
    table = {param.key: param for param in (*params_of(at, lesson), *frame.PARAMS)}
    for key, text in query.items():
        assert shown(at, key) == clean(table[key], text).value, key
