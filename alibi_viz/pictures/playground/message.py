"""What the playground shows: one message of bytes (pictures/message.py)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from alibi_viz.pictures.hands.message import Picture
from alibi_viz.pictures.message import Array
from alibi_viz.pictures.story.message import Line

MOST_WORDS = 1024


@dataclass(frozen=True)
class Message(Picture):
    """All that the playground needs. Its arrays are PyTorch's; the browser computes the same while a hand moves.

    hands: text, heads and strength in the row on top; their values have head, slopes (“2:0.083”, by head), query (words
    after it, -1: the closing signs) and ratio (lengths of the text) too, which are moved in the picture.
    """

    rows: Array  # float32 [H, query + 1]: the query's weights in every head
    plain: Array  # float32 [query + 1]: the same without ALiBi
    matrix: Array | None  # float32 [n, n]: weights of the chosen head; None for a long text
    lines: Sequence[Line]
    trained: int  # bytes that those models were trained on at a time
    note: str  # what of the link is not shown; empty: nothing
    filename: str = field(default="alibi-playground", kw_only=True)
