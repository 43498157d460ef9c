"""What models have written for this reader by now, and the picture of it.

The server's generation queue writes for all readers (alibi_viz.lm.generation_queue). A page asks for its texts, and takes
what is there.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from secrets import token_hex
from typing import NamedTuple

import numpy as np
import streamlit as st

from alibi_viz.lessons import Lesson, joined, load, problems
from alibi_viz.lm.corpus import HELP_TEXTS
from alibi_viz.lm.generation_queue import Order
from alibi_viz.lm.words import CharacterCount, Count, as_rows, character_stretches, characters, stretches
from alibi_viz.pictures.hands.message import Hands
from alibi_viz.pictures.write.message import Column, Message
from alibi_viz.positions import title_of
from alibi_viz.results import pretrained, writing
from alibi_viz.ui import address, reader
from alibi_viz.ui.components.hands import write_view

PROMPT, TEMPERATURE = "The function returns a list of ", 0.7  # as in the shipped texts
_HAN, _KANA = re.compile(r"[\u3400-\u9fff]"), re.compile(r"[\u3041-\u30ff]")
_TAB = "_writing_reader"  # in the session: a name for this tab in the generation queue
Models = Mapping[str, tuple[str, str]]  # what a model is called in the queue -> its method, and its name in the picture


class Counts(NamedTuple):
    """What is counted in a text, to L, 2 L, 4 L, and beyond."""

    words: tuple[Count, ...]
    characters: tuple[CharacterCount, ...]


class Shares(NamedTuple):
    """Known words, where there are any (“ALiBi 13 of 14”): one text has few. Shares of bytes in whole characters (“ALiBi
    100%”), and whether all texts are written."""

    within: str  # L
    beyond: str  # 2 L
    whole_within: str
    whole_beyond: str
    is_done: bool

    @classmethod
    def of(cls, counts: Mapping[str, Counts], *, is_done: bool) -> "Shares":
        """counts: of each model."""
        lesson = load("write")

        def words_in(count_of: Callable[[Counts], Count]) -> str:
            found = {title: count_of(each) for title, each in counts.items()}
            return joined(
                f"{title} {lesson.entry('picture', 'of', known=count.known, all=count.words)}"
                for title, count in found.items()
                if count.words
            )

        def whole_in(count_of: Callable[[Counts], CharacterCount]) -> str:
            shares = ((title, count_of(each).share) for title, each in counts.items())
            return joined(f"{title} {share:.0%}" for title, share in shares if share is not None)

        return cls(
            words_in(lambda each: each.words[0]),
            words_in(lambda each: each.words[2] + each.words[3]),
            whole_in(lambda each: each.characters[0]),
            whole_in(lambda each: each.characters[2] + each.characters[3]),
            is_done,
        )


def shipped(methods: Iterable[str], language: str = "en") -> dict[str, tuple[str, str]]:
    """The shipped models of these methods that write a language."""
    return {pretrained.model_name(method, language): (method, title_of(method)) for method in methods}


def language_of(beginning: str, reader: str) -> str:
    """The language of the models that write on after a beginning: its own, as its letters tell, else the reader's; English
    where no model is shipped. So a link leads to the same texts in all languages of the app.
    """
    of_han = reader if reader in HELP_TEXTS else "zh"
    letters = "en" if any(map(str.isalpha, beginning)) else reader
    found = "ja" if _KANA.search(beginning) else of_han if _HAN.search(beginning) else letters
    return found if found in writing.LANGUAGES else "en"


def show(
    text: Lesson,
    models: Models,
    prompt: bytes,
    hands: Hands,
    *,
    seed: int,
    length: int,
    train_length: int,
    temperature: float = TEMPERATURE,
    window: int = 0,
    language: str = "en",
    key: str,
    alt: str,
    name: str,
) -> Shares:
    """The picture of what these models have written after a prompt by now, and from now on are asked for.

    window: bytes; every layer hides the keys farther back; 0: none. language: of their text. alt: the lesson's label with
    the picture in words. name: of its PNG, before the seed. Raises ValueError for a choice out of range.
    """
    orders = [Order(model, prompt, temperature, seed, length, window) for model in models]
    tab = st.session_state.setdefault(_TAB, f"{reader.owner()}-{token_hex(4)}")
    columns, begin = [], len(orders[0].prompt)
    counts: dict[str, Counts] = {}
    for (method, title), progress in zip(models.values(), writing.generation_queue().ask(tab, orders), strict=True):
        words, sizes = writing.words(progress.text, begin, language), characters(progress.text)
        columns.append(
            Column(
                method,
                title,
                np.frombuffer(progress.text, dtype=np.uint8),
                as_rows(words),
                sizes,
                progress.done,
                problems.say(progress.problem),
                progress.place,
            )
        )
        counts[title] = Counts(stretches(words, train_length), character_stretches(sizes, begin, train_length))
    shares = Shares.of(counts, is_done=all(column.done for column in columns))
    write_view(
        Message(
            key=key,
            hands=hands,
            columns=columns,
            prompt=begin,
            end=begin + length,
            train_length=train_length,
            real=float(writing.real_text(language).share or 0),
            is_han=language in HELP_TEXTS,
            words=words_of("write", language),
            alt=text.label(alt, methods=joined(column.name for column in columns), shares=shares.beyond),
            filename=f"{name}-{seed}",
        )
    )
    return shares


def words_of(lesson: str, language: str) -> dict[str, str]:
    """What a picture of texts says: lines that end with `_han` are for texts of Han characters and kana."""
    lines = load(lesson).entries("picture")
    is_han = language in HELP_TEXTS
    return {key: lines.get(f"{key}_han", line) if is_han else line for key, line in lines.items()}


def go_on(text: Lesson, models: Models, *, length: int, train_length: int, name: str) -> str:
    """The picture of models that go on after PROMPT, in a lesson that has `alt_writes`. Returns the shares beyond 2 L."""
    seed = address.number("write_seed", 1, low=0, high=99_999)
    at = address.number("write_at", 0, low=0, high=4096)
    return show(
        text,
        models,
        PROMPT.encode(),
        Hands((), {"write_seed": seed, "write_at": at}),
        seed=seed,
        length=length,
        train_length=train_length,
        key=f"{text.name}_write",
        alt="alt_writes",
        name=name,
    ).beyond
