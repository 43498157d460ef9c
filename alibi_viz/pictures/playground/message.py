"""What the playground shows, as dataclasses, and how they become one message of bytes (pictures/message.py)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from alibi_viz.charts.palette import LOOKS
from alibi_viz.pictures.message import Array, Arrays, check, join

MOST_WORDS = 1024


@dataclass(frozen=True)
class Chosen:
    """What the reader has chosen, checked."""

    heads: int
    head: int  # from 1
    strength: float
    query: int  # words after it
    ratio: float  # lengths of the text
    slopes: Mapping[int, float]  # head -> a slope that is not the rule's


@dataclass(frozen=True)
class Line:
    """Perplexity of one shipped method against the length that it reads, in training lengths."""

    method: str  # a row of the palette
    name: str
    times: Sequence[float]
    values: Sequence[float]


@dataclass(frozen=True)
class Message:
    """All that the playground needs; arrays of the same attention in PyTorch, with which the browser compares its own."""

    key: str
    sequence: int  # of the choice that these numbers belong to
    text: str  # as the reader wrote it
    tokens: Sequence[str]  # of it, in order
    ids: Sequence[int]  # the row of `vectors` of each
    vectors: Array  # float32 [U, d]
    closing: int  # signs after the text's last word, which is the first query
    chosen: Chosen
    rows: Array  # float32 [H, query + 1]: the query's weights in every head
    matrix: Array | None  # float32 [n, n]: weights of the chosen head; None for a long text
    lines: Sequence[Line]
    trained: int  # bytes that those models were trained on at a time
    note: str  # what of the text is not shown; empty: nothing
    alt: str
    words: Mapping[str, str]
    presenting: bool


def pack(message: Message) -> bytes:
    """The message. Raises ValueError with a sentence when it cannot be shown."""
    arrays = Arrays()
    check(
        0 < len(message.tokens) <= MOST_WORDS, f"there is room for 1 to {MOST_WORDS} words, not {len(message.tokens)}"
    )
    check(len(message.tokens) == len(message.ids), "every word needs its vector")
    check(max(message.ids) < len(message.vectors), "every word needs its vector")
    header = dict(vars(message))
    for name in ("vectors", "rows", "matrix"):
        array = header[name]
        header[name] = None if array is None else arrays.add(np.asarray(array, dtype=np.float32), name)
    header["chosen"] = vars(message.chosen) | {"slopes": {str(head): m for head, m in message.chosen.slopes.items()}}
    header["lines"] = [
        {**vars(line), "light": LOOKS[line.method].light, "dark": LOOKS[line.method].dark} for line in message.lines
    ]
    return join(header, arrays)
