"""What the pictures on canvases share (the matrix view, the curve view), in Python and in the browser.

Notable choices:
- message.py packs what is shown; core.js unpacks it. parts.js has the theme, the bar with its tools, the exported picture.
- view.js is the base class of a view. It follows a dragged slider: while it moves the browser computes the numbers itself,
  Python's replace them when they come, and the badge says by how much the two differed.
"""

from pathlib import Path

import streamlit as st

_HERE = Path(__file__).parent
SOURCES = tuple(_HERE / name for name in ("core.js", "parts.js", "view.js"))  # in front of a view's own
STYLE = _HERE / "picture.css"
_MOST = 2**53  # the largest whole number that JavaScript counts to


def reported(key: str, name: str, count: int) -> list[float] | None:
    """The numbers that the browser reported of the view `key`: exactly `count`, none negative; else None."""
    report = (st.session_state.get(key) or {}).get(name)
    if not isinstance(report, list | tuple) or len(report) != count:
        return None
    return list(report) if all(type(x) in (int, float) and 0 <= x < _MOST for x in report) else None
