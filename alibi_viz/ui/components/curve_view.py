"""The curve view: curves over one axis, drawn on a canvas in the browser, with a cursor that reads them.

Notable choices:
- Its JavaScript (alibi_viz.pictures): core.js (axes, values; no page), draw.js (canvas) and view.js.
- The cursor is the browser’s own.
"""

from typing import Unpack

from alibi_viz.pictures.curve_view.message import Axis, Curve, Family, Mark, Options, Readout, pack
from alibi_viz.pictures.message import Array
from alibi_viz.ui.components.mount import mount

__all__ = ["Curve", "Family", "Mark", "Readout", "curve_view"]

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
    _COMPONENT(key=key, data=pack(xs, curves, x, y, key=key, alt=alt, **options))
