"""Before a page has run, its document shows what its picture looks like; and nothing that the page may not show."""

from __future__ import annotations

import re

import pytest
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.testclient import TestClient

from alibi_viz.lessons import languages
from alibi_viz.ui import classroom, reader
from alibi_viz.ui.shell import navigation, stills
from alibi_viz.ui.shell.document import Document

LARGEST, ALL = 20_000, 700_000  # bytes of a still, and of all of them
FILES = TestClient(Starlette(routes=stills.routes()))
KEY = "k" * 43


def document(path: str, **headers: str) -> str:
    server = Document(Response("<html><body></body></html>", media_type="text/html"))
    answer = TestClient(server, headers={"accept": "text/html", **headers}).get(path)
    return "".join(answer.text.partition('<div id="still"')[1:])


def test_every_page_has_a_still_for_each_size_and_theme_and_a_place_for_it() -> None:
    assert stills.places().keys() == navigation.ICONS.keys()
    for place in stills.places().values():
        assert all({"left", "right", "height", "top"} == place[size].keys() for size in stills.SIZES)
        assert all(place[size]["top"].keys() == languages.LANGUAGES.keys() for size in stills.SIZES)
    names = {
        stills.file(name, size, look) for name in navigation.ICONS for size in stills.SIZES for look in stills.LOOKS
    }
    files = {path.name: path.stat().st_size for path in stills.FOLDER.iterdir()}
    assert files.keys() == names
    assert max(files.values()) < LARGEST
    assert sum(files.values()) < ALL


@pytest.mark.parametrize(("path", "count"), [("/", 4), ("/slopes?lang=ja", 4), ("/lab_t5?theme=dark", 2)])
def test_the_document_of_a_page_leads_to_its_stills(path: str, count: int) -> None:
    found = re.findall(r'(?:src|srcset)="(stills-[^"]+)"', document(path))
    assert len(found) == count
    for place in found:
        answer = FILES.get(place)
        assert (answer.status_code, answer.headers["content-type"]) == (200, "image/webp")
        assert "dark" in place or "theme=dark" not in path


def test_its_place_is_that_of_the_reader_s_language() -> None:
    top = stills.places()["slopes"]["desk"]["top"]
    for language in languages.LANGUAGES:
        assert f"top: {top[language]}px" in document("/slopes", **{"accept-language": f"{language}-XX,en;q=0.5"})


@pytest.mark.parametrize("path", ["/slopes?heads=4", "/extrapolation?predict=true", "/story?room=ABCDE", "/bias?x=1"])
def test_where_another_picture_comes_or_a_question_its_frame_is_empty(path: str) -> None:
    assert 'id="still"' in document(path)
    assert "<img" not in document(path)


def test_nobody_in_a_class_sees_a_picture_that_may_answer() -> None:
    code = classroom.ROOMS.open(owner := reader.known_as(KEY))
    try:
        assert "<img" not in document("/extrapolation", cookie=f"{reader.COOKIE}={KEY}")
        assert "<img" in document("/extrapolation")
    finally:
        classroom.ROOMS.close(code, owner)


@pytest.mark.parametrize("path", ["/slopes?present=true", "/glossary", "/nowhere"])
def test_elsewhere_there_is_none(path: str) -> None:
    assert "still" not in document(path)
