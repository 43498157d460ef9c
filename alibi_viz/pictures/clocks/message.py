"""What RoPE's clocks show: one dial a pair of dimensions, as one message of bytes (pictures/message.py)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from alibi_viz.charts.palette import LOOKS, UNTRAINED
from alibi_viz.pictures.hands.message import Picture
from alibi_viz.pictures.message import Array

ROPE = LOOKS["rope"]
COLOURS = ((ROPE.light, UNTRAINED.light), (ROPE.dark, UNTRAINED.dark))  # on light and on dark pages


@dataclass(frozen=True)
class Message(Picture):
    """The dials of P pairs. Each hand stands at turns x the position, counted from 12 o'clock.

    hands: their keys are position, rope_dim, rope_base, scaling, factor and rope_trained, of which the browser computes the
    same three arrays. words: `note` and `note_past`, the sentence that follows the hand, with {position} {pairs} {beyond};
    `dial`, what is said of one, with {pair} {wavelength}; the entries of the legend, and `drag`, which stands there until a
    hand was dragged. problem: a sentence in place of the picture; then the arrays are empty.
    """

    turns: Array  # float64 [P], a token
    plain: Array  # float64 [P], a token without scaling
    trained: Array  # float64 [P]: the largest share of a turn in training; below 1 a dial is dashed
    problem: str = ""
    colours: Sequence[Sequence[str]] = COLOURS
    key: str = field(default="lab_rope", kw_only=True)
    filename: str = field(default="rope-clocks", kw_only=True)
