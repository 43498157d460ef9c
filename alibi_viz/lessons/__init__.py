"""The reader of the pages' prose: a lesson's sentences stand in its folder, `pages/<lesson>/text.md`; the words that all
lessons share, in `text.md` beside this file.

Notable choices:
- A file is plain Markdown, so that a translator needs no tool: `## name` opens a section, `- key: text` lines in a section
  are a table of short labels. Numbers have `str.format` names, `{heads}` or `{weight:.1%}`; without a format a number is
  printed as `format_number` prints it.
- A link to the glossary, `[head](glossary#head)`, gets the term's meaning as its title.
- What the browser fills in is a table too, taken as it stands (`entries`).
- A missing section or a missing number is an error, never an empty spot on the page; a test opens every file.
- A lesson comes in the language of its reader (languages.py).
"""

import re
import string
from collections.abc import Iterable, Mapping
from functools import lru_cache, partial, reduce
from pathlib import Path
from typing import Any

from alibi_viz import APP_FOLDER
from alibi_viz.lessons import languages
from alibi_viz.lessons.numbers import MINUS, format_number

OF_ALL = {"shared": "text.md", "problems": "problems.md"}  # files of the words that all lessons share
_HAN = r"[\u3001-\u30ff\u3400-\u9fff\uff01-\uff60]"
_BLANK_IN_HAN = re.compile(rf"(?<={_HAN}) (?={_HAN})")  # beside a value that is a word of the language
# Blanks at which no line breaks, as in “16 L”, “L = 128” and “4.05 → 45.3”: text without other blanks would break there.
_UNBROKEN = re.compile(
    r"(?<=[\d}]) (?=L(?![A-Za-z]))|(?<=(?<![A-Za-z])[A-Za-z]) (?=[=−])|(?<=(?<![A-Za-z])[A-Za-z] [=−]) "
    r"|(?<=_[A-Za-z]_) (?==)|(?<=_[A-Za-z]_ =) | (?=→)"
)
# Hyphens of names and dates, as in “GPT-2” and “2024-11”: browsers break lines after them. Not in an address.
_HYPHEN = re.compile(r"(?<![\w/=.%-])(?:(?:[A-Z]\w*-)+|\d{4}-)(?=\d)")
_WORDS = re.compile(r"\\text\{( ?)([^{}]*?)( ?)\}")  # in LaTeX
_SIGNED_ZERO = re.compile(r"[+-][0.,]+%?")
_TO_TERM = re.compile(r"\]\(glossary#([\w-]+)\)")
# Emphasis, code, the address of a link and its brackets, and backslashes before characters that have a meaning in Markdown.
_MARKUP = re.compile(r"\*\*|`|(?<![\w\\])_(?=\S)|(?<=[\w)])_(?!\w)|\]\([^)]*\)|(?<!\\)\[|\\(?=\W)")


class Lesson:
    """The sections of one lesson. Every method raises KeyError for a section, entry or number that is missing."""

    def __init__(self, name: str, sections: Mapping[str, str], language: str = languages.ENGLISH) -> None:
        self.name = name
        self.language = language
        unbroken = partial(_UNBROKEN.sub, "\u00a0") if language != languages.ENGLISH else str
        self.sections = {key: unbroken(text) for key, text in sections.items()}
        self._tables = {key: dict(languages.ENTRY.findall(text)) for key, text in self.sections.items()}

    def __contains__(self, section: str) -> bool:
        return section in self.sections

    def text(self, section: str, facts: object = None) -> str:
        """The text of a section with its placeholders filled in from the fields of `facts`."""
        if section not in self:
            raise KeyError(f"The lesson “{self.name}” has no section “{section}”.")
        text = fill(linked(self.sections[section], self.language), numbers_of(facts), f"{self.name}, {section}")
        return text if self.language == languages.ENGLISH else _HYPHEN.sub("\\g<0>\u2060", text)

    def plain(self, section: str, facts: object = None) -> str:
        """The text of a section without its Markdown: a picture in words, for screen readers."""
        return plain(self.text(section, facts))

    def entries(self, section: str) -> dict[str, str]:
        """All `- key: text` lines of a section, in their order."""
        if section not in self:
            raise KeyError(f"The lesson “{self.name}” has no section “{section}”.")
        return dict(self._tables[section])

    def entry(self, section: str, key: str, facts: object = None, /, **numbers: object) -> str:
        """One `- key: text` line of a section with its placeholders filled in, from `facts` or from `numbers`."""
        if key not in self._tables.get(section, {}):
            raise KeyError(f"The lesson “{self.name}” has no entry “{key}” in “{section}”.")
        return fill(self._tables[section][key], numbers_of(facts) | numbers, f"{self.name}, {section}.{key}")

    def label(self, key: str, facts: object = None, /, **numbers: object) -> str:
        """An entry of the section "labels"."""
        return self.entry("labels", key, facts, **numbers)

    def choice(self, name: str) -> str:
        """What readers see of a value of a control: its entry in the section "choices", else the value itself."""
        return self._tables.get("choices", {}).get(name.replace(" ", "_").replace("-", "_"), name)


def plain(text: str) -> str:
    """A text in one line, without its Markdown."""
    return _MARKUP.sub("", text).replace("\n", " ")


def linked(text: str, language: str) -> str:
    """Put the meanings of the terms into links to the glossary."""

    def titled(match: re.Match[str]) -> str:
        return f'](glossary#{match[1]} "{_meaning(match[1].replace("-", "_"), language)}")'

    return _TO_TERM.sub(titled, text)


@lru_cache(maxsize=256)
def _meaning(term: str, language: str) -> str:
    """What the glossary says of a term, as the title of a link, with “more” in a second line; in another language with its
    name and the English one."""
    text = plain(load("glossary", language).entry("terms", term))
    if language != languages.ENGLISH:
        text = load("shared", language).entry("lists", "colon", first=term_name(term, language), second=text)
    text = f"{text}\n{load('shared', language).label('more')}"
    return reduce(lambda text, sign: text.replace(sign, f"&#{ord(sign)};"), '&"()\n', text)


def term_name(term: str, language: str = "") -> str:
    """A term of the glossary, with its English name where that is another one."""
    name, english = (load("glossary", code).entry("names", term) for code in (language, languages.ENGLISH))
    return name if name.replace("\u00a0", " ").casefold() == english.casefold() else f"{name} {english}"


def numbers_of(facts: object) -> dict[str, object]:
    """Names for the numbers of a text: those of a dictionary, or the fields of a dataclass or a namespace; none of None."""
    if facts is None:
        return {}
    return dict(facts) if isinstance(facts, Mapping) else dict(vars(facts))


class _Names(string.Formatter):
    """`str.format`, with numbers as sentences print them."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, float) and not format_spec:
            return format_number(value)
        return printed(value, format_spec)


_NAMES = _Names()


def fill(text: str, numbers: Mapping[str, object], where: str = "text") -> str:
    """Fill `{name}`, `{name.part}` and `{name:.2f}`. Raises KeyError for a name without a number."""
    try:
        filled = _NAMES.vformat(text, (), numbers) if "{" in text or "}" in text else text
    except (KeyError, AttributeError, ValueError, IndexError) as error:
        raise KeyError(f"{where}: {error} has no number.") from error
    return filled if filled is text else _BLANK_IN_HAN.sub("", filled)


def printed(value: object, form: str) -> str:
    """A value in a format of Python's; a number below zero has a true minus sign, what is rounded to zero none."""
    text = format(value, form)
    if _SIGNED_ZERO.fullmatch(text):
        return text[1:]
    return MINUS + text[1:] if text.startswith("-") and not isinstance(value, str) else text


def joined(items: Iterable[str], kind: str = "comma", language: str = "") -> str:
    """A list in a sentence of a language (that of the reader); a dash where it is empty. kind: an entry of the shared
    `lists`."""
    form = load("shared", language).entries("lists")[kind]
    listed = list(items)
    return reduce(lambda first, second: form.format(first=first, second=second), listed) if listed else "–"


def method_title(title: str, language: str = "") -> str:
    """What a position method is called in a language (that of the reader), by its English title: its own name, as ALiBi,
    or a word, as “Learned”."""
    return _translated("methods", title, language)


def in_language(latex: str) -> str:
    """A formula with the words in it in the reader's language."""
    return _WORDS.sub(lambda match: rf"\text{{{match[1]}{_translated('formulas', match[2])}{match[3]}}}", latex)


def _translated(section: str, english: str, language: str = "") -> str:
    """What a line of a shared table, known by its English, is in a language; itself where the table has none."""
    originals = load("shared", languages.ENGLISH).entries(section)
    key = next((key for key, line in originals.items() if line == english), "")
    return load("shared", language).entry(section, key) if key else english


def load(name: str, language: str = "") -> Lesson:
    """The lesson of this name; of OF_ALL, the words that all share. Raises FileNotFoundError if there is none.

    language: a key of LANGUAGES; "" for that of the reader.
    """
    return _load(name, language or languages.current())


@lru_cache(maxsize=128)
def _load(name: str, language: str) -> Lesson:
    return Lesson(name, languages.sections(path(name), language), language)


def path(name: str) -> Path:
    """The file of a lesson's sentences, or of the words that all share."""
    return languages.FOLDER / OF_ALL[name] if name in OF_ALL else APP_FOLDER / "pages" / name / "text.md"
