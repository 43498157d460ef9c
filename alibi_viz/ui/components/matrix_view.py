"""The matrix view: small multiples of matrices with one shared cursor, drawn on canvases in the browser.

Notable choices:
- Streamlit components v2 with plain JavaScript and no build step (alibi_viz.pictures): core.js, preview.js and colour.js
  (arithmetic, no page), draw.js (canvas), parts.js (elements), view.js (state) and input.js (pointer, keys, readout).
- The message is raw bytes (message.py); colour is mapped in the browser with the tables of charts.colormaps.
- Under hands (components/hands.py) the browser previews the numbers itself while one of them moves.
- Which panel was chosen is asked for by the view's key (`picked`), also in callbacks. The browser is not trusted:
  everything it reports is checked here.
"""

from collections.abc import Callable, Sequence
from typing import Unpack

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
from alibi_viz.ui.components.mount import mount, reported

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
    **options: Unpack[Options],
) -> None:
    """Draw the panels, all of one shape and size. Raises ValueError when the message would be too large or holds NaN.

    on_change: called when the reader chooses a panel or asks for a zoom.
    """
    callback = on_change or (lambda: None)  # named for each: what has no callback is not reported
    reports = dict.fromkeys(("on_picked_change", "on_zoom_change"), callback)
    _COMPONENT(key=key, data=pack(panels, key=key, **options), **reports)
