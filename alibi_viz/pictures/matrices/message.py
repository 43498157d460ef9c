"""Matrices under one row of hands: one matrix view, or a large one and thumbnails beside it, as one message of bytes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from alibi_viz.pictures.hands.message import Hands


@dataclass(frozen=True)
class Sentence:
    """The sentence that follows the hand: a template with numbers of `numbers`, and with those that the browser computes
    of its hands: {heads} {head} {n} {strength}, the slope of the head {slope}, and the tokens that halve a weight {half}.

    near: a query, and how many tokens before it are near: then {near} is their share of its weight on earlier tokens, in
    the last matrix of the first part.
    """

    template: str
    numbers: Mapping[str, str]
    near: tuple[int, int] | None = None


@dataclass(frozen=True)
class Message:
    """What stands under the hands. parts: matrix views (matrix_view.message.pack), whose sliders are named as hands.

    beside: the least width of the second, in pixels: it has what a square picture leaves.
    """

    key: str
    hands: Hands
    parts: Sequence[bytes]
    note: Sentence
    beside: int = 0
    problem: str = ""  # in place of the picture
    size: Literal["stage", "section"] = "stage"
