"""What models have written for this reader by now, and the picture of it.

The server's writing desk writes for all readers (alibi_viz.lm.desk). A page asks for its texts and takes what is there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from secrets import token_hex

import numpy as np
import streamlit as st

from alibi_viz.lessons import Lesson, languages, load
from alibi_viz.lm.corpus import python_text
from alibi_viz.lm.desk import Order, Progress
from alibi_viz.lm.words import Word, known_words, stretches, whole_words
from alibi_viz.pictures.hands.message import Hands
from alibi_viz.pictures.write.message import Column, Message
from alibi_viz.positions import METHODS
from alibi_viz.results import writing
from alibi_viz.ui import address, reader
from alibi_viz.ui.components.hands import write_view

PROMPT, TEMPERATURE = "The function returns a list of ", 0.7  # as in the shipped texts
_TAB = "_writing_reader"  # in the session: a name for this tab at the writing desk


@dataclass(frozen=True)
class Text:
    """What one model has written by now. words: the whole words after the beginning."""

    method: str
    name: str
    progress: Progress
    words: tuple[Word, ...]


def texts(
    models: Sequence[str],
    prompt: bytes,
    *,
    seed: int,
    length: int,
    temperature: float = TEMPERATURE,
    named: Mapping[str, tuple[str, str]] | None = None,
) -> list[Text]:
    """What these models have written by now, and from now on are asked for.

    models: methods, of the shipped models; or own ones, whose method and name stand in `named`. Raises ValueError for a
    choice out of range.
    """
    orders = [Order(model, prompt, temperature, seed, length) for model in models]
    shipped = {model: (model, METHODS[model].title) for model in models if model in METHODS}
    methods = shipped | dict(named or {})
    known = known_words(python_text().train)
    tab = st.session_state.setdefault(_TAB, f"{reader.owner()}-{token_hex(4)}")
    return [
        Text(*methods[model], progress, whole_words(progress.text, len(progress.order.prompt), known))
        for model, progress in zip(models, writing.desk().ask(tab, orders), strict=True)
    ]


def show(key: str, texts: Sequence[Text], hands: Hands, train_length: int, *, alt: str, name: str) -> None:
    """The picture of these texts. name: of its PNG, before the seed."""
    order = texts[0].progress.order
    columns = [
        Column(
            text.method,
            text.name,
            np.frombuffer(text.progress.text, dtype=np.uint8),
            np.array([(word.start, word.end, word.known) for word in text.words], dtype=np.float32).reshape(-1, 3),
            text.progress.done,
            languages.sentence(text.progress.problem),
            text.progress.place,
        )
        for text in texts
    ]
    write_view(
        Message(
            key=key,
            hands=hands,
            columns=columns,
            prompt=len(order.prompt),
            end=len(order.prompt) + order.length,
            train_length=train_length,
            words=load("write").entries("picture"),
            alt=alt,
            filename=f"{name}-{order.seed}",
        )
    )


def go_on(
    text: Lesson,
    models: Sequence[str],
    *,
    length: int,
    train_length: int,
    name: str,
    named: Mapping[str, tuple[str, str]] | None = None,
) -> str:
    """The picture of models that go on after PROMPT, in a lesson that has `alt_writes`. Returns `shares_of` it.

    models, named: as in `texts`. name: as in `show`.
    """
    seed = address.number("write_seed", 1, low=0, high=99_999)
    at = address.number("write_at", 0, low=0, high=4096)
    now = texts(models, PROMPT.encode(), seed=seed, length=length, named=named)
    shares = shares_of(now, train_length)
    hands = Hands((), {"write_seed": seed, "write_at": at})
    show(f"{text.name}_write", now, hands, train_length, alt=text.label("alt_writes", shares=shares), name=name)
    return shares


def shares_of(texts: Sequence[Text], train_length: int) -> str:
    """“ALiBi 92%, RoPE 6%”: known words beyond 2 L, where there are any."""
    said = []
    for text in texts:
        counts = stretches(text.words, train_length)  # to L, 2 L, 4 L, and beyond
        beyond = counts[2] + counts[3]
        if beyond.share is not None:
            said.append(f"{text.name} {beyond.share:.0%}")
    return ", ".join(said) or "–"
