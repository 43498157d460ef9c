"""The matrix view: small multiples of matrices with one shared cursor, drawn on canvases in the browser.

Notable choices:

- Streamlit components v2 with plain JavaScript and no build step: core.js (arithmetic, no page), draw.js (canvas),
  parts.js (elements, export), view.js (state, preview) and input.js (pointer, keys, readout), joined here into one.
- The message is raw bytes (message.py); colour is mapped in the browser with the tables of figures.colormaps.
- While a drag slider of the same `channel` moves, the browser previews the numbers itself. Python's numbers replace the
  preview when they arrive, and the badge says by how much the two differed.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from alibi_viz.charts.colormaps import THEMES, lut
from alibi_viz.ui.components.matrix_view.message import WORDS, Axis, Mark, Model, Panel, Readout, pack

__all__ = ["WORDS", "Axis", "Event", "Mark", "Model", "Panel", "Readout", "javascript", "matrix_view", "pack"]

_HERE = Path(__file__).parent
_SOURCES = ("core.js", "draw.js", "parts.js", "view.js", "input.js")
_LUT_PLACEHOLDER = "/*COLOUR TABLES*/ {}"
NAME = "alibi_viz_matrix_view"


@dataclass(frozen=True)
class Event:
    """What the reader did: the locked cell and the picked panel persist, a zoom lasts for one run.

    `zoom` is (row token, column token, factor): above 1 in, below 1 out, 0 the whole matrix.
    """

    cell: tuple[int, int] | None = None
    picked: int | None = None
    zoom: tuple[int, int, float] | None = None


@cache
def javascript() -> str:
    """The component's module: the source files joined, the colour tables put in, comment lines left out.

    Streamlit sends the module with every message, so what the browser does not need stays here.
    """
    tables = {
        f"{quantity}-{theme}": base64.b64encode(lut(quantity, theme).tobytes()).decode()
        for quantity in ("content", "bias", "weight")
        for theme in THEMES
    }
    joined = "\n".join((_HERE / name).read_text(encoding="utf-8") for name in _SOURCES)
    if _LUT_PLACEHOLDER not in joined:
        raise RuntimeError("core.js has lost the place of its colour tables")
    joined = joined.replace(_LUT_PLACEHOLDER, json.dumps(tables))
    joined = re.sub(r"^\s*/\*\*.*?\*/[ \t]*\n", "", joined, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"^\s*(//.*)?\n", "", joined, flags=re.MULTILINE)


def _mount() -> Callable[..., Any]:
    """Register the component; a repeated registration with the same sources changes nothing."""
    css = (_HERE / "view.css").read_text(encoding="utf-8")
    component: Callable[..., Any] = st.components.v2.component(NAME, js=javascript(), css=css)
    return component


_COMPONENT = _mount()


def _nothing() -> None:
    """A callback must be named for a state or trigger to be reported."""


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _cell(value: object) -> tuple[int, int] | None:
    """A cell as the browser told it, or None when it is anything else: the browser is not trusted."""
    if isinstance(value, list | tuple) and len(value) == 2:
        row, col = _whole(value[0]), _whole(value[1])
        if row is not None and col is not None and row >= 0 and col >= 0:
            return row, col
    return None


def _locked(key: str, cursor: tuple[int, int] | None, told: object) -> tuple[int, int] | None:
    """The locked cell: the page's `cursor` from the run it changed in, until the browser says something new.

    The browser tells [row, column, when] or [when], so that locking the same cell again is something new.
    """
    memory = f"{key}__cursor"
    if memory not in st.session_state or st.session_state[memory][0] != cursor:
        st.session_state[memory] = (cursor, told)
    if cursor is not None and told == st.session_state[memory][1]:
        return cursor
    return _cell(told[:2]) if isinstance(told, list | tuple) and len(told) == 3 else None


def _zoom(value: object) -> tuple[int, int, float] | None:
    if not isinstance(value, list | tuple) or len(value) != 3:
        return None
    cell, factor = _cell(value[:2]), value[2]
    if cell is None or isinstance(factor, bool) or not isinstance(factor, int | float):
        return None
    return (*cell, float(factor)) if 0 <= factor <= 64 else None


def _inside(cell: tuple[int, int] | None, rows: Axis, cols: Axis, shape: tuple[int, ...]) -> bool:
    """Whether a cell still lies in the matrix on the screen: text gets shorter, windows move."""
    if cell is None:
        return False
    pairs = zip(cell, (rows, cols), shape, strict=True)
    return all(axis.start <= at < axis.start + count * axis.step for at, axis, count in pairs)


def matrix_view(
    panels: Sequence[Panel],
    *,
    key: str,
    rows: Axis | None = None,
    cols: Axis | None = None,
    models: Sequence[Model] = (),
    marks: Sequence[Mark] = (),
    readout: Readout | None = None,
    channel: str | None = None,
    value: float | None = None,
    param: Literal["strength", "slope"] = "strength",
    mode: Literal["cells", "pick"] = "cells",
    zoomable: bool = False,
    cursor: tuple[int, int] | None = None,
    picked: int | None = None,
    filename: str = "matrix",
    words: Mapping[str, str] | None = None,
    on_change: Callable[[], None] | None = None,
) -> Event:
    """Draw the panels and return what the reader did in them.

    `channel` is the preview channel of a drag slider and `value` its value that these numbers belong to. `cursor` is a
    cell locked from outside (a link, a "try this" button); it is obeyed when it changes. Raises ValueError when the
    message would be too large or holds NaN.
    """
    rows, cols = rows or Axis(name="query"), cols or Axis(name="key")
    message = pack(
        panels,
        key=key,
        rows=rows,
        cols=cols,
        models=models,
        marks=marks,
        readout=readout,
        channel=channel,
        value=value,
        param=param,
        mode=mode,
        zoomable=zoomable,
        cursor=cursor,
        picked=picked,
        filename=filename,
        words=words,
    )
    callback = on_change or _nothing
    result = _COMPONENT(
        key=key,
        data=message,
        on_cell_change=callback,
        on_picked_change=callback,
        on_zoom_change=callback,
    )
    cell = _locked(key, cursor, result.get("cell"))
    chosen = _whole(result.get("picked"))
    return Event(
        cell=cell if _inside(cell, rows, cols, panels[0].values.shape) else None,
        picked=chosen if chosen is not None and 0 <= chosen < len(panels) else None,
        zoom=_zoom(result.get("zoom")),
    )
