"""Content for the lessons: words into vectors, without any training, the same on every machine.

Notable choices:
- A vector belongs to a word, not to a position: equal words have equal vectors, wherever they stand. It is drawn by a
  generator that is seeded with the word itself, so that adding a word to a text moves no other vector.
- Tokens are words (and the signs between them) or single characters, whichever the reader chooses. Real models cut text
  into pieces of words; that needs a vocabulary, and changes nothing of what is shown here.
"""

import re
import zlib
from collections.abc import Sequence

import numpy as np

# A base character with the marks, joiners and variation signs that belong to it, so that an accent or a family emoji is
# one token. (The full rules of Unicode need a table; this covers what readers paste.)
_MARK = r"[\u0300-\u036f\u1ab0-\u1aff\u20d0-\u20ff\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]"
_TAIL = rf"{_MARK}*(?:\u200d.{_MARK}*)*"
_GRAPHEME = re.compile(rf".{_TAIL}", re.DOTALL)
_WORD = re.compile(rf"\w+(?:{_MARK}|['’\-]?\w)*|[^\w\s]{_TAIL}")


def words(text: str) -> list[str]:
    """Words and single signs of a text, in order."""
    return _WORD.findall(text)


def characters(text: str) -> list[str]:
    """Single characters, a blank as “␣”; runs of blanks count once. Marks and joiners stay with their character."""
    return ["␣" if c.isspace() else c for c in _GRAPHEME.findall(" ".join(text.split()))]


def tokens(text: str, unit: str) -> list[str]:
    """Tokens of a text; unit is "words" or "characters". Raises ValueError for another unit."""
    if unit not in ("words", "characters"):
        raise ValueError(f"The unit must be words or characters, not {unit!r}.")
    return words(text) if unit == "words" else characters(text)


def vectors(items: Sequence[str], width: int, seed: int = 0) -> np.ndarray:
    """One standard normal vector an item, the same for equal items: float32 [T, D]."""
    table = {item: _vector(item, width, seed) for item in set(items)}
    return np.stack([table[item] for item in items]) if items else np.zeros((0, width), np.float32)


def _vector(item: str, width: int, seed: int) -> np.ndarray:
    named = np.random.default_rng([seed, zlib.crc32(item.encode("utf-8", "replace"))])
    return named.standard_normal(width).astype(np.float32)


def orthogonal(items: Sequence[str], width: int, seed: int = 0) -> tuple[np.ndarray, bool]:
    """One unit vector an item: at right angles to all others where `width` has room for that.

    Returns the vectors, float32 [T, D], and whether they are exactly at right angles.
    """
    distinct = sorted(set(items))
    units = vectors(distinct, width, seed).astype(np.float64)
    exact = len(distinct) <= width
    if exact and distinct:
        units = np.linalg.qr(units.T)[0].T
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    rows = {item: row for row, item in enumerate(distinct)}
    return units[[rows[item] for item in items]].astype(np.float32), exact
