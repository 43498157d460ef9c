"""Words that a training text knows, counted in a text that a model writes: no judgement, a count.

A word is a run of at least LETTERS letters A-Z, a-z; it is known if the training text has it at least TIMES times.

Notable choices:
- Capitals do not matter: "The" begins a sentence and "the" stands in one.
- Only whole words count. A word that is cut by the prompt or by the end of the text so far is none, and one that crosses
  the edge between two stretches counts in neither.
- In a text of other letters, what stands between them counts, in the training text as well.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

LETTERS, TIMES = 3, 3
_WORD = re.compile(rb"[A-Za-z]{%d,}" % LETTERS)


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


@lru_cache(maxsize=4)  # a few megabytes of training text each
def known_words(train: bytes) -> frozenset[bytes]:
    """The known words of a training text, in small letters."""
    counts = Counter(_WORD.findall(train.lower()))
    return frozenset(word for word, times in counts.items() if times >= TIMES)


def whole_words(text: bytes, begin: int, known: frozenset[bytes]) -> tuple[Word, ...]:
    """The whole words of a text from byte `begin` on: what a model wrote after a prompt of so many bytes."""
    matches = (match for match in _WORD.finditer(text) if match.start() >= begin and match.end() < len(text))
    return tuple(Word(match.start(), match.end(), match[0].lower() in known) for match in matches)


def as_rows(words: Iterable[Word]) -> np.ndarray:
    """Float32 [W, 3], as pictures take them: first byte, the byte after the word, 1 if it is known."""
    return np.array([(word.start, word.end, word.known) for word in words], dtype=np.float32).reshape(-1, 3)


def count(words: Iterable[Word], start: int, end: int) -> Count:
    """Those that stand between byte `start` and byte `end` - 1."""
    inside = [word.known for word in words if start <= word.start and word.end <= end]
    return Count(sum(inside), len(inside))


def stretches(words: Iterable[Word], train_length: int) -> tuple[Count, ...]:
    """To L, from there to 2 L, to 4 L, and beyond, counted from the first byte of the text, its prompt included."""
    edges, words = (0, train_length, 2 * train_length, 4 * train_length, sys.maxsize), tuple(words)
    return tuple(count(words, start, end) for start, end in pairwise(edges))
