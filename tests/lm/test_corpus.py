"""The texts: nothing held out was trained on, and every unsuitable text gets one clear sentence."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.lm.corpus import (
    LONGEST_PARAGRAPH,
    MAX_BYTES,
    MIN_BYTES,
    SHARED_BYTES,
    Corpus,
    normal_form,
    normalise,
    own_text,
    paragraphs,
    python_text,
)


def words(count: int, seed: int = 0) -> str:
    """Paragraphs that differ, of about 60 bytes each."""
    draw = random.Random(seed)
    return "\n\n".join(f"{n} " + " ".join(draw.choices("alpha beta gamma delta".split(), k=9)) for n in range(count))


def leaks(corpus: Corpus) -> set[str]:
    train, held_out = (
        {normal_form(p) for p in part.decode().split("\n\n")} for part in (corpus.train, corpus.held_out)
    )
    return train & held_out


def test_own_text_is_held_out_in_blocks_and_does_not_leak() -> None:
    text = words(3000)
    corpus = own_text(text)
    assert not leaks(corpus)
    assert 0.07 < len(corpus.held_out) / len(text) < 0.13
    numbers = [int(p.split()[0]) for p in corpus.held_out.decode().split("\n\n")]
    assert sum(b - a > 1 for a, b in pairwise(numbers)) <= 1  # contiguous blocks
    assert own_text(text.encode()) == own_text("\ufeff" + text.replace("\n", "\r\n")) == corpus
    unbroken = own_text(text.replace("\n\n", " "))
    assert 0.07 < len(unbroken.held_out) / len(text) < 0.13
    assert not leaks(unbroken)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a" * (MIN_BYTES - 1), "not 19,999"),
        ("a" * (MAX_BYTES + 1), "at most 5,000,000"),
        (b"a" * MIN_BYTES + b"\xff", "UTF-8; byte 20,000"),
        ("a" * MIN_BYTES + "\ud800", "lone surrogate"),
        ("a\0" * MIN_BYTES, "zero bytes"),
        ("the same line again and again\n\n" * 2000, "repeats itself"),
    ],
)
def test_an_unsuitable_text_gets_one_clear_sentence(text: str | bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        own_text(text)


@given(st.text(max_size=200), st.integers(1, 40))
def test_cutting_loses_no_letter(text: str, times: int) -> None:
    long = normalise(text * times)
    pieces = paragraphs(long)
    assert "".join("".join(pieces).split()) == "".join(long.split())
    assert all(len(piece.encode()) <= LONGEST_PARAGRAPH for piece in pieces)


def test_the_parts_of_the_built_in_text_share_no_long_string() -> None:
    corpus, n = python_text(), SHARED_BYTES
    assert not leaks(corpus)
    paragraphs = (corpus.held_out + b"\n\n" + corpus.validation).split(b"\n\n")
    strings = {paragraph[at : at + n] for paragraph in paragraphs for at in range(len(paragraph) - n + 1)}
    assert len(strings) > 50_000
    assert not any(corpus.train[at : at + n] in strings for at in range(len(corpus.train) - n + 1))


def test_the_fingerprint_depends_on_every_part_and_on_where_it_ends() -> None:
    parts = [(b"ab", b"c", b""), (b"a", b"bc", b""), (b"ab", b"", b"c"), (b"", b"abc", b""), (b"abc", b"", b"")]
    assert len({Corpus("k", *part).sha256 for part in parts}) == len(parts)
