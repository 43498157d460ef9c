"""Content for the lessons: words into vectors, without any training, the same on every machine.

Notable choices:
- A vector belongs to a word, not to a position: equal words have equal vectors, wherever they stand. It is drawn by a
  generator that is seeded with the word itself, so that adding a word to a text moves no other vector.
- Tokens are words (and the signs between them) or single characters, whichever the reader chooses, as ICU finds them. A
  script that writes no space between words (Chinese, Japanese, Thai ...) is cut by a dictionary, which ICU chooses by the
  script of the text. Real models cut text into pieces of words; that needs a vocabulary, and changes nothing of what is
  shown here.
- The browser gets these tokens and cuts no text itself: the dictionaries of browsers differ.
"""

import unicodedata
import zlib
from collections.abc import Iterable, Sequence
from itertools import takewhile

import numpy as np
from icu4py.breakers import CharacterBreaker, WordBreaker

SPREAD = 16  # numbers of a direction: with more of them the scores of different words would differ less
FIRST = 4  # the seed 0 of directions: of eight, that with the middle share on the nearest words of the first sentence
ROOT = "und"  # ICU's rules of no language in particular: a dictionary is chosen by the script of the text
UNSEEN = "\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"  # of no width
_NO_TOKEN = dict.fromkeys(map(ord, UNSEEN))  # they part words, and belong to none


def words(text: str) -> list[str]:
    """Words and single signs of a text, in order."""
    return _seen(WordBreaker(_whole(text), ROOT))


def words_with_blanks(text: str) -> list[tuple[str, str]]:
    """The same, each beside the part of the text that ends with it: what stood before it and is no word, and itself."""
    found, before = list[tuple[str, str]](), ""
    for piece in WordBreaker(_whole(text), ROOT):
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
    return _seen("␣" if piece.isspace() else piece for piece in CharacterBreaker(_whole(" ".join(text.split())), ROOT))


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
