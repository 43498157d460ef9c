"""What the curve view shows, as dataclasses, and how they become one message of bytes (pictures/message.py)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict, Unpack, get_args

import numpy as np

from alibi_viz.charts.palette import DARK, LIGHT, LOOKS
from alibi_viz.lessons import load
from alibi_viz.pictures.message import Array, Arrays, check, join

MAX_CURVES = 128
MAX_POINTS = 1024

Form = Literal["decay"]  # y = e^(−m x)
Size = Literal["normal", "stage"]  # as tall as the stage has room for


@dataclass(frozen=True)
class Axis:
    """One axis: a fixed range, and the values that have a tick. The cursor stands on whole numbers of a `whole` axis."""

    name: str
    low: float
    high: float
    ticks: tuple[float, ...]
    log: bool = False
    whole: bool = False
    slopes: bool = False  # its ticks are fractions: 1/8


@dataclass(frozen=True)
class Family:
    """Curves that look alike. look: "accent", "second", "quiet", or a method (a key of palette.LOOKS)."""

    name: str
    look: str = "accent"
    dash: str = ""  # one of Plotly's; empty: that of the look


@dataclass(frozen=True)
class Curve:
    """One curve: values [points] over the common x. facts: what templates can say of it, as {"head": 3, "slope": 0.125}.

    The closed form computes with the fact "slope".
    xs: what was measured, [points], perhaps none yet, in place of the common x; the cursor then stands on these points
    alone. All curves have it, or none has.
    """

    values: Array
    facts: Mapping[str, float | str] = field(default_factory=dict)
    family: int = 0
    bold: bool = False
    faint: bool = False  # not the reader's own
    xs: Array | None = None


@dataclass(frozen=True)
class Labels:
    """Texts on the curves of one family, where they cross one of the heights `at`: at most so many, none touches another.

    text: a template with facts of the curve. first: another one for the first that has room for it, to say what all are.
    """

    text: str
    at: tuple[float, ...]
    first: str = ""
    family: int = 0
    most: int = 8


@dataclass(frozen=True)
class Mark:
    """A vertical line at a value of x, with its name."""

    at: float
    name: str


@dataclass(frozen=True)
class Readout:
    """Templates for the line under the picture: with a cursor and without one.

    Placeholders: {x} {y} {exp} (e^y) {family}, and the facts of the curve. A slope is a fraction (1/8) where it is one.
    """

    curve: str
    empty: str


class Options(TypedDict, total=False):
    """What a curve view shows beside its curves; all of it may be left out."""

    families: Sequence[Family]  # a legend says them where the curves are of more than one
    labels: Labels | None
    mark: Mark | None
    readout: Readout  # without it, no line under the picture
    form: Form | None  # the closed form: for exact numbers between the points
    label: str | None  # what the picture and its keys are, for screen readers; None: curves to look at
    locked: Sequence[int]  # (curve, x) that is locked in the address, or nothing; left out: it is not kept there
    size: Size
    filename: str
    markers: int  # the method's own marker, on at most so many points of a curve: lines that are told apart in grey
    empty: str  # what stands in the middle while no curve has a point
    further: Mapping[str, object]  # what a picture that is made of this one has beside it


def _axis(axis: Axis, what: str) -> Axis:
    check(axis.low < axis.high, f"the {what} axis must rise, not run from {axis.low} to {axis.high}")
    check(not axis.log or axis.low > 0, f"the {what} axis is logarithmic: it cannot begin at {axis.low}")
    return axis


def _family(family: Family) -> dict[str, str]:
    """A family with its colour in both themes, and its dash."""
    look = family.look
    check(look in ("accent", "second", "quiet", *LOOKS), f"unknown look {look!r}")
    if look in LOOKS:
        drawn = vars(LOOKS[look])
    else:
        drawn = {"light": getattr(LIGHT, look), "dark": getattr(DARK, look), "dash": "solid", "marker": "circle"}
    return {**drawn, "name": family.name, **({"dash": family.dash} if family.dash else {})}


def pack(
    xs: Array, curves: Sequence[Curve], x: Axis, y: Axis, *, key: str = "", alt: str = "", **options: Unpack[Options]
) -> bytes:
    """Everything one curve view shows, as one message of bytes. Raises ValueError with a sentence when it cannot."""
    xs, arrays = np.asarray(xs, dtype=np.float32), Arrays()
    check(0 < len(curves) <= MAX_CURVES, f"a curve view shows 1 to {MAX_CURVES} curves, not {len(curves)}")
    check(xs.ndim == 1 and 2 <= len(xs) <= MAX_POINTS, f"x must be 2 to {MAX_POINTS} numbers, not of shape {xs.shape}")
    check(bool((np.diff(xs) > 0).all()), "x must rise")
    check(not x.log or xs[0] > 0, f"x is logarithmic: it cannot begin at {xs[0]:g}")
    families = options.get("families", (Family(""),))
    measured = any(curve.xs is not None for curve in curves)
    for number, curve in enumerate(curves):
        shape, own = np.shape(curve.values), xs.shape if curve.xs is None else np.shape(curve.xs)
        check(shape == own, f"curve {number}: values of shape {shape} for x of shape {own}")
        check(measured == (curve.xs is not None), f"curve {number}: all curves have points of their own, or none has")
        check(0 <= curve.family < len(families), f"curve {number}: there is no family {curve.family}")
    size = options.get("size", "normal")
    check(size in get_args(Size), f"unknown size {size!r}")
    form = options.get("form")
    check(form in (None, *get_args(Form)), f"unknown form {form!r}")
    sloped = all("slope" in curve.facts for curve in curves)
    check(form is None or sloped, "a closed form needs the slope of every curve in its facts")
    values = [np.asarray(curve.values, dtype=np.float32) for curve in curves]
    points = [np.asarray(curve.xs, dtype=np.float32) if measured else xs for curve in curves]
    header: dict[str, Any] = dict.fromkeys(("labels", "mark", "readout", "form", "label", "locked"))
    further = options.pop("further", {})
    header |= {"filename": "curves", "markers": 0, "empty": "", **options, **further}
    header |= {"key": key, "alt": alt, "size": size}
    header |= {
        "x": _axis(x, "x"),
        "y": _axis(y, "y"),
        "xs": arrays.add(xs, "x"),
        "measured": measured,
        "points": arrays.add(np.concatenate(points), "x") if measured else None,
        "counts": [len(one) for one in values],
        "values": arrays.add(np.concatenate(values), "the curves"),
        "curves": [
            {"facts": dict(one.facts), "family": one.family, "bold": one.bold, "faint": one.faint} for one in curves
        ],
        "families": [_family(family) for family in families],
        "follows": [],
        "words": load("words").entries("picture") | load("words").entries("curve_view"),
    }
    return join(header, arrays)
