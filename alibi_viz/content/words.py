"""Content for the lessons: words into vectors, without any training, the same on every machine.

Notable choices:
- A vector belongs to a word, not to a position: equal words have equal vectors, wherever they stand. Its numbers are hashes
  of the word and of their place, so that adding a word to a text moves no other vector, and any number can be had alone.
- A browser draws the same vectors, bit for bit (pictures/words.js): whole numbers of 32 bits, and of floats only what
  IEEE 754 rounds in one way (no logarithm, no cosine).
- Tokens are words (and the signs between them) or single characters, whichever the reader chooses, as ICU finds them. A
  script that writes no space between words (Chinese, Japanese, Thai ...) is cut by a dictionary, which ICU chooses by the
  script of the text. Real models cut text into pieces of words; that needs a vocabulary, and changes nothing of what is
  shown here.
- The browser cuts what a reader types by the same rules, and gets these tokens where Python has cut the text: the
  dictionaries of browsers differ.
"""

import math
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import takewhile

import numpy as np
from icu4py.breakers import CharacterBreaker, WordBreaker

SPREAD = 16  # numbers of a direction: with more of them the scores of different words would differ less
FIRST = 2  # the seed 0 of directions: of eight, that with the middle share on the nearest words of the first sentence
FNV_BASIS, FNV_PRIME, GOLDEN = 0x811C9DC5, 0x01000193, 0x9E3779B9
MIXED_BY = (16, 0x21F0AAAD), (15, 0x735A2D97)  # shifts and factors of splitmix32
#: ICU's rules as Chromium has them for every language: “.” and “:” part letters. A script chooses its dictionary.
RULES = "en_US_POSIX"
UNSEEN = "\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"  # of no width
_NO_TOKEN = dict.fromkeys(map(ord, UNSEEN))  # they part words, and belong to none


def words(text: str) -> list[str]:
    """Words and single signs of a text, in order."""
    return _seen(WordBreaker(_whole(text), RULES))


def words_with_blanks(text: str) -> list[tuple[str, str]]:
    """The same, each beside the part of the text that ends with it: what stood before it and is no word, and itself."""
    found, before = list[tuple[str, str]](), ""
    for piece in WordBreaker(_whole(text), RULES):
        before += piece
        for word in _seen([piece]):
            found.append((word, before))
            before = ""
    return found


def _seen(pieces: Iterable[str]) -> list[str]:
    """Without blanks and what has no width."""
    seen = ("".join(piece.translate(_NO_TOKEN).split()) for piece in pieces)
    return [piece for piece in seen if piece]


def _whole(text: str) -> str:
    """A lone half of a character, which ICU does not take, as “�”."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def last_word(items: Sequence[str]) -> int:
    """The place of the last token that is no punctuation: the query that is shown first. The last one if all are."""
    closing = takewhile(lambda item: unicodedata.category(item[0]).startswith("P"), reversed(items))
    rest = len(items) - sum(1 for _ in closing)
    return (rest or len(items)) - 1


def characters(text: str) -> list[str]:
    """Single characters, a blank as “␣”; runs of blanks count once. Marks and joiners stay with their character."""
    return _seen("␣" if piece.isspace() else piece for piece in CharacterBreaker(_whole(" ".join(text.split())), RULES))


def tokens(text: str, unit: str) -> list[str]:
    """Tokens of a text; unit is "words" or "characters"."""
    return words(text) if unit == "words" else characters(text)


def vectors(items: Sequence[str], width: int, seed: int = 0) -> np.ndarray:
    """One standard normal vector an item, the same for equal items: float32 [T, D]."""
    table = {item: normals(item, width, seed).astype(np.float32) for item in set(items)}
    return np.stack([table[item] for item in items]) if items else np.zeros((0, width), np.float32)


def normals(name: str, count: int, seed: int = 0) -> np.ndarray:
    """Numbers that belong to a name: float64 [count], standard normal but for their tails, which end at 3.5.

    Each is the sum of four of 16 bits, from two hashes: FNV-1a of the name, then the finalizer of splitmix32.
    """
    start = FNV_BASIS ^ (seed * GOLDEN & 0xFFFFFFFF)
    for byte in _whole(name).encode():
        start = (start ^ byte) * FNV_PRIME & 0xFFFFFFFF
    drawn: np.ndarray = np.uint32(start) + np.uint32(GOLDEN) * np.arange(1, 2 * count + 1, dtype=np.uint32)
    for shift, factor in MIXED_BY:
        drawn = (drawn ^ (drawn >> shift)) * np.uint32(factor)
    drawn = drawn ^ (drawn >> 15)
    sums = ((drawn >> 16) + (drawn & 0xFFFF)).reshape(count, 2).sum(axis=1)
    return (sums - 2.0 * 0xFFFF) * math.sqrt(3 / 0xFFFFFFFF)


def directions(items: Sequence[str], width: int, seed: int = 0) -> np.ndarray:
    """One random unit vector an item, the same for equal items (capitals do not count): float32 [T, width or SPREAD]."""
    drawn = vectors([item.lower() for item in items], min(width, SPREAD), FIRST + seed).astype(np.float64)
    squares = sum((column * column for column in drawn.T), np.zeros(len(items)))  # in the order of the browser
    return (drawn / np.sqrt(squares)[:, None]).astype(np.float32)
