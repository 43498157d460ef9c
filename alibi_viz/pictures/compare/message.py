"""Position methods side by side, as one message of bytes: what each adds to a score, and what becomes of the weights.

A pair is a query and a key that it may attend to; the pairs of S positions stand in a row, query after query. The browser
computes no method: a weight is e^(content + added - log-sum), of numbers that PyTorch gave.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from alibi_viz.pictures.hands.message import Picture
from alibi_viz.pictures.message import Array

MOST_METHODS = 6


@dataclass(frozen=True)
class Column:
    """One method. Arrays are float32; P pairs of S positions, or fewer rows of them where the method's positions end."""

    method: str  # a row of the palette
    name: str
    colours: tuple[str, str]  # on a light page, and on a dark one
    is_strong: bool  # its line is
    acts_on: str  # see PositionMethod
    adds: str  # what it adds, in a few words
    origin: str  # where its numbers come from, in a few words
    about: str  # the same in a sentence
    page: str  # the address that its name opens; empty: none
    cells: Array  # [P]: what it adds to the score of each pair; not sent of one that acts on nothing
    logsum: Array  # [S]: of each query, over all its keys
    row: Array  # [query + 1]: what it adds for all keys of one query; empty where its positions end before it, and as above
    row_logsum: float
    problem: str  # why its positions end, in a sentence; else empty
    perplexity: Mapping[str, float]  # measured, by times the training length


@dataclass(frozen=True)
class Message(Picture):
    """All columns of the same words, under their hands.

    The hands' values have `methods` (their names, with commas between) and `cell` (the locked query and key) too, which are
    chosen in the picture.
    """

    columns: Sequence[Column]
    methods: Sequence[tuple[str, str]]  # that a column can show, and what they are called
    tokens: Sequence[str]  # of the text, once
    named: bool  # whether they differ; else a position is what tells them apart
    positions: Array  # float32 [S]: of the words that are drawn, rising
    count: int  # words in all
    content: Array  # float32 [P]
    query: int  # whose whole row is sent
    row: Array  # float32 [query + 1]: content of all its keys
    pair: tuple[int, int]  # the query and the key that are shown first
    perplexities: tuple[float, float]  # the ends of their scale

    @property
    def answered(self) -> list[str]:
        return self.hands.without("methods", *(hand.key for hand in self.hands.hands))
