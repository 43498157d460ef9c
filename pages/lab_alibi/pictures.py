"""The lab's penalties, which the browser computes by itself while a slope is dragged: of every head, and of every shape."""

from collections.abc import Sequence

import numpy as np

from alibi_viz.lessons import Lesson
from alibi_viz.ui.components.curve_view import Axis, Curve, Family, Labels, Mark, Readout, Slope, curve_view
from pages.lab_alibi.controls import EXPONENTS, bend, bendable
from pages.lab_alibi.study import Result, Shape

LOWEST = -10.5  # of the axis: below -10 nothing is visible in the weights
PENALTIES = (-10.0, -7.5, -5.0, -2.5, 0.0)
LABELS_AT = (-7.0, -4.5, -2.0, -0.7, -0.15)  # penalties at which the labels stand, in turn
SHAPE_LOOKS = ("quiet", "accent", "second", "t5", "learned", "sandwich")
DASHES = ("longdashdot", "solid", "dash", "dot", "dashdot", "longdash")


def heads(lesson: Lesson, result: Result, exponents: Sequence[float], alt: str) -> None:
    """The penalty of every head against the distance: slopes set by hand, and the one that all heads learn.

    exponents: e of each head's slope 2^-e, as its slider has it.
    """
    chosen, words, learned = result.controls, lesson.entries("chart"), result.training.learned
    xs = result.distances.astype(np.float32)
    curves = [
        Curve(row, {"head": head, "name": words["head_n"].format(n=head), "slope": slope}, bold=head == chosen.head)
        for head, (slope, row) in enumerate(zip(chosen.slopes, result.penalties[:-1], strict=True), start=1)
    ]
    trained = words["trained"].format(target=chosen.target)
    curves.append(Curve(result.penalties[-1], {"name": trained, "slope": learned}, 1, bold=True))
    target = Mark(chosen.target, words["target"].format(target=chosen.target))
    curve_view(
        xs,
        curves,
        key="heads",
        x=_distances(lesson, chosen.farthest),
        y=Axis(words["penalty"], LOWEST, 0.5, PENALTIES),
        alt=alt,
        families=[Family(words["by_hand"]), Family(trained, "second", "dash")],
        labels=Labels("{head}: {slope}", LABELS_AT, first="{name}: {slope}"),
        readout=Readout(**lesson.entries("readout.curve")),
        form="penalty",
        follows=[Slope(f"m{head + 1}", exponent, (head,), exponent=True) for head, exponent in enumerate(exponents)],
        hand=[2.0 ** -float(exponent.default) for exponent in EXPONENTS[: len(exponents)]] if bendable() else None,
        on_slope=bend,
        size="stage",
        filename="alibi-slopes-by-hand-and-trained",
        mark=target if chosen.target <= chosen.farthest else None,
    )


def shapes(lesson: Lesson, result: Result, found: Sequence[Shape], exponent: float, alt: str) -> None:
    """The penalty of every shape against the distance, for the slope of the chosen head, 2^-exponent."""
    names, xs = lesson.entries("shapes"), result.distances.astype(np.float32)
    curves = [
        Curve(shape.penalty, {"shape": shape.name, "name": names[shape.name], "slope": result.slope}, number)
        for number, shape in enumerate(found)
    ]
    families = [Family(names[shape.name], *look) for shape, *look in zip(found, SHAPE_LOOKS, DASHES, strict=True)]
    curve_view(
        xs,
        curves,
        key="penalty",
        x=_distances(lesson, result.controls.farthest),
        y=Axis(lesson.entry("chart", "penalty"), LOWEST, 0.5, PENALTIES),
        alt=alt,
        families=families,
        readout=Readout(**lesson.entries("readout.curve")),
        form="penalty",
        follows=[Slope(f"m{result.controls.head}", exponent, tuple(range(len(curves))), exponent=True)],
        filename="alibi-shapes",
    )


def _distances(lesson: Lesson, farthest: int) -> Axis:
    """From 0 to the farthest, with some eight ticks."""
    step = next(round_ for round_ in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512) if farthest / round_ <= 8)
    return Axis(lesson.entry("chart", "distance"), 0, farthest, tuple(range(0, farthest + 1, step)), whole=True)
