"""The languages of the app. No other module knows which there are, or how a translation is joined with its English.

Notable choices:
- English is the original. A translation stands beside it, `text.zh.md` beside `text.md`, with the same sections, table keys
  and placeholders. A heading holds a stamp of the English section that was translated, `## lead <!-- 1a2b3c4d -->`. Where
  the English has changed since, readers get the English section until the translation follows; a test names it.
- A table of `- key: text` lines is joined line by line instead: readers get the English of a line that is not there in
  their language, or has other placeholders. So a new line takes no page away from them.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache, wraps
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

ENGLISH = "en"
LANGUAGES = {ENGLISH: "English", "zh": "中文", "ja": "日本語"}  # as each calls itself
TAGS = {"zh": "zh-Hans"}  # what a browser is told, where that is not the code
FOLDER = Path(__file__).parent
_SECTION = re.compile(r"^## +(.+?)(?: +<!-- (\w+) -->)?\s*$", re.MULTILINE)
ENTRY = re.compile(r"^- ([\w.]+): (.+)$", re.MULTILINE)  # of a table in a section
_PLACE = re.compile(r"\{(\w+)[^{}]*\}")
PROSE = ("sources",)  # sections whose lines look like entries
Result = TypeVar("Result")
_language_of_reader: Callable[[], str] = lambda: ENGLISH  # noqa: E731


def set_language_source(source: Callable[[], str]) -> None:
    """Say what knows the language of the present reader: the pages do."""
    global _language_of_reader
    _language_of_reader = source


def current() -> str:
    """The language of the reader for whom the app computes now: a key of LANGUAGES."""
    return _language_of_reader()


def tag(language: str = "") -> str:
    """A language, or the present one, as HTML names it: a browser chooses letters and breaks lines by it."""
    return TAGS.get(language or current(), language or current())


def kept_by_language(maxsize: int) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """`lru_cache` for what has words of the reader's language in it."""

    def decorate(make: Callable[..., Result]) -> Callable[..., Result]:
        kept = lru_cache(maxsize)(lambda language, *inputs: make(*inputs))
        return wraps(make)(lambda *inputs: kept(current(), *inputs))

    return decorate


def nearest(locale: str | None) -> str:
    """The app's language for what a browser names, such as “zh-CN”; English where there is none."""
    language = (locale or "").replace("_", "-").split("-")[0].lower()
    return language if language in LANGUAGES else ENGLISH


def of_browser(headers: Mapping[str, str]) -> str:
    """The app's language for a request: `nearest` to the one that the browser names first."""
    return nearest(headers.get("accept-language", "").partition(",")[0])


def parse(text: str) -> dict[str, tuple[str, str]]:
    """The sections of a lesson's file, each with the stamp in its heading ("" in English files). Text before the first
    section is a note for translators."""
    parts = _SECTION.split(text)
    names = parts[1::3]
    if len(set(names)) != len(names):
        raise ValueError(f"A section occurs twice: {sorted(n for n in names if names.count(n) > 1)}.")
    return {
        name: (body.strip(), stamped or "") for name, stamped, body in zip(names, parts[2::3], parts[3::3], strict=True)
    }


def stamp(english: str) -> str:
    """What the heading of a translated section holds, so that a change of the English is noticed."""
    return sha256(english.encode()).hexdigest()[:8]


def beside(english: Path, language: str) -> Path:
    """The translation of a file: text.zh.md of text.md."""
    return english if language == ENGLISH else english.with_suffix(f".{language}{english.suffix}")


def placeholders(text: str) -> set[str]:
    """The names of its numbers; how a number is written is the language's own."""
    return set(_PLACE.findall(text))


def table(section: str, text: str) -> dict[str, str]:
    """The entries of a section that is a table; empty for prose."""
    lines = [line for line in text.splitlines() if line.strip()]
    is_table = section not in PROSE and all(ENTRY.fullmatch(line) for line in lines)
    return dict(ENTRY.findall(text)) if is_table else {}


def sections(english: Path, language: str) -> dict[str, str]:
    """The sections of a lesson's file in a language. What is not translated is in English: a section of prose as a whole,
    also where it is of an older English; a table line by line.
    """
    texts = {name: body for name, (body, _) in parse(english.read_text(encoding="utf-8")).items()}
    if language == ENGLISH or not (file := beside(english, language)).is_file():
        return texts
    translated = parse(file.read_text(encoding="utf-8"))
    for name in texts.keys() & translated.keys():
        (body, of), lines = translated[name], table(name, texts[name])
        if lines:
            texts[name] = _joined(lines, dict(ENTRY.findall(body)))
        elif of == stamp(texts[name]):
            texts[name] = body
    return texts


def _joined(english: dict[str, str], translated: dict[str, str]) -> str:
    """A table with the lines that are translated."""
    fitting = {
        key: line for key, line in translated.items() if placeholders(line) == placeholders(english.get(key, ""))
    }
    return "\n".join(f"- {key}: {fitting.get(key, line)}" for key, line in english.items())
