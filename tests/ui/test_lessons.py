"""The lesson files hold what the pages ask for."""

from __future__ import annotations

import html
import re

import pytest

from alibi_viz import APP_FOLDER
from alibi_viz.lessons import fill, linked, load, path, plain
from alibi_viz.lessons.languages import parse

PAGES = ["words", *sorted({file.parent.name for file in (APP_FOLDER / "pages").glob("*/*.md")})]


@pytest.mark.parametrize("name", PAGES)
def test_every_lesson_reads(name):
    lesson = load(name)
    assert lesson.sections
    assert all(text for text in lesson.sections.values())


def test_a_missing_section_or_number_is_an_error():
    with pytest.raises(KeyError, match="no section"):
        load("words").text("nothing")
    with pytest.raises(KeyError, match="no number"):
        fill("{x} of {y}", {"x": 1})
    assert fill("{x} of {y}", {"x": 1, "y": 2}) == "1 of 2"
    assert fill("{share:.0%} of {bytes:,}", {"share": 0.123, "bytes": 4096}) == "12% of 4,096"
    assert fill("{z.real:.1f} and {z.imag:.1f}", {"z": 1 - 2j}) == "1.0 and −2.0"
    for unknown in ("{z.part}", "{real.z}", "{x", "{ x }"):
        with pytest.raises(KeyError, match="no number"):
            fill(unknown, {"z": 1 - 2j})


def test_a_section_that_stands_twice_is_refused():
    with pytest.raises(ValueError, match="twice"):
        parse("## a\nx\n## a\ny")


def test_a_link_to_the_glossary_names_one_of_its_terms():
    glossary = load("glossary")
    assert list(glossary.entries("names")) == list(glossary.entries("terms"))
    links = {name: re.findall(r"\]\(glossary#([\w-]+)\)", path(name).read_text(encoding="utf-8")) for name in PAGES}
    unknown = {
        name: {term.replace("-", "_") for term in terms} - set(glossary.entries("terms"))
        for name, terms in links.items()
    }
    assert not any(unknown.values()), unknown
    meaning = glossary.entry("terms", "kv_cache")
    assert linked("a [cache](glossary#kv-cache)", "en") == f'a [cache](glossary#kv-cache "{meaning}")'


def test_what_a_term_means_does_not_end_its_link():
    for term, meaning in load("glossary").entries("terms").items():
        link = linked(f"[words](glossary#{term.replace('_', '-')})", "en")
        assert plain(link) == "words", meaning
        assert plain(meaning) in html.unescape(link)


def test_sentences_hold_for_a_finger_and_for_a_mouse():
    """A hand chooses: it may have no pointer to move over something, and no left side with a menu."""
    words = r"\b(point at|move over|(double-)?click(?!, or tap)|menu at the left|press an arrow)\b"
    mouse = re.compile(words, re.IGNORECASE)
    lines = [(name, line) for name in PAGES for line in path(name).read_text(encoding="utf-8").splitlines()]
    lines = [(name, line) for name, line in lines if not line.startswith("- point:")]  # a finger reads “tap” there
    assert [f"{name}: {line}" for name, line in lines if mouse.search(line)] == []
