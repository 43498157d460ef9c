"""The texts: nothing held out was trained on, and every unsuitable text gets one clear sentence."""

from __future__ import annotations

import lzma
import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import (
    LONGEST_PARAGRAPH,
    MAX_BYTES,
    MIN_BYTES,
    PYTHON_TEXT_FILE,
    SHARED_BYTES,
    Corpus,
    normal_form,
    normalise,
    own_text,
    paragraphs,
    python_text,
    split,
    string_hashes,
    without_shared,
)
from alibi_viz.lm.runs import corpus_for


def words(count: int, seed: int = 0) -> str:
    """Paragraphs that differ, of about 60 bytes each."""
    draw = random.Random(seed)
    return "\n\n".join(f"{n} " + " ".join(draw.choices("alpha beta gamma delta".split(), k=9)) for n in range(count))


def strings(text: bytes) -> set[bytes]:
    """Every string of SHARED_BYTES."""
    return {text[i : i + SHARED_BYTES] for i in range(len(text) - SHARED_BYTES + 1)}


def leaks(corpus: Corpus) -> set[str]:
    train, held_out = (
        {normal_form(p) for p in part.decode().split("\n\n")} for part in (corpus.train, corpus.held_out)
    )
    return train & held_out


def test_a_training_paragraph_that_is_held_out_goes_whatever_its_blanks() -> None:
    train, held_out = split([(["One  two", "kept"], False), (["one\ntwo", "kept too"], True), (["Kept"], False)])
    assert (train, held_out) == (b"kept", b"one\ntwo\n\nkept too")


def test_the_fingerprint_depends_on_both_parts() -> None:
    prints = {Corpus("k", "t", a, b).sha256 for a, b in ((b"ab", b"c"), (b"a", b"bc"), (b"ab", b"d"), (b"", b"abc"))}
    assert len(prints) == 4


def test_own_text_is_held_out_in_blocks_and_does_not_leak() -> None:
    text = words(3000)
    corpus = own_text(text)
    assert not leaks(corpus)
    assert 0.07 < len(corpus.held_out) / len(text) < 0.13
    numbers = [int(p.split()[0]) for p in corpus.held_out.decode().split("\n\n")]
    gaps = sum(b - a > 1 for a, b in pairwise(numbers))
    assert gaps <= 1  # contiguous blocks
    assert own_text(text.encode()) == corpus
    assert own_text("\ufeff" + text.replace("\n", "\r\n")) == corpus


def test_a_text_without_blank_lines_can_be_split() -> None:
    corpus = own_text(words(1000).replace("\n\n", " "))
    assert len(corpus.train) > 40_000
    assert len(corpus.held_out) > 1_000
    assert not leaks(corpus)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at least 20,000 bytes, not 0"),
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


def test_the_built_in_text_is_whole_and_large_enough() -> None:
    corpus = python_text()
    assert PYTHON_TEXT_FILE.stat().st_size < 2_000_000
    assert len(corpus.train) > 3_000_000
    assert len(corpus.held_out) > 50_000
    assert len(corpus.validation) > 20_000
    assert 0 < corpus.code < 1 / 3  # prose first
    assert corpus_for(TrainConfig()) is corpus
    assert b"\0" not in corpus.train + corpus.held_out + corpus.validation


def test_the_parts_of_the_built_in_text_share_no_long_string() -> None:
    """Beyond that no paragraph of one part shares a string with another: equal strings have equal hashes."""
    corpus = python_text()
    assert not leaks(corpus)
    train = string_hashes(corpus.train)
    for part in (corpus.held_out, corpus.validation):
        long = [p for p in part.split(b"\n\n") if len(p) >= SHARED_BYTES]
        hashes = np.sort(np.concatenate([string_hashes(paragraph) for paragraph in long]))
        nearest = hashes[hashes.searchsorted(train).clip(max=len(hashes) - 1)]
        assert not (nearest == train).any()


def test_a_built_in_text_that_was_changed_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = lzma.decompress(PYTHON_TEXT_FILE.read_bytes())
    changed = tmp_path / "changed.xz"
    changed.write_bytes(lzma.compress(text.replace(b"Return", b"return", 1), preset=0))
    monkeypatch.setattr("alibi_viz.lm.corpus.PYTHON_TEXT_FILE", changed)
    with pytest.raises(ValueError, match="checksum"):
        python_text.__wrapped__()


def test_validation_belongs_to_the_fingerprint() -> None:
    plain = Corpus("k", "t", b"train", b"held")
    assert len({plain.sha256, replace(plain, validation=b"v").sha256, replace(plain, validation=b"w").sha256}) == 3


@given(st.binary(max_size=80), st.binary(max_size=80))
def test_a_string_has_one_hash_wherever_it_stands(before: bytes, text: bytes) -> None:
    hashes = string_hashes(text)
    assert list(hashes) == list(string_hashes(before + text))[len(before) :][: len(hashes)]
    assert len(set(hashes)) == len(strings(text))


def test_what_shares_a_long_string_is_dropped() -> None:
    string = b"0123456789abcdefghijklmnopqrstuv"
    held_out = b"a:" + string + b"\n\nb:" + string[:-1]
    assert len(string) == SHARED_BYTES
    assert without_shared(held_out, b"training " + string + b" text") == b"b:" + string[:-1]
