"""Texts that models write in the reader's browser, and what PyTorch says of them.

A picture reports its texts when all of them rest. One pass of PyTorch a text then checks it, and its words are counted as
Python counts them. Until others are written, they stay in the session.

A check costs ten times what a page does. Where many readers write at once, the server checks what a share of its time
allows, and says which texts it has not checked.
"""

import base64
import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from threading import Lock
from typing import NamedTuple

import numpy as np
import streamlit as st

from alibi_viz.charts.palette import LOOKS
from alibi_viz.lessons import Lesson, joined, load, problems
from alibi_viz.lessons.problems import Problem
from alibi_viz.lm.corpus import HELP_TEXTS
from alibi_viz.lm.model import windowed
from alibi_viz.lm.words import CharacterCount, Count, as_rows, character_stretches, characters, stretches
from alibi_viz.lm.writing import LONGEST, Check, check
from alibi_viz.pictures.hands.message import Hands
from alibi_viz.pictures.write.message import Language, Message, Model, Text
from alibi_viz.positions import METHODS, title_of
from alibi_viz.results import pretrained, trained, writing
from alibi_viz.ui import weights
from alibi_viz.ui.components.hands import write_view
from alibi_viz.ui.shell.fairness import Budget

PROMPT, TEMPERATURE = b"The function returns a list of ", 0.7  # as in the shipped texts
LONGEST_REPORT = 4 * LONGEST  # characters of base64 of one text
CHECK_TIME = Budget(rate=0.25, most=3.0)  # seconds of the server's CPU: a quarter of one core
_ONE_CHECK = Lock()
PATIENCE = 0.25  # seconds that a check waits for those of others
_WRITTEN = "_written"  # in the session: key of a picture -> the choices that its texts follow from, and the texts


class Choices(NamedTuple):
    """What a model's text follows from, but for its length.

    prompt: not empty (`lm.writing.START`). window: bytes; every layer hides the keys farther back; 0: none.
    """

    prompt: bytes
    temperature: float
    seed: int
    window: int

    @property
    def name(self) -> str:
        """By which a report says what it has written."""
        return hashlib.sha256(repr(tuple(self)).encode()).hexdigest()[:16]


class Counts(NamedTuple):
    """What is counted in a text, to L, 2 L, 4 L, and beyond."""

    words: tuple[Count, ...]
    characters: tuple[CharacterCount, ...]


class Shown(NamedTuple):
    """What a page says of the texts in its picture: of each model, by its title; empty until all are written.

    checks: those that the reader's browser has written; None: the server had no time for it.
    """

    counts: Mapping[str, Counts]
    checks: Mapping[str, Check | None]


class Writer(NamedTuple):
    """A model that writes. ref: its name or its hash. title: what the picture calls it."""

    ref: str
    method: str
    title: str
    language: str = "en"


class Busy(Exception):
    """Others have used the time for checks."""


@contextmanager
def checking() -> Iterator[None]:
    """Around a check: one runs at a time, and all take a share of one core. Raises Busy where nothing of it is left, or too
    many wait."""
    if not _ONE_CHECK.acquire(timeout=PATIENCE):
        raise Busy
    begin = time.thread_time()
    try:
        if CHECK_TIME.left() <= 0:
            raise Busy
        yield
    finally:
        CHECK_TIME.take(time.thread_time() - begin)
        _ONE_CHECK.release()


def shipped(methods: Iterable[str], language: str = "en") -> list[Writer]:
    """The shipped models of these methods that write a language."""
    return [Writer(pretrained.model_name(method, language), method, title_of(method), language) for method in methods]


def show(
    writers: Sequence[Writer],
    offered: Sequence[Writer],
    choices: Choices,
    hands: Hands,
    *,
    length: int,
    train_length: int,
    key: str,
    alt: Callable[[str, Mapping[str, Counts]], str],
    filename: str,
    reader: str = "en",
    held_out: bytes = b"",
) -> Shown:
    """The picture of what models write.

    writers: those that are shown, of one language. offered: all that a hand can choose, these among them. alt: the
    picture in words, from the titles and what is counted. reader: the language of the page. held_out: text that no model
    has learned.
    """
    begin, language = len(choices.prompt), writers[0].language
    ends = {ref: _end(ref, method) for ref, method, *_ in offered}
    reported = _reported(key, choices)
    texts, counts, checks = [], dict[str, Counts](), dict[str, Check | None]()
    for ref, _, title, _ in writers:
        most, _ = ends[ref]
        end = min(length, max(0, most - begin)) if most else length
        new = writing.shipped_text(ref, *choices)
        if len(new) < end and reported.get(ref):
            new = reported[ref][:end]
            try:
                checks[title] = None if None in checks.values() else _check(ref, new, choices)  # who waits, waits once
            except Busy:
                checks[title] = None
        text = choices.prompt + new[:end]
        words = writing.words(text, begin, language)
        if len(new) >= end:
            whole = character_stretches(characters(text), begin, train_length)
            counts[title] = Counts(stretches(words, train_length), whole)
        texts.append(Text(weights.address_of(ref), np.frombuffer(text, dtype=np.uint8), as_rows(words)))
    carried = [weights.address_of(writer.ref) for writer in offered if writer.language == language]
    shown = Shown(counts, checks) if len(counts) == len(writers) else Shown({}, {})
    message = Message(
        key=key,
        hands=hands,
        models=[
            Model(method, title, LOOKS[method].colours, of, weights.address_of(ref), *ends[ref])
            for ref, method, title, of in offered
        ],
        texts=texts,
        choices=choices.name,
        prompt=np.frombuffer(choices.prompt, dtype=np.uint8),
        length=length,
        temperature=choices.temperature,
        held_out=np.frombuffer(held_out, dtype=np.uint8),
        reader=reader,
        languages={of: _language(of) for of in dict.fromkeys(writer.language for writer in offered)},
        carried=[*carried, weights.address_of_words(language)],
        train_length=train_length,
        words=load("write").entries("picture") | load("shared").entries("lists"),
        alt=alt(joined(writer.title for writer in writers), shown.counts),
        filename=filename,
    )
    write_view(message, written=partial(_keep, key, [writer.ref for writer in writers], choices))
    return shown


def _language(language: str) -> Language:
    real = float(writing.real_text(language).share or 0)
    return Language(weights.address_of_words(language), real, language in HELP_TEXTS)


def words_of(lesson: str, language: str) -> dict[str, str]:
    """What a picture of texts says: lines that end with `_han` are for texts of Han characters and kana. With the marks of
    the reader's language, and its way to write “4×”."""
    lines, shared = load(lesson).entries("picture"), load("shared")
    is_han = language in HELP_TEXTS
    said = {key: lines.get(f"{key}_han", line) if is_han else line for key, line in lines.items()}
    return said | shared.entries("lists") | {"ratio": shared.entries("labels")["ratio"]}


def agreement(text: Lesson, checks: Mapping[str, Check | None]) -> list[str]:
    """What PyTorch says of the texts that were written in this browser, in one sentence; none where none was. And which of
    them it has not checked."""
    checked = {title: check for title, check in checks.items() if check}
    unchecked = [title for title, check in checks.items() if check is None]
    waiting = [text.entry("agreement", "busy", methods=joined(unchecked))] if unchecked else []
    apart = {title: check.first for title, check in checked.items() if not check.agrees}
    if apart:
        found = joined(text.entry("agreement", "at", method=title, byte=byte) for title, byte in apart.items())
        return [text.entry("agreement", "differs", found=found), *waiting]
    facts = {
        "bytes": sum(check.written for check in checked.values()),
        "others": sum(check.others for check in checked.values()),
        "farthest": max((check.farthest for check in checked.values()), default=0.0),
    }
    agrees = [text.entry("agreement", "agrees_but" if facts["others"] else "agrees", **facts)] if checked else []
    return agrees + waiting


def _end(ref: str, method: str) -> tuple[int, str]:
    """Bytes of the longest text that a model can write, and why; 0: its positions do not end."""
    if not METHODS[method].has_position_table:
        return 0, ""
    loaded = trained.load(ref)
    if loaded is None:
        return 1, problems.say(Problem("writing.no_model"))
    most = loaded.config.length
    return most, problems.say(loaded.model.position.no_vector(most))


@lru_cache(maxsize=256)
def _check(model: str, written: bytes, choices: Choices) -> Check:
    loaded = trained.load(model)
    if loaded is None:
        raise Problem("writing.no_model")
    read = windowed(loaded.model, choices.window) if choices.window else loaded.model
    with checking():
        return check(read, choices.prompt, written, temperature=choices.temperature, seed=choices.seed)


def _keep(key: str, models: Sequence[str], choices: Choices, report: object) -> None:
    """Callback: what a browser says that it has written. It is a text for these choices, or nothing is kept."""
    if not isinstance(report, dict) or report.get("choices") != choices.name:
        return
    texts = report.get("texts")
    if not isinstance(texts, list) or len(texts) != len(models) or not all(isinstance(text, str) for text in texts):
        return
    try:
        written = [base64.b64decode(text[:LONGEST_REPORT], validate=True)[:LONGEST] for text in texts]
    except ValueError:
        return
    st.session_state.setdefault(_WRITTEN, {})[key] = choices, dict(zip(models, written, strict=True))


def _reported(key: str, choices: Choices) -> Mapping[str, bytes]:
    """Model -> what the reader's browser has written with these choices."""
    kept, texts = st.session_state.get(_WRITTEN, {}).get(key, (None, {}))
    found: Mapping[str, bytes] = texts if kept == choices else {}
    return found
