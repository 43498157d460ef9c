"""The sketch: a curve that the reader draws, with the pointer or with arrow keys, before the measured one is shown.

Notable choices:
- It is a curve view with one curve, whose points move up and down (sketch.js); its first point is given.
- The browser keeps the drawing and tells Python when the hand rests. Python checks it: as many numbers as points, each
  within the axis.
"""

import math
from collections.abc import Sequence
from typing import Unpack

import numpy as np
import streamlit as st

from alibi_viz.pictures.curve_view.message import Axis, Curve, Options, pack
from alibi_viz.pictures.message import Array
from alibi_viz.ui.components.curve_view import STYLES
from alibi_viz.ui.components.mount import mount

_COMPONENT = mount("sketch", "sketch/sketch.js", *STYLES, "sketch/sketch.css")


def sketch(
    xs: Array, start: float, *, key: str, x: Axis, y: Axis, alt: str, **options: Unpack[Options]
) -> tuple[float, ...] | None:
    """Let the reader draw a curve over xs [points] that begins at `start`; returns its values, None before any is drawn."""
    now = drawn(key, len(xs), start, y)
    values = np.full(len(xs), start) if now is None else np.array(now)
    data = pack(xs, [Curve(values)], x, y, key=key, alt=alt, **options)
    _COMPONENT(key=key, data=data, on_drawn_change=lambda: None)
    return now


def drawn(key: str, points: int, start: float, y: Axis) -> tuple[float, ...] | None:
    """What the browser says was drawn, checked; None where nothing was, or nothing that could have been."""
    report = (st.session_state.get(key) or {}).get("drawn")
    if not isinstance(report, Sequence) or len(report) != points:
        return None
    if not all(type(value) in (int, float) and math.isfinite(value) for value in report):
        return None
    return (start, *(min(max(float(value), y.low), y.high) for value in report[1:]))
