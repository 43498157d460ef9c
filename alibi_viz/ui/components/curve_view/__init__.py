"""The curve view: curves over one axis, drawn on a canvas in the browser, for pictures that follow a dragged slider.

Notable choices:
- Plotly draws some three pictures a second while a slider moves; this view draws one a frame. Where nothing is dragged,
  charts stay Plotly's.
- What pictures share (picture/) comes first, then core.js (closed forms, axes; no page), draw.js (canvas) and view.js.
- While a drag slider of the same `channel` moves, the browser computes the curves from the closed form that the message
  names (Decay, Penalty). The numbers of Python replace them (picture/view.js).
- The cursor is the browser's own: nothing that the reader points at is reported to Python.
"""

from pathlib import Path
from typing import Unpack

from alibi_viz.ui.components import mount, picture
from alibi_viz.ui.components.curve_view.message import (
    Axis,
    Curve,
    Decay,
    Family,
    Labels,
    Mark,
    Options,
    Penalty,
    Readout,
    pack,
)
from alibi_viz.ui.components.picture.message import Array

__all__ = ["Axis", "Curve", "Decay", "Family", "Labels", "Mark", "Penalty", "Readout"]
__all__ += ["curve_view", "javascript", "pack"]

_HERE = Path(__file__).parent


def javascript() -> str:
    """The component's module."""
    return mount.javascript(_HERE, *picture.SOURCES, "core.js", "draw.js", "view.js")


_COMPONENT = mount.mount(_HERE, javascript(), picture.STYLE, "view.css")


def curve_view(
    xs: Array, curves: list[Curve], *, key: str, x: Axis, y: Axis, alt: str, **options: Unpack[Options]
) -> None:
    """Draw the curves over xs [points]. alt: what the picture shows, in words, for screen readers.

    Raises ValueError when lengths do not match, and for NaN.
    """
    _COMPONENT(key=key, data=pack(xs, curves, x, y, key=key, alt=alt, **options))
