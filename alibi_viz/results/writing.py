"""What the shipped models write: made by `tools.writing`, compared by `tools.verify`.

Each language whose text models have learned has a file of its own; functions take English where none is named.

Notable choices:
- Texts are bytes and need be no UTF-8: in the file a character stands for each, by its number (Latin-1).
- Every share stands with the number of words behind it.
- What is written after the default prompt is there at once, and goes on from there where more is wanted.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated

from pydantic import PlainValidator, TypeAdapter

from alibi_viz.lessons import problems
from alibi_viz.lessons.problems import Problem
from alibi_viz.lm.corpus import HELP_TEXTS, of_language
from alibi_viz.lm.words import CharacterCount, Count, Word, count, vocabulary, whole_words
from alibi_viz.results import pretrained

#: In which models have written: English, and what is trained of the others so far.
LANGUAGES = tuple(language for language in pretrained.OF_LANGUAGE if pretrained.writing_path(language).is_file())
_HAN, _KANA = re.compile(r"[\u3400-\u9fff]"), re.compile(r"[\u3041-\u30ff]")
_Bytes = Annotated[bytes, PlainValidator(lambda text: text.encode("latin-1"))]
_Problem = Annotated[Problem, PlainValidator(problems.read)]


@dataclass(frozen=True)
class Writing:
    """What the shipped models wrote; the fields of the file. Mappings are by method."""

    prompt: _Bytes
    temperature: float
    seeds: tuple[int, ...]
    texts: Mapping[str, tuple[_Bytes, ...]]  # new bytes, one text a seed
    ends: Mapping[str, _Problem]  # why a method's texts end early
    stretches: Mapping[str, tuple[Count, Count, Count, Count]]  # all seeds together; see `words.stretches`
    characters: Mapping[str, tuple[CharacterCount, CharacterCount, CharacterCount, CharacterCount]]  # in the same ones
    window: int  # bytes: the keys farther back are hidden in every layer
    near_texts: Mapping[str, tuple[_Bytes, ...]]  # the same, with those keys hidden
    near_stretches: Mapping[str, tuple[Count, Count, Count, Count]]
    near_characters: Mapping[str, tuple[CharacterCount, CharacterCount, CharacterCount, CharacterCount]]
    contexts: tuple[int, ...]  # bytes of held-out text
    places: tuple[int, ...]  # bytes of the held-out text that each of these contexts ends before
    new_bytes: int  # that are written after them
    # Of these bytes, all places together, one a context; None: no position left.
    after: Mapping[str, tuple[Count | None, ...]]
    long_span: tuple[int, int]  # of the held-out text


def language_of(beginning: str, reader: str) -> str:
    """The language of the models that write on after a beginning: its own, as its letters tell, else the reader's; English
    where no model is shipped. So a link leads to the same texts in all languages of the app.
    """
    of_han = reader if reader in HELP_TEXTS else "zh"
    letters = "en" if any(map(str.isalpha, beginning)) else reader
    found = "ja" if _KANA.search(beginning) else of_han if _HAN.search(beginning) else letters
    return found if found in LANGUAGES else "en"


@cache
def shipped(language: str = "en") -> Writing:
    return TypeAdapter(Writing).validate_json(pretrained.writing_path(language).read_bytes())


def words(text: bytes, begin: int, language: str = "en") -> tuple[Word, ...]:
    """The whole words of a text from byte `begin` on, as the models' training text in this language knows them."""
    return whole_words(text, begin, *vocabulary(of_language(language)))


@cache  # 60 ms
def real_text(language: str = "en") -> Count:
    """The words of held-out text, by the same count: what a model that writes like its training text could reach."""
    text = of_language(language).held_out
    return count(words(text, 0, language), 0, len(text))


def shipped_text(model: str, prompt: bytes, temperature: float, seed: int, window: int) -> bytes:
    """The new bytes that are shipped for these choices; none for most."""
    method, language = pretrained.MODELS.get(model, ("", ""))
    if language not in LANGUAGES:
        return b""
    writing = shipped(language)
    texts = writing.near_texts if window else writing.texts
    if method not in texts or seed not in writing.seeds or window not in (0, writing.window):
        return b""
    if (prompt, temperature) != (writing.prompt, writing.temperature):
        return b""
    return texts[method][writing.seeds.index(seed)]
