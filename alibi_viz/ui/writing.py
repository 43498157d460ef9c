"""What models have written for this reader by now, and the picture of it.

The server's generation queue writes for all readers (alibi_viz.lm.generation_queue). A page asks for its texts, and takes
what is there.
"""

from collections.abc import Iterable, Mapping
from secrets import token_hex
from typing import NamedTuple

import numpy as np
import streamlit as st

from alibi_viz.lessons import Lesson, joined, load, problems
from alibi_viz.lm.corpus import python_text
from alibi_viz.lm.generation_queue import Order
from alibi_viz.lm.words import Count, as_rows, known_words, stretches, whole_words
from alibi_viz.pictures.hands.message import Hands
from alibi_viz.pictures.write.message import Column, Message
from alibi_viz.positions import title_of
from alibi_viz.results import writing
from alibi_viz.ui import address, reader
from alibi_viz.ui.components.hands import write_view

PROMPT, TEMPERATURE = "The function returns a list of ", 0.7  # as in the shipped texts
_TAB = "_writing_reader"  # in the session: a name for this tab in the generation queue
Models = Mapping[str, tuple[str, str]]  # what a model is called in the queue -> its method, and its name in the picture


class Shares(NamedTuple):
    """Shares of known words, where there are any (“ALiBi 92%, RoPE 6%”), and whether all texts are written."""

    within: str  # L
    beyond: str  # 2 L
    is_done: bool


def shipped(methods: Iterable[str]) -> dict[str, tuple[str, str]]:
    """The shipped models of these methods."""
    return {method: (method, title_of(method)) for method in methods}


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
    key: str,
    alt: str,
    name: str,
) -> Shares:
    """The picture of what these models have written after a prompt by now, and from now on are asked for.

    window: bytes; every layer hides the keys farther back; 0: none. alt: the lesson's label with the picture in words.
    name: of its PNG, before the seed. Raises ValueError for a choice out of range.
    """
    orders = [Order(model, prompt, temperature, seed, length, window) for model in models]
    known = known_words(python_text().train)
    tab = st.session_state.setdefault(_TAB, f"{reader.owner()}-{token_hex(4)}")
    columns, begin = [], len(orders[0].prompt)
    within: dict[str, Count] = {}
    beyond: dict[str, Count] = {}
    for (method, title), progress in zip(models.values(), writing.generation_queue().ask(tab, orders), strict=True):
        words = whole_words(progress.text, begin, known)
        columns.append(
            Column(
                method,
                title,
                np.frombuffer(progress.text, dtype=np.uint8),
                as_rows(words),
                progress.done,
                problems.say(progress.problem),
                progress.place,
            )
        )
        counts = stretches(words, train_length)  # to L, 2 L, 4 L, and beyond
        within[title], beyond[title] = counts[0], counts[2] + counts[3]
    shares = Shares(_listed(within), _listed(beyond), all(column.done for column in columns))
    write_view(
        Message(
            key=key,
            hands=hands,
            columns=columns,
            prompt=begin,
            end=begin + length,
            train_length=train_length,
            real=float(writing.real_text().share or 0),
            words=load("write").entries("picture"),
            alt=text.label(alt, methods=joined(column.name for column in columns), shares=shares.beyond),
            filename=f"{name}-{seed}",
        )
    )
    return shares


def _listed(counts: Mapping[str, Count]) -> str:
    shares = ((title, count.share) for title, count in counts.items())
    return joined(f"{title} {share:.0%}" for title, share in shares if share is not None)


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
