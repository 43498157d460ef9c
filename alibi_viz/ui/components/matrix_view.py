"""The matrix view: small multiples of matrices with one shared cursor, drawn on canvases in the browser.

Notable choices:
- Streamlit components v2 with plain JavaScript and no build step (alibi_viz.pictures): core.js, preview.js and colour.js
  (arithmetic, no page), draw.js (canvas), parts.js (elements), view.js (state) and input.js (pointer, keys, readout).
- The message is raw bytes (message.py); colour is mapped in the browser with the tables of charts.colormaps.
- While a drag slider that the message names (Strength, Heads, Length) moves, the browser previews the numbers itself
  (picture.js).
- A locked cell is kept in the address (controls/locked.py). Which panel was chosen is asked for by the view's key
  (`picked`), also in callbacks. The browser is not trusted: everything it reports is checked here.
"""

from collections.abc import Callable, Sequence
from typing import Unpack

import numpy as np

from alibi_viz.pictures.matrix_view import message
from alibi_viz.pictures.matrix_view.message import (
    Axis,
    Colours,
    Heads,
    Length,
    Mark,
    Model,
    Options,
    Panel,
    Readout,
    Strength,
    pack,
)
from alibi_viz.ui.components.drag_slider import answered
from alibi_viz.ui.components.mount import mount, reported
from alibi_viz.ui.controls import locked

__all__ = ["Axis", "Colours", "Heads", "Length", "Mark", "Model", "Panel", "Readout", "Strength"]
__all__ += ["matrix_view", "pack", "picked"]

_COMPONENT = mount("matrix_view", "matrix_view/entry.js", "picture.css", "matrix_view/view.css")


def picked(key: str) -> int | None:
    """The panel that the reader has chosen, counted from 0, or None."""
    report = reported(key, "picked", 1)
    return int(report[0]) if report and report[0] < message.MAX_PANELS else None


def matrix_view(
    panels: Sequence[Panel],
    *,
    key: str,
    on_change: Callable[[], None] | None = None,
    keep_cell: bool | None = None,
    **options: Unpack[Options],
) -> None:
    """Draw the panels, all of one shape and size. Raises ValueError when the message would be too large or holds NaN.

    on_change: called when the reader chooses a panel or asks for a zoom. keep_cell: whether the locked cell stands in the
    address; None: that of a stage does, since there is one.
    """
    callback = on_change or (lambda: None)  # named for each: what has no callback is not reported
    reports = dict.fromkeys(("on_picked_change", "on_zoom_change"), callback)
    options["follows"] = answered(options.get("follows", ()))
    if options.get("size") == "stage" if keep_cell is None else keep_cell:
        spans = (options.get("rows", Axis()), options.get("cols", Axis()))
        counts = zip(spans, np.shape(panels[0].values), strict=True)
        inside = (range(axis.start, axis.start + axis.step * count) for axis, count in counts)
        options["locked"] = locked.within(*inside) or ()
        reports["on_cell_change"] = lambda: locked.keep(reported(key, "cell", 2))
    _COMPONENT(key=key, data=pack(panels, key=key, **options), **reports)
