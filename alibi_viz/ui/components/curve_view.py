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
__all__ += ["STYLES", "curve_view", "pack"]

STYLES = ("picture.css", "curve_view/view.css")  # also of the sketch
_COMPONENT = mount("curve_view", "curve_view/entry.js", *STYLES)


def curve_view(
    xs: Array, curves: list[Curve], *, key: str, x: Axis, y: Axis, alt: str, **options: Unpack[Options]
) -> None:
    """Draw the curves over xs [points]. alt: what the picture shows, in words, for screen readers.

    Raises ValueError when lengths do not match, and for NaN.
    """
    reports: dict[str, Any] = {}
    options["follows"] = answered(options.get("follows", ()))
    if x.whole and options.get("size") == "stage":
        options["locked"] = locked.within(range(len(curves)), range(math.ceil(x.low), math.floor(x.high) + 1)) or ()
        reports["on_cell_change"] = lambda: locked.keep(reported(key, "cell", 2))
    _COMPONENT(key=key, data=pack(xs, curves, x, y, key=key, alt=alt, **options), **reports)
