"""The lesson files hold what the pages ask for."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from alibi_viz.lessons import FOLDER, Lesson, fill, linked, load, parse

PAGES = sorted(path.stem for path in (FOLDER / "en").glob("*.md"))


def pieces(path: Path) -> dict[str, object]:
    """What a translation must leave as it is: sections, the names of entries, and the numbers in each section."""
    lesson = Lesson(path.stem, parse(path.read_text(encoding="utf-8")))
    numbers = {name: sorted(set(re.findall(r"\{\{(\w+)", text))) for name, text in lesson.sections.items()}
    return {name: (list(lesson.entries(name)), numbers[name]) for name in lesson.sections}


def untranslated(folder: Path) -> list[str]:
    """The lessons of a language that are missing, or that have other pieces than the English ones."""
    paths = {name: folder / f"{name}.md" for name in PAGES}
    return [n for n, path in paths.items() if not path.exists() or pieces(path) != pieces(FOLDER / "en" / path.name)]


def test_every_language_has_the_pieces_of_the_english_lessons():
    languages = [path for path in FOLDER.iterdir() if (path / "words.md").exists()]
    assert languages
    assert [(language.name, name) for language in languages for name in untranslated(language)] == []


def test_a_translation_that_lost_a_number_or_a_lesson_is_found(tmp_path):
    shutil.copytree(FOLDER / "en", tmp_path / "xx")
    slopes = tmp_path / "xx" / "slopes.md"
    slopes.write_text(slopes.read_text().replace("{{steepest}}", "0.5").replace("Slopes: one", "Steigungen: eine"))
    (tmp_path / "xx" / "bias.md").unlink()
    assert untranslated(tmp_path / "xx") == ["bias", "slopes"]


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


def test_a_link_to_the_glossary_names_one_of_its_terms():
    glossary = load("glossary")
    assert list(glossary.entries("names")) == list(glossary.entries("terms"))
    links = {name: re.findall(r"\[\[(\w+)\|", (FOLDER / "en" / f"{name}.md").read_text()) for name in PAGES}
    unknown = {name: set(terms) - set(glossary.entries("terms")) for name, terms in links.items()}
    assert not any(unknown.values()), unknown
    assert all(len(terms) == len(set(terms)) for terms in links.values()), "only where a term first appears"
    assert linked("a [[kv_cache|cache]]") == "a [cache](glossary#kv-cache)"
