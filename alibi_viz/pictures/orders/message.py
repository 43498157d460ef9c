"""What the view of two word orders shows, and how it becomes one message of bytes (pictures/message.py)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, Unpack

import numpy as np

from alibi_viz.lessons import load
from alibi_viz.pictures.message import Array, Arrays, Follow, check, join

MAX_WORDS = 8
Channel = Literal["moved", "mask"]


@dataclass(frozen=True)
class Sentence:
    """T words, and the weights [T, T] of their queries (rows) and keys: without and with a causal mask."""

    words: tuple[str, ...]
    free: Array
    masked: Array


class Options(TypedDict, total=False):
    """What stands around the picture."""

    names: Mapping[str, str]  # of the axes: "query" "key"
    alt: str  # the picture in words, for screen readers
    filename: str


def pack(
    first: Sentence, second: Sentence, *, moved: bool, mask: bool, key: str = "", **options: Unpack[Options]
) -> bytes:
    """moved: the second stands in the order of the first; both glide. Raises ValueError for two sets of words."""
    count = len(first.words)
    check(0 < count <= MAX_WORDS, f"this view shows 1 to {MAX_WORDS} words, not {count}")
    check(sorted(first.words) == sorted(second.words), "both sentences must have the same words")
    check(len(set(first.words)) == count, "a word must not occur twice")
    arrays, settings = Arrays(), {"moved": float(moved), "mask": float(mask)}
    header: dict[str, Any] = {"filename": "orders", "alt": "", **options, "key": key, "size": "stage"}
    header |= {
        "sentences": [_sentence(sentence, first.words, arrays) for sentence in (first, second)],
        "settings": settings,
        "follows": [vars(Follow(channel, value, glides=True)) for channel, value in settings.items()],
        "words": load("words").entries("picture") | load("words").entries("orders"),
    }
    return join(header, arrays)


def _sentence(sentence: Sentence, order: Sequence[str], arrays: Arrays) -> dict[str, Any]:
    count = len(sentence.words)
    weights = {"free": sentence.free, "masked": sentence.masked}
    check(all(np.shape(values) == (count, count) for values in weights.values()), "the weights do not fit the words")
    places = [order.index(word) for word in sentence.words]
    numbers = {name: arrays.add(np.asarray(values, dtype=np.float32), name) for name, values in weights.items()}
    return {"words": sentence.words, "places": places, **numbers}
