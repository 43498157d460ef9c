"""The curve view: curves over one axis, drawn on a canvas in the browser, with a cursor that reads them.

Notable choices:
- Its JavaScript (alibi_viz.pictures): core.js (axes, values; no page), draw.js (canvas) and view.js.
- The cursor is the browser's own; where it is locked is kept in the address (controls/locked.py), if x is whole.
"""

import math
from typing import Any, Unpack

from alibi_viz.pictures.curve_view.message import (
    Axis,
    Curve,
    Family,
    Labels,
    Mark,
    Options,
    Readout,
    pack,
)
from alibi_viz.pictures.message import Array
from alibi_viz.ui.components.mount import mount, reported
from alibi_viz.ui.controls import locked

__all__ = ["Axis", "Curve", "Family", "Labels", "Mark", "Readout"]
__all__ += ["curve_view", "pack"]

_COMPONENT = mount("curve_view", "curve_view/entry.js", "picture.css", "curve_view/view.css")


def curve_view(
    xs: Array,
    curves: list[Curve],
    *,
    key: str,
    x: Axis,
    y: Axis,
    alt: str,
    **options: Unpack[Options],
) -> None:
    """Draw the curves over xs [points]. alt: what the picture shows, in words, for screen readers.

    Raises ValueError when lengths do not match, and for NaN.
    """
    reports: dict[str, Any] = {}
    if x.whole and options.get("size") == "stage":
        options["locked"] = locked.within(range(len(curves)), range(math.ceil(x.low), math.floor(x.high) + 1)) or ()
        reports["on_cell_change"] = lambda: locked.keep(reported(key, "cell", 2))
    _COMPONENT(key=key, data=pack(xs, curves, x, y, key=key, alt=alt, **options), **reports)
