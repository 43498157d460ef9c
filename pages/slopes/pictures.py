"""The pictures of the stage: how the weight falls with distance, one curve a head, under a dragged number of heads; and the
slope of each head."""

from math import ceil, floor, log2

import numpy as np

from alibi_viz.lessons import Lesson
from alibi_viz.ui.components.curve_view import Axis, Curve, Family, Heads, Labels, Readout, curve_view
from pages.slopes.controls import bend, bendable
from pages.slopes.study import DISTANCES, FARTHEST, RULES, Result

CHANNEL = "slopes"
KEY = "slopes_decay"
TICKS = tuple(4.0**power for power in range(7))
RUNG = 0.38  # of the way to the next head that a line at a head's slope takes to each side
LABELS_AT = (0.57, 0.43)  # weights at which the labels stand, in turn


def decay(lesson: Lesson, result: Result, alt: str) -> None:
    """e^(-m d) of every head: the weight of a key at distance d against the nearest key, for equal content.

    On a log axis every head has the same curve, moved by its slope. The browser follows the heads by itself; slopes that
    the reader typed follow from no number of heads.
    """
    words, rule = lesson.entries("chart"), RULES[result.controls.rule]
    rows = zip(result.slopes, result.families, result.weights, strict=True)
    curves = [Curve(row, {"head": h, "slope": m}, family) for h, (m, family, row) in enumerate(rows, start=1)]
    follows = () if rule == "custom" else (Heads(CHANNEL, result.heads, rule, result.controls.max_bias),)
    curve_view(
        DISTANCES,
        curves,
        key=KEY,
        x=Axis(words["distance"], 1, FARTHEST, TICKS, log=True, whole=True),
        y=Axis(words["weight"], 0, 1.03, (0, 0.25, 0.5, 0.75, 1)),
        alt=alt,
        families=[Family(words["family_power"]), Family(words["family_extra"], "second")],
        labels=Labels("{slope}", LABELS_AT, first="m = {slope}"),
        readout=Readout(**lesson.entries("readout")),
        form="decay",
        follows=follows,
        hand=result.rule_slopes if bendable() else None,
        on_slope=bend,
        size="stage",
        filename=f"alibi-slopes-{result.heads}",
    )


def ladder(lesson: Lesson, result: Result, alt: str) -> None:
    """The slope of every head, on a log axis: on it the paper's slopes are a straight line."""
    words, heads, positive = lesson.entries("chart"), result.heads, [slope for slope in result.slopes if slope > 0]
    rows = zip(result.slopes, result.families, strict=True)
    curves = [
        Curve(np.array([slope, slope]), {"head": head, "slope": slope}, family, xs=np.array([head - RUNG, head + RUNG]))
        for head, (slope, family) in enumerate(rows, start=1)
        if slope > 0
    ]
    if not curves:
        return
    low, high = floor(log2(min(positive))), ceil(log2(max(positive)))
    every, apart = max(1, -(-(high - low) // 8)), next(step for step in (1, 2, 4, 8, 16, 32) if heads / step <= 10)
    ticks = tuple(2.0**power for power in range(high, low - 1, -every))
    curve_view(
        np.array([0.5, heads + 0.5]),
        curves,
        key="slopes_ladder",
        x=Axis(words["head"], 0.5, heads + 0.5, tuple(range(apart if apart > 1 else 1, heads + 1, apart)), whole=True),
        y=Axis(words["slope"], 2.0 ** (low - 0.3), 2.0 ** (high + 0.3), ticks, log=True, slopes=True),
        alt=alt,
        families=[Family(words["family_power"]), Family(words["family_extra"], "second")],
        readout=Readout(**lesson.entries("ladder_readout")),
        filename=f"alibi-slopes-by-head-{heads}",
        size="side",
    )
