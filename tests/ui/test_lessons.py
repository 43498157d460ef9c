"""The reader of sentences: numbers are put in or missed, and terms explain themselves."""

import html
import re

import pytest

from alibi_viz import APP_FOLDER
from alibi_viz.lessons import fill, linked, load, path, plain
from alibi_viz.lessons.languages import LANGUAGES
from pages.story.page import STEPS

PAGES = ["shared", *sorted({file.parent.name for file in (APP_FOLDER / "pages").glob("*/text.md")})]


def test_a_missing_section_or_number_is_an_error():
    with pytest.raises(KeyError, match="no section"):
        load("shared").text("nothing")
    assert fill("{share:.0%} of {bytes:,}", {"share": 0.123, "bytes": 4096}) == "12% of 4,096"
    assert fill("{z.real:.1f} and {z.imag:.1f}", {"z": 1 - 2j}) == "1.0 and −2.0"
    for unknown in ("{x} of {y}", "{z.part}", "{real.z}", "{x", "{ x }"):
        with pytest.raises(KeyError, match="no number"):
            fill(unknown, {"z": 1 - 2j, "x": 1})


def test_a_term_links_to_its_meaning_and_has_it_at_hand():
    glossary = load("glossary").entries("terms")
    assert list(load("glossary").entries("names")) == list(glossary)
    for term, meaning in glossary.items():
        link = linked(f"[words](glossary#{term.replace('_', '-')})", "en")
        assert plain(link) == "words", "a meaning does not end its link"
        assert plain(meaning) in html.unescape(link)
    for name in PAGES:
        terms = re.findall(r"\]\(glossary#([\w-]+)\)", path(name).read_text(encoding="utf-8"))
        assert {term.replace("-", "_") for term in terms} <= glossary.keys(), name


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", [name for name in PAGES if name not in ("shared", "glossary", "lesson")])
def test_a_term_of_the_first_screen_is_a_link_once_and_has_a_card(name, language):
    """Its lead; in the story the steps. A translation has the links of its English (test_languages.py)."""
    book, english = load(name, language), load(name, "en").sections
    sections = [f"{step}.text" for step in STEPS] if name == "story" else ["lead"]
    links = re.findall(
        r"\]\(glossary#([\w-]+) \"([^\"]+)\"\)", " ".join(linked(book.sections[key], language) for key in sections)
    )
    assert all(len(meaning) > 20 for _, meaning in links)
    linked_terms = [term.replace("-", "_") for term, _ in links]
    assert len(linked_terms) == len(set(linked_terms))
    text = re.sub(r"\[[^\]]+\]\([^)]*\)|\{[^}]*\}", "", " ".join(english[key] for key in sections))
    for term, names in load("glossary", "en").entries("names").items():
        words = "|".join(re.escape(word.removesuffix(" L")) for word in names.split(", "))
        assert term in linked_terms or not re.search(rf"\b({words})s?\b", text, re.IGNORECASE), term
