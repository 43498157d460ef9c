"""What the picture of the stairs shows: the steps of every head over the words of a text, and the weights they leave."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from alibi_viz.charts.palette import LOOKS
from alibi_viz.pictures.hands.message import Picture
from alibi_viz.pictures.message import Array

MOST = 7.0  # nats: the floor of the stairs, where 0.1% of a weight is left
STEEPEST = 8.0  # nats: a step that a hand can set
COLOURS = {"fox": LOOKS["forgetting"].colours, "alibi": LOOKS["alibi"].colours}


@dataclass(frozen=True)
class Message(Picture):
    """The W words up to the query, which is the last of them, in N heads: layer after layer.

    hands: text, stairs ("fox" or "alibi") and alibi_step in the row on top; their values have layer, head and fox_steps
    (“7:0.5”, by the word's place from 1) too, which are moved in the picture. A step is what a word takes from the scores
    of all words before it, in nats; of FoX the sum of those of its bytes.
    """

    tokens: Sequence[str]  # of the text, also those after the query
    query: int
    heads: int  # of a layer
    letters: Sequence[str]  # the bytes up to the query's last
    ends: Sequence[int]  # the byte after each word, up to the query
    gates: Array  # float32 [N, bytes]: the step of each byte
    steps: Array  # float32 [N, W]: of each word
    match: Array  # float32 [N, W]: log of a word's weight without steps between words, up to a constant
    weights: Array  # float32 [W]: of the query, in the chosen head with the chosen steps
    model: str
    problem: str = ""
    most: float = MOST
    steepest: float = STEEPEST
    colours: Mapping[str, Sequence[str]] = field(default_factory=lambda: COLOURS)
    key: str = field(default="heirs", kw_only=True)
