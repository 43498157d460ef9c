"""The languages of the app. No other module knows which there are, or how a translation is joined with its English.

Notable choices:
- English is the original. A translation stands beside it, `text.zh.md` beside `text.md`, with the same sections, table keys
  and placeholders. A heading holds a stamp of the English section that was translated, `## lead <!-- 1a2b3c4d -->`. Where
  the English has changed since, readers get the English section until the translation follows; a test names it.
- The code below the pages says in English what is wrong, and data has English words too. `sentence` says them in the
  reader's language, by the lines of `phrases.md` and its translations; for what a run keeps as its error, also by those of
  the shared words (`training`).
"""

import re
from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

ENGLISH = "en"
LANGUAGES = {ENGLISH: "English", "zh": "中文", "ja": "日本語"}  # as each calls itself
PHRASES, SHARED = (Path(__file__).with_name(name) for name in ("phrases.md", "text.md"))
_SECTION = re.compile(r"^## +(.+?)(?: +<!-- (\w+) -->)?\s*$", re.MULTILINE)
ENTRY = re.compile(r"^- ([\w.]+): (.+)$", re.MULTILINE)  # of a table in a section
_PLACE = re.compile(r"\{(\w+)[^{}]*\}")
_language_of_reader: Callable[[], str] = lambda: ENGLISH  # noqa: E731


def set_language_source(source: Callable[[], str]) -> None:
    """Say what knows the language of the present reader: the pages do."""
    global _language_of_reader
    _language_of_reader = source


def current() -> str:
    """The language of the reader for whom the app computes now: a key of LANGUAGES."""
    return _language_of_reader()


def nearest(locale: str | None) -> str:
    """The app's language for what a browser names, such as “zh-CN”; English where there is none."""
    language = (locale or "").replace("_", "-").split("-")[0].lower()
    return language if language in LANGUAGES else ENGLISH


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


def sections(english: Path, language: str) -> dict[str, str]:
    """The sections of a lesson's file in a language; those of an older English, or not translated, in English."""
    texts = {name: body for name, (body, _) in parse(english.read_text(encoding="utf-8")).items()}
    if language == ENGLISH or not (file := beside(english, language)).is_file():
        return texts
    translated = parse(file.read_text(encoding="utf-8"))
    fresh = {name: body for name, (body, of) in translated.items() if name in texts and of == stamp(texts[name])}
    return texts | fresh


def sentence(error: object) -> str:
    """What the code or the data says in English, in the reader's language; as it stands where no line fits."""
    return _sentence(str(error), current())


@lru_cache(maxsize=512)  # a page says the same ones in every run
def _sentence(text: str, language: str) -> str:
    for pattern, translated in _patterns(language) if language != ENGLISH else ():
        if match := pattern.fullmatch(text):
            parts = {name: _sentence(part, language) for name, part in match.groupdict().items()}
            return translated.format_map(parts)
    return text


@lru_cache(maxsize=len(LANGUAGES))
def _patterns(language: str) -> list[tuple[re.Pattern[str], str]]:
    """English sentences with gaps, and what they are in this language."""
    originals, translations = (dict(ENTRY.findall(sections(SHARED, name)["training"])) for name in (ENGLISH, language))
    table = phrases(language) | {originals[key]: translations[key] for key in originals}
    return [(pattern(english), _PLACE.sub(r"{\1}", translated)) for english, translated in table.items()]


def phrases(language: str) -> dict[str, str]:
    """Each line of `phrases.md` with the same line of its translation; with itself where there is none yet."""
    translated = beside(PHRASES, language)
    files = (PHRASES, translated if translated.is_file() else PHRASES)
    texts = (file.read_text(encoding="utf-8") for file in files)
    return dict(zip(*(re.findall(r"^- (.+)$", text, re.MULTILINE) for text in texts), strict=True))


def pattern(english: str) -> re.Pattern[str]:
    """What finds a sentence, with any text in each `{name}`."""
    parts = [re.escape(part) for part in _PLACE.split(english)]  # text, name, text, name, text
    parts[1::2] = [f"(?P<{name}>.+?)" for name in parts[1::2]]
    return re.compile("".join(parts), re.DOTALL)
