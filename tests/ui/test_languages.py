"""Every language says what English says: the same sections, placeholders, links and table keys, and of the same English."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from alibi_viz import APP_FOLDER
from alibi_viz.lessons import languages, load, path
from alibi_viz.lessons.languages import LANGUAGES, beside, parse, stamp
from alibi_viz.ui.address import STATE
from tests.pages.apptest import open_page

LESSONS = ["shared", *sorted(file.parent.name for file in (APP_FOLDER / "pages").glob("*/text.md"))]
OTHERS = [language for language in LANGUAGES if language != "en"]


@pytest.fixture
def speaks(monkeypatch: pytest.MonkeyPatch):
    """Make a reader of this language the present one."""
    return lambda language: monkeypatch.setattr(languages, "_language_of_reader", lambda: language)


def pieces(section: str, text: str) -> Iterator[tuple[str, str]]:
    """A section as one piece; a table as a piece for each entry. Sources are prose whose lines look like entries."""
    entries = languages.ENTRY.findall(text) if section != "sources" else []
    yield from entries or [("", text)]


def names(text: str) -> list[str]:
    """The placeholders of a text, Plotly's too; how a number is written is the language's own."""
    return sorted(set(re.findall(r"\{(\w[\w.]*)[^{}]*\}", text)))


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("name", LESSONS)
def test_a_translation_has_all_that_its_english_has(name, language):
    file = beside(path(name), language)
    english, translated = (parse(each.read_text(encoding="utf-8")) for each in (path(name), file))
    assert list(translated) == list(english)
    for section, (text, _) in english.items():
        other, of = translated[section]
        assert of == stamp(text), (
            f"{file.parent.name}/{file.name}, section “{section}”: its English has changed. Where the translation has "
            f"followed, its heading is: ## {section} <!-- {stamp(text)} -->"
        )
        ours, theirs = dict(pieces(section, text)), dict(pieces(section, other))
        assert list(theirs) == list(ours), section
        for key, piece in ours.items():
            for what in (names, lambda text: sorted(re.findall(r"\]\(([^)]*)\)", text))):
                assert what(theirs[key]) == what(piece), f"{section}.{key}"


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("name", LESSONS)
def test_emphasis_in_a_translation_is_markdown(name, language):
    """Without blanks between words, Markdown takes some stars and underscores for letters."""
    for section, text in load(name, language).sections.items():
        for key, piece in pieces(section, text):
            read = MarkdownIt().render(re.sub(r"\{[^{}]*\}|\$[^$]*\$|`[^`]*`", "7", piece))
            letters = re.sub(r"<[^>]*>", "", read)
            assert not re.search(r"\*\*|(?<![a-z])_\w+_", letters), f"{section}.{key}: {letters}"


@pytest.mark.parametrize("language", OTHERS)
def test_every_phrase_of_the_code_has_its_translation(language):
    for english, translated in languages.phrases(language).items():
        assert names(translated) == names(english), english


def test_a_phrase_is_one_that_the_code_or_the_data_says():
    """So that a reworded error does not leave its translation behind."""
    said = {
        text
        for file in (*APP_FOLDER.glob("alibi_viz/**/*.py"), *APP_FOLDER.glob("pages/**/*.py"))
        for text in strings(file)
    }
    data = "".join(
        file.read_text(encoding="utf-8")
        for file in (
            APP_FOLDER / "pages/today/timeline.json",
            APP_FOLDER / "alibi_viz/results/published/press2022.json",
        )
    )
    parts = [re.sub(r"\{\w+\}", "{}", phrase) for phrase in languages.phrases("en")]
    assert [part for part in parts if part not in said and any(piece not in data for piece in part.split("{}"))] == []


def strings(file: Path) -> Iterator[str]:
    """The texts in a file of Python, with {} for what is put in."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_a_phrase_is_said_in_the_language_of_the_reader(speaks):
    said = "The text has 9,000 bytes; at most 8,192 are read."
    assert languages.sentence(said) == said
    for language in OTHERS:
        speaks(language)
        translated = languages.sentence(said)
        assert translated != said
        assert re.findall("[0-9,]+", translated) == ["9,000", "8,192"]
        assert languages.sentence("of no phrase") == "of no phrase"


def test_a_section_of_an_older_english_is_shown_in_english(tmp_path):
    english = tmp_path / "text.md"
    english.write_text("## a\nOne {x}.\n\n## b\nTwo.\n\n## c\nThree.\n", encoding="utf-8")
    beside(english, "zh").write_text(
        f"## a <!-- {stamp('Zero.')} -->\n零。\n\n## b <!-- {stamp('Two.')} -->\n二。\n", encoding="utf-8"
    )
    assert languages.sections(english, "zh") == {"a": "One {x}.", "b": "二。", "c": "Three."}
    assert languages.sections(english, "ja") == languages.sections(english, "en")


@pytest.mark.parametrize(
    ("locale", "language"), [("zh-CN", "zh"), ("ja", "ja"), ("zh_TW", "zh"), ("fr-FR", "en"), ("", "en"), (None, "en")]
)
def test_the_browser_names_the_language(locale, language):
    assert languages.nearest(locale) == language


def test_the_address_comes_before_the_browser_and_the_switch_before_both():
    at = open_page("slopes", lang="ja")
    assert at.title[0].value == load("slopes", "ja").text("title")
    at.session_state[STATE].texts["lang"] = "zh"  # what the switch in the top row sets
    at.run()
    assert at.title[0].value == load("slopes", "zh").text("title")
    at = open_page("slopes", lang="klingon")
    assert at.title[0].value == load("slopes", "en").text("title")
    assert any("klingon" in box.value for box in at.info)
