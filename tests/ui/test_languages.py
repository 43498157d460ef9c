"""Every language says what English says: the same sections, placeholders, links and table keys, and of the same English."""

import re

import pytest
from markdown_it import MarkdownIt

from alibi_viz import APP_FOLDER
from alibi_viz.lessons import OF_ALL, languages, load, method_title, path
from alibi_viz.lessons.languages import LANGUAGES, beside, parse, stamp
from alibi_viz.lessons.problems import Problem
from alibi_viz.positions import METHODS
from alibi_viz.ui.address import STATE
from tests.pages.apptest import open_page

LESSONS = [*OF_ALL, *sorted(file.parent.name for file in (APP_FOLDER / "pages").glob("*/text.md"))]
OTHERS = [language for language in LANGUAGES if language != "en"]


def pieces(section, text):
    """A section as one piece; a table as a piece for each entry. Sources are prose whose lines look like entries."""
    entries = languages.ENTRY.findall(text) if section != "sources" else []
    yield from entries or [("", text)]


def names(text):
    """The placeholders of a text, Plotly's too; how a number is written is the language's own."""
    return sorted(set(re.findall(r"\{(\w[\w.]*)[^{}]*\}", text)))


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("name", LESSONS)
def test_a_translation_has_all_that_its_english_has(name, language):
    file = beside(path(name), language)
    assert file.is_file(), f"{file.parent.name}/{file.name} is missing: until it is there, readers get English"
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


def test_a_section_of_an_older_english_is_shown_in_english_and_a_table_line_by_line(tmp_path):
    english = tmp_path / "text.md"
    table, sources = "- one: One {x:,}.\n- two: Two {y}.\n- three: Three.", "- A: one"
    sections = {"a": "One {x}.", "b": "Two.", "c": "Three.", "table": table, "sources": sources}
    english.write_text("\n\n".join(f"## {name}\n{body}" for name, body in sections.items()), encoding="utf-8")
    older, lines = stamp("older"), "- two: 二{z}。\n- one: 一{x}。\n- gone: 零。"
    translated = {
        "a": (older, "零。"),
        "b": (stamp("Two."), "二。"),
        "table": (older, lines),
        "sources": (older, "- A: 一"),
    }
    text = "\n\n".join(f"## {name} <!-- {of} -->\n{body}" for name, (of, body) in translated.items())
    beside(english, "zh").write_text(text, encoding="utf-8")
    assert languages.sections(english, "zh") == sections | {
        "b": "二。",
        "table": "- one: 一{x}。\n- two: Two {y}.\n- three: Three.",  # another placeholder; not there
    }, "sources are prose"
    assert languages.sections(english, "ja") == languages.sections(english, "en")


@pytest.mark.parametrize(
    ("locale", "language"), [("zh-CN", "zh"), ("ja", "ja"), ("zh_TW", "zh"), ("fr-FR", "en"), ("", "en"), (None, "en")]
)
def test_the_browser_names_the_language(locale, language):
    assert languages.nearest(locale) == language


def test_the_address_comes_before_the_browser_and_the_switch_before_both():
    at = open_page("slopes", lang="ja")
    assert at.title[0].value == load("slopes", "ja").text("title")
    at.session_state[STATE].values["lang"] = "zh"  # what the switch in the top row sets
    at.run()
    assert at.title[0].value == load("slopes", "zh").text("title")
    at = open_page("slopes", lang="klingon")
    assert at.title[0].value == load("slopes", "en").text("title")
    assert any("klingon" in box.value for box in at.info)


def test_a_method_is_called_by_its_title_in_english_and_by_a_word_of_the_language_elsewhere():
    english = load("shared", "en").entries("methods")
    assert english == {name: METHODS[name].title for name in english}
    assert method_title("Learned", "zh") == "可学习位置"
    assert method_title("ALiBi", "ja") == "ALiBi"
    problem = Problem("methods.no_vector", method="Learned", last=1, position=2)
    assert problem.sentence("zh").startswith("可学习位置从 0 到 1")


def test_a_cache_does_not_speak_the_language_of_another_reader(monkeypatch):
    kept = languages.kept_by_language(4)(lambda name: f"{languages.current()} {name}")
    assert kept("a") == "en a"
    monkeypatch.setattr(languages, "_language_of_reader", lambda: "zh")
    assert kept("a") == "zh a"
