"""Words that a training text knows, and whole characters, counted in a text that a model writes: no judgement, a count.

A word is a run of at least LETTERS letters A-Z, a-z. In Chinese and Japanese it is at least CHARACTERS Han characters or
kana that ICU's dictionaries find together. It is known if the training text has it at least TIMES times.

Notable choices:
- Capitals do not matter: "The" begins a sentence and "the" stands in one.
- Only whole words count. A word that is cut by the prompt or by the end of the text so far is none, and one that crosses
  the edge between two stretches counts in neither. So it is with characters.
- In a text of other letters, what stands between them counts, in the training text as well.
- A Han character by itself is no word: nearly all of them stand in the training text, in whatever order they come.
- A byte that is no UTF-8 stands between words.
"""

import codecs
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from icu4py.breakers import WordBreaker

from alibi_viz.lm.corpus import HELP_TEXTS, Corpus

LETTERS, TIMES = 3, 3
CHARACTERS = 2
LONGEST_CHARACTER = 4  # bytes of UTF-8
BROKEN = 255  # in place of a character's bytes: this one is no UTF-8
_WORD = re.compile(rb"[A-Za-z]{%d,}" % LETTERS)
_HAN_OR_KANA = re.compile(rf"[\u3005\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff]{{{CHARACTERS},}}")
_NO_CHARACTER = re.compile("[\udc80-\udcff]")  # a byte that is no UTF-8, as Python decodes it
Cut = Callable[[bytes], Iterable[tuple[int, int]]]  # a text -> where its words begin and end


@dataclass(frozen=True)
class Word:
    """Bytes `start` to `end` - 1 of a text."""

    start: int
    end: int
    known: bool


@dataclass(frozen=True)
class Count:
    """Words of a stretch of text."""

    known: int
    words: int

    @property
    def share(self) -> float | None:
        """Of known words; None: there is no whole word."""
        return self.known / self.words if self.words else None

    def __add__(self, other: "Count") -> "Count":
        return Count(self.known + other.known, self.words + other.words)


@dataclass(frozen=True)
class CharacterCount:
    """Bytes of a stretch of text, and of them those that stand in whole characters."""

    whole: int
    bytes: int

    @property
    def share(self) -> float | None:
        return self.whole / self.bytes if self.bytes else None

    def __add__(self, other: "CharacterCount") -> "CharacterCount":
        return CharacterCount(self.whole + other.whole, self.bytes + other.bytes)


def in_letters(text: bytes) -> Iterator[tuple[int, int]]:
    """The runs of letters."""
    return (match.span() for match in _WORD.finditer(text))


def in_han_or_kana(text: bytes) -> Iterator[tuple[int, int]]:
    """What ICU cuts from the whole text, where it is of Han characters and kana alone."""
    decoded, first, start = text.decode(errors="surrogateescape"), 0, 0
    for piece in WordBreaker(_NO_CHARACTER.sub("\ufffd", decoded), "und"):  # the dictionary follows from the script
        after = first + len(piece)
        end = start + len(decoded[first:after].encode(errors="surrogateescape"))
        if _HAN_OR_KANA.fullmatch(piece):
            yield start, end
        first, start = after, end


class Vocabulary(NamedTuple):
    """The words that a training text knows, in small letters, and what cuts a text of its language into words."""

    known: frozenset[bytes]
    cut: Cut


def vocabulary(corpus: Corpus) -> Vocabulary:
    cut = in_han_or_kana if corpus.key in HELP_TEXTS.values() else in_letters
    return Vocabulary(known_words(corpus.train, cut), cut)


@lru_cache(maxsize=4)  # a few megabytes of training text each
def known_words(train: bytes, cut: Cut = in_letters) -> frozenset[bytes]:
    """The known words of a training text, in small letters."""
    text = train.lower()
    counts = Counter(text[start:end] for start, end in cut(text))
    return frozenset(word for word, times in counts.items() if times >= TIMES)


def whole_words(text: bytes, begin: int, known: frozenset[bytes], cut: Cut = in_letters) -> tuple[Word, ...]:
    """The whole words of a text from byte `begin` on: what a model wrote after a prompt of so many bytes."""
    after = len(text) - len(unfinished(text))  # a word before half a character may go on in it
    spans = ((start, end) for start, end in cut(text[:after]) if start >= begin and end < after)
    return tuple(Word(start, end, text[start:end].lower() in known) for start, end in spans)


def unfinished(text: bytes) -> bytes:
    """The bytes of a character that the text's end cuts, and that more bytes could complete."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    decoder.decode(text[-LONGEST_CHARACTER:])
    return decoder.getstate()[0]


def characters(text: bytes) -> np.ndarray:
    """Of each byte, uint8 [T]: how many bytes the character takes that begins there; 0 inside one; BROKEN: no UTF-8.

    One that the text's end cuts, and that more bytes could complete, takes more bytes than are there.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    sizes: list[int] = []
    for character in decoder.decode(text):
        size = len(character.encode(errors="surrogateescape"))
        sizes += [BROKEN] if _NO_CHARACTER.match(character) else [size, *[0] * (size - 1)]
    if left := len(text) - len(sizes):
        sizes += [left + 1, *[0] * (left - 1)]
    return np.array(sizes, dtype=np.uint8)


def as_rows(words: Iterable[Word]) -> np.ndarray:
    """Float32 [W, 3], as pictures take them: first byte, the byte after the word, 1 if it is known."""
    return np.array([(word.start, word.end, word.known) for word in words], dtype=np.float32).reshape(-1, 3)


def count(words: Iterable[Word], start: int, end: int) -> Count:
    """Those that stand between byte `start` and byte `end` - 1."""
    inside = [word.known for word in words if start <= word.start and word.end <= end]
    return Count(sum(inside), len(inside))


def count_characters(sizes: np.ndarray, start: int, end: int) -> CharacterCount:
    """Those of `characters` that stand between byte `start` and byte `end` - 1."""
    first = np.flatnonzero(sizes)
    taken = np.where(sizes[first] == BROKEN, 1, sizes[first]).astype(int)
    is_inside = (first >= start) & (first + taken <= min(end, len(sizes)))
    is_whole = is_inside & (sizes[first] != BROKEN)
    return CharacterCount(int(taken[is_whole].sum()), int(taken[is_inside].sum()))


def edges(train_length: int) -> tuple[tuple[int, int], ...]:
    """Stretches of a text: to L, from there to 2 L, to 4 L, and beyond, from its first byte on, its prompt included."""
    return tuple(pairwise((0, train_length, 2 * train_length, 4 * train_length, sys.maxsize)))


def stretches(words: Iterable[Word], train_length: int) -> tuple[Count, ...]:
    """The words in each stretch."""
    words = tuple(words)
    return tuple(count(words, start, end) for start, end in edges(train_length))


def character_stretches(sizes: np.ndarray, begin: int, train_length: int) -> tuple[CharacterCount, ...]:
    """Those of `characters` in each stretch, from byte `begin` on."""
    return tuple(count_characters(sizes, max(start, begin), end) for start, end in edges(train_length))
