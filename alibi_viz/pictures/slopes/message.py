"""What the picture of the slopes shows: the weight against distance of every head, and the ladder of their slopes."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from alibi_viz.charts.palette import DARK, LIGHT
from alibi_viz.pictures.hands.message import Picture
from alibi_viz.pictures.message import Array

COLOURS = ((LIGHT.accent, LIGHT.second), (DARK.accent, DARK.second))  # of both families, on light and on dark pages


@dataclass(frozen=True)
class Message(Picture):
    """The curves of H heads over S distances.

    hands: their keys are heads, rule, max_bias and own, and `cell` for the locked point (head from 0, distance).
    words: distance, weight, head, slope, power, extra; note and note_none beside the curves; curve and empty under them;
    label for screen readers. problem: a sentence in place of the picture.
    """

    distances: Array  # float32 [S], rising, from 1 on
    slopes: Sequence[float]
    families: Sequence[int]  # 1 for the extra heads of a head count that is no power of two
    weights: Array  # float32 [H, S]: of a key at each distance, against the nearest key
    problem: str = ""
    colours: Sequence[Sequence[str]] = COLOURS
    key: str = field(default="slopes", kw_only=True)
