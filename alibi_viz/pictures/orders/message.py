"""One sentence whose words a hand moves, and two attentions over it: without positions and with ALiBi."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from alibi_viz.charts.palette import LOOKS
from alibi_viz.pictures.hands.message import Hands
from alibi_viz.pictures.message import Array

MAX_WORDS = 8


@dataclass(frozen=True)
class Message:
    """The T words of a sentence in its own order, and in the reader's.

    hands: their values have `story_order`, the places of the words in the reader's order ("1,0,2"), and `causal`. content:
    [T, T], the score of each word's query with each word's key; the browser computes both attentions of it in any order.
    before, weights: [2, T, T], without positions and with ALiBi, in the sentence's own order and in the reader's. words:
    `plain` and `alibi`, what the attentions are called; `note` and `note_same`, the sentence that follows the hand, with
    {plain} and {alibi}, the largest changes of a weight.
    """

    hands: Hands
    sentence: Sequence[str]
    order: Sequence[int]
    content: Array
    before: Array
    weights: Array
    slope: float
    words: Mapping[str, str]
    alt: str
    problem: str = ""  # in place of the picture; then the arrays are empty
    colours: tuple[str, str] = (LOOKS["alibi"].light, LOOKS["alibi"].dark)
    key: str = "story_orders"
    filename: str = "order-of-words"
    size: Literal["stage"] = "stage"
