"""Content for the lessons: words into vectors, without any training, the same on every machine.

Notable choices:
- A vector belongs to a word, not to a position: equal words have equal vectors, wherever they stand. It is drawn by a
  generator that is seeded with the word itself, so that adding a word to a text moves no other vector.
- Tokens are words (and the signs between them) or single characters, whichever the reader chooses. A script that writes no
  space between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese) is cut into characters in both cases. Real models cut
  text into pieces of words; that needs a vocabulary, and changes nothing of what is shown here.
"""

import re
import unicodedata
import zlib
from collections.abc import Sequence
from itertools import takewhile

import numpy as np

SPREAD = 16  # numbers of a direction: with more of them the scores of different words would differ less
FIRST = 4  # the seed 0 of directions: of eight, that with the middle share on the nearest words of the first sentence

# A base character with the marks, joiners and variation signs that belong to it, so that an accent, a vowel sign or a
# family emoji is one token. (The full rules of Unicode need a table; this covers what readers paste.)
_MARKS = "".join(chr(c) for c in range(0x300, 0x10000) if unicodedata.category(chr(c)).startswith("M"))
_MARK = (
    rf"[{_MARKS}\u00ad\u200c\u0e33\u0eb3\uff9e\uff9f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\U000e0100-\U000e01ef]"
)
_TAIL = rf"{_MARK}*(?:\u200d[^\w\s]?{_MARK}*)*"
_UNSEEN = r"\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff"  # of no width: they belong to no token
_UNSPACED = (
    r"\u0e01-\u0e4f\u0e81-\u0ecf\u0edc-\u0edf\u1000-\u103f\u104c-\u108f\u109a-\u109f\u1780-\u17dd"  # Thai to Khmer
    r"\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3031-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han, kana
    r"\uff66-\uff9f\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)
_LETTER = rf"[^\W{_UNSPACED}]"
_GRAPHEME = re.compile(rf"[^{_UNSEEN}]{_TAIL}", re.DOTALL)
_WORD = re.compile(rf"{_LETTER}(?:{_MARK}|\u200d|['’\-]?{_LETTER})*|[^\s{_UNSEEN}]{_TAIL}")


def words(text: str) -> list[str]:
    """Words and single signs of a text, in order; of a script without spaces single characters."""
    return _WORD.findall(text)


def last_word(items: Sequence[str]) -> int:
    """The place of the last token that is no punctuation: the query that is shown first. The last one if all are."""
    closing = takewhile(lambda item: unicodedata.category(item[0]).startswith("P"), reversed(items))
    rest = len(items) - sum(1 for _ in closing)
    return (rest or len(items)) - 1


def characters(text: str) -> list[str]:
    """Single characters, a blank as “␣”; runs of blanks count once. Marks and joiners stay with their character."""
    return ["␣" if c.isspace() else c for c in _GRAPHEME.findall(" ".join(text.split()))]


def tokens(text: str, unit: str) -> list[str]:
    """Tokens of a text; unit is "words" or "characters"."""
    return words(text) if unit == "words" else characters(text)


def vectors(items: Sequence[str], width: int, seed: int = 0) -> np.ndarray:
    """One standard normal vector an item, the same for equal items: float32 [T, D]."""
    table = {item: _vector(item, width, seed) for item in set(items)}
    return np.stack([table[item] for item in items]) if items else np.zeros((0, width), np.float32)


def _vector(item: str, width: int, seed: int) -> np.ndarray:
    named = np.random.default_rng([seed, zlib.crc32(item.encode("utf-8", "replace"))])
    return named.standard_normal(width).astype(np.float32)


def directions(items: Sequence[str], width: int, seed: int = 0) -> np.ndarray:
    """One random unit vector an item, the same for equal items (capitals do not count): float32 [T, width or SPREAD]."""
    drawn = vectors([item.casefold() for item in items], min(width, SPREAD), FIRST + seed)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
