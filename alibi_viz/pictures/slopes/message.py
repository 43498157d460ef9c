"""What the picture of the slopes shows: the weight against distance of every head, and the ladder of their slopes."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from alibi_viz.pictures.curve_view.message import Axis, Curve, Family, Labels, Readout
from alibi_viz.pictures.curve_view.message import pack as pack_curves
from alibi_viz.pictures.hands.message import Hands
from alibi_viz.pictures.message import Array

LABELS_AT = (0.57, 0.43)  # weights at which the labels stand, in turn
TICKS = tuple(4.0**power for power in range(7))


def pack(
    distances: Array,
    slopes: Sequence[float],
    families: Sequence[int],
    weights: Array,
    *,
    hands: Hands,
    words: Mapping[str, str],
    **options: Any,
) -> bytes:
    """One message of bytes.

    distances: float32 [S]; weights: float32 [H, S], of a key at each of them against the nearest key. families: 1 for the
    extra heads of a head count that is no power of two.
    hands: their keys are heads, rule, max_bias and own, and `cell` for the locked point (head from 0, distance).
    words: distance, weight, head, slope, power, extra; note and note_none beside the curves; curve and empty under them.
    options: key, alt, filename, problem (a sentence in place of the picture), label.
    """
    facts = [{"head": head, "slope": slope} for head, slope in enumerate(slopes, start=1)]
    curves = [Curve(row, about, family) for row, about, family in zip(weights, facts, families, strict=True)]
    further = {"hands": hands, "problem": options.pop("problem", "")}
    further |= {name: words[name] for name in ("note", "note_none", "head", "slope")}
    return pack_curves(
        np.asarray(distances, dtype=np.float32),
        curves,
        Axis(words["distance"], float(distances[0]), float(distances[-1]), TICKS, log=True, whole=True),
        Axis(words["weight"], 0, 1.03, (0, 0.25, 0.5, 0.75, 1)),
        families=[Family(words["power"]), Family(words["extra"], "second")],
        labels=Labels("{slope}", LABELS_AT, first="m = {slope}"),
        readout=Readout(words["curve"], words["empty"]),
        form="decay",
        size="stage",
        further=further,
        **options,
    )
