"""What the curve view shows, as dataclasses, and how they become one message of bytes (picture/message.py)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict, Unpack, get_args

import numpy as np

from alibi_viz.charts.palette import DARK, LIGHT, LOOKS
from alibi_viz.lessons import load
from alibi_viz.ui.components.picture.message import Array, Arrays, check, join

MAX_CURVES = 128
MAX_POINTS = 1024
VERSION = 1

Rule = Literal["paper", "plain", "blog"]
Quantity = Literal["slope", "exponent"]
Size = Literal["normal", "stage"]  # stage: as tall as the stage has room for


@dataclass(frozen=True)
class Axis:
    """One axis: a fixed range, and the values that have a tick. The cursor stands on whole numbers of a `whole` axis."""

    name: str
    low: float
    high: float
    ticks: tuple[float, ...]
    log: bool = False
    whole: bool = False


@dataclass(frozen=True)
class Family:
    """Curves that look alike. look: "accent", "second", or a method (a key of palette.LOOKS)."""

    name: str
    look: str = "accent"


@dataclass(frozen=True)
class Curve:
    """One curve: values [points] over the common x. facts: what templates can say of it, as {"head": 3, "slope": 0.125}."""

    values: Array
    facts: Mapping[str, float | str] = field(default_factory=dict)
    family: int = 0


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
class Decay:
    """y = e^(−m x), with the slope m of each curve's facts. The dragged value is the number of heads under `rule`.

    rule: a rule of positions.alibi; None where the slopes follow from no number of heads, and nothing is previewed.
    """

    rule: Rule | None = "paper"
    max_bias: float = 8.0
    value: Literal["heads"] = "heads"
    form: Literal["decay"] = "decay"


@dataclass(frozen=True)
class Penalty:
    """y = −m x, with the slope m of each curve's facts. The dragged value belongs to one curve: its m, or e of m = 2^−e."""

    dragged: int = 0
    value: Quantity = "slope"
    form: Literal["penalty"] = "penalty"


@dataclass(frozen=True)
class Readout:
    """Templates for the line under the picture: with a cursor and without one.

    Placeholders: {x} {y} {family}, and the facts of the curve. A slope is said as a fraction (1/8) where it is one.
    """

    curve: str
    empty: str


class Options(TypedDict, total=False):
    """What a curve view shows beside its curves; all of it may be left out."""

    families: Sequence[Family]  # a legend says them where the curves are of more than one
    labels: Labels
    mark: Mark
    readout: Readout  # without it, no line under the picture
    model: Decay | Penalty  # the closed form: for previews, and for exact numbers between the points
    channel: str | None  # the preview channel of a drag slider
    value: float  # the slider's value that the numbers belong to
    size: Size
    filename: str


def _axis(axis: Axis, what: str) -> Axis:
    check(axis.low < axis.high, f"the {what} axis must rise, not run from {axis.low} to {axis.high}")
    check(not axis.log or axis.low > 0, f"the {what} axis is logarithmic: it cannot begin at {axis.low}")
    return axis


def _colours(look: str) -> dict[str, str]:
    """A look in both themes, and its dash."""
    check(look in ("accent", "second", *LOOKS), f"unknown look {look!r}")
    if look in LOOKS:
        return {"light": LOOKS[look].light, "dark": LOOKS[look].dark, "dash": LOOKS[look].dash}
    return {"light": getattr(LIGHT, look), "dark": getattr(DARK, look), "dash": "solid"}


def _model(model: Decay | Penalty | None, curves: Sequence[Curve]) -> Decay | Penalty | None:
    if model is None:
        return None
    check(model.form in ("decay", "penalty"), f"unknown form {model.form!r}")
    check(all("slope" in curve.facts for curve in curves), "a closed form needs the slope of every curve in its facts")
    if isinstance(model, Decay):
        check(model.rule in (None, *get_args(Rule)), f"unknown rule {model.rule!r}")
        check(model.max_bias > 0, f"the largest exponent must be positive, not {model.max_bias}")
    else:
        check(model.value in get_args(Quantity), f"unknown value {model.value!r}")
        check(0 <= model.dragged < len(curves), f"there is no curve {model.dragged} to drag")
    return model


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
    for number, curve in enumerate(curves):
        shape = np.shape(curve.values)
        check(shape == xs.shape, f"curve {number}: values of shape {shape} for x of shape {xs.shape}")
        check(0 <= curve.family < len(families), f"curve {number}: there is no family {curve.family}")
    size = options.get("size", "normal")
    check(size in get_args(Size), f"unknown size {size!r}")
    values = np.stack([np.asarray(curve.values, dtype=np.float32) for curve in curves])
    header: dict[str, Any] = dict.fromkeys(("labels", "mark", "readout", "channel", "value"))
    header |= {"filename": "curves", **options, "version": VERSION, "key": key, "alt": alt, "size": size}
    header |= {
        "x": _axis(x, "x"),
        "y": _axis(y, "y"),
        "xs": arrays.add(xs, "x"),
        "values": arrays.add(values, "the curves"),
        "curves": [{"facts": dict(curve.facts), "family": curve.family} for curve in curves],
        "families": [{"name": family.name, **_colours(family.look)} for family in families],
        "model": _model(options.get("model"), curves),
        "words": load("words").entries("picture") | load("words").entries("curve_view"),
    }
    return join(header, arrays)
