"""Registering a component with Streamlit, and checking what the browser reports of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from alibi_viz import pictures

_MOST = 2**53  # the largest whole number that JavaScript counts to


def mount(name: str, module: str | Path, *css: str | Path) -> Callable[..., Any]:
    """The component of a JavaScript module and its style sheets (Streamlit's version 2): see alibi_viz.pictures.

    A repeated registration with the same sources changes nothing.
    """
    js, style = pictures.javascript(module), pictures.style(*css) if css else None
    component: Callable[..., Any] = st.components.v2.component(f"alibi_viz_{name}", js=js, css=style)
    return component


def reported(key: str, name: str, count: int) -> list[float] | None:
    """The numbers that the browser reported of the view `key`: exactly `count`, none negative; else None."""
    report = (st.session_state.get(key) or {}).get(name)
    if not isinstance(report, list | tuple) or len(report) != count:
        return None
    return list(report) if all(type(x) in (int, float) and 0 <= x < _MOST for x in report) else None
