"""The curve view: curves over one axis, drawn on a canvas in the browser, for pictures that follow a dragged slider.

Notable choices:
- Plotly draws some three pictures a second while a slider moves; this view draws one a frame. Where nothing is dragged,
  charts stay Plotly's.
- Its JavaScript (alibi_viz.pictures): core.js (closed forms, axes; no page), draw.js (canvas) and view.js.
- While a drag slider that the message names (Heads, Slope) moves, the browser computes the curves from the closed form.
  The numbers of Python replace them (picture.js).
- The cursor is the browser's own; where it is locked is kept in the address (controls/locked.py), if x is whole.
"""

import math
from collections.abc import Callable
from typing import Any, Unpack

from alibi_viz.pictures.curve_view.message import (
    Axis,
    Curve,
    Family,
    Heads,
    Labels,
    Mark,
    Options,
    Readout,
    Slope,
    pack,
)
from alibi_viz.pictures.message import Array
from alibi_viz.ui.components.drag_slider import answered
from alibi_viz.ui.components.mount import mount, reported
from alibi_viz.ui.controls import locked

__all__ = ["Axis", "Curve", "Family", "Heads", "Labels", "Mark", "Readout", "Slope"]
__all__ += ["curve_view", "pack"]

GENTLEST, STEEPEST = 1 / 1024, 2.0  # slopes that a hand can set: those of pictures/grip.js
_COMPONENT = mount("curve_view", "curve_view/entry.js", "picture.css", "curve_view/view.css")


def curve_view(
    xs: Array,
    curves: list[Curve],
    *,
    key: str,
    x: Axis,
    y: Axis,
    alt: str,
    on_slope: Callable[[int, float], None] | None = None,
    **options: Unpack[Options],
) -> None:
    """Draw the curves over xs [points]. alt: what the picture shows, in words, for screen readers.

    on_slope: the callback for a curve (its number) that the reader's hand has bent to a slope; see the option `hand`.

    Raises ValueError when lengths do not match, and for NaN.
    """
    reports: dict[str, Any] = {}
    options["follows"] = answered(options.get("follows", ()))
    if x.whole and options.get("size") == "stage":
        options["locked"] = locked.within(range(len(curves)), range(math.ceil(x.low), math.floor(x.high) + 1)) or ()
        reports["on_cell_change"] = lambda: locked.keep(reported(key, "cell", 2))
    if on_slope and (hand := options.get("hand")):
        reports["on_slope_change"] = lambda: _bent(key, len(hand), on_slope)
    _COMPONENT(key=key, data=pack(xs, curves, x, y, key=key, alt=alt, **options), **reports)


def _bent(key: str, curves: int, on_slope: Callable[[int, float], None]) -> None:
    """Pass on what the browser reports, checked: a curve that may be bent, and a slope that a hand can set."""
    curve, slope = reported(key, "slope", 2) or (-1, 0.0)
    if curve in range(curves) and GENTLEST <= slope <= STEEPEST:
        on_slope(int(curve), float(slope))
