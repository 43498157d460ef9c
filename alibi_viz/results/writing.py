"""What the shipped models write (made by `tools.writing`, compared by `tools.verify`), and the server's generation queue.

Each language whose text models have learned has a file of its own; functions take English where none is named.

Notable choices:
- Texts are bytes and need be no UTF-8: in the file a character stands for each, by its number (Latin-1).
- Every share stands with the number of words behind it.
- The queue knows the shipped texts, so the default prompt is there at once, and goes on from them where more is wanted.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated

from pydantic import PlainValidator, TypeAdapter

from alibi_viz.lessons import problems
from alibi_viz.lessons.problems import Problem
from alibi_viz.lm.corpus import of_language
from alibi_viz.lm.generation_queue import GenerationQueue, Order
from alibi_viz.lm.model import DecoderLM
from alibi_viz.lm.words import CharacterCount, Count, Word, count, vocabulary, whole_words
from alibi_viz.results import pretrained, trained

#: In which models have written: English, and what is trained of the others so far.
LANGUAGES = tuple(language for language in pretrained.OF_LANGUAGE if pretrained.writing_path(language).is_file())
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


@cache
def generation_queue() -> GenerationQueue:
    """The generation queue of this server. It writes for anyone; the caller checks which models a reader may see."""
    return GenerationQueue(_model, _shipped_text)


def _model(ref: str) -> DecoderLM:
    loaded = trained.load(ref)
    if loaded is None:
        raise Problem("writing.no_model")
    return loaded.model


def _shipped_text(order: Order) -> tuple[bytes, Problem | None]:
    """What is shipped for an order, and why it ends; nothing for most."""
    method, language = pretrained.MODELS.get(order.model, ("", ""))
    if language not in LANGUAGES:
        return b"", None
    writing = shipped(language)
    texts = writing.near_texts if order.window else writing.texts
    if method not in texts or order.seed not in writing.seeds or order.window not in (0, writing.window):
        return b"", None
    if (order.prompt, order.temperature) != (writing.prompt, writing.temperature):
        return b"", None
    return texts[method][writing.seeds.index(order.seed)], writing.ends.get(method)
