"""The picture of the stage: how the weight falls with distance, one curve a head, under a dragged number of heads."""

from alibi_viz.lessons import Lesson
from alibi_viz.ui.components.curve_view import Axis, Curve, Family, Heads, Labels, Readout, curve_view
from pages.slopes.controls import bend, bendable
from pages.slopes.study import DISTANCES, FARTHEST, RULES, Result

CHANNEL = "slopes"
KEY = "slopes_decay"
TICKS = tuple(4.0**power for power in range(7))
NEAR = 4  # tokens: as far as the curves are in sight before an answer
LABELS_AT = (0.57, 0.43)  # weights at which the labels stand, in turn


def decay(lesson: Lesson, result: Result, alt: str, *, covered: bool = False) -> None:
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
        covered=NEAR if covered else None,
        size="stage",
        filename=f"alibi-slopes-{result.heads}",
    )
