"""Registering a component: its JavaScript and its style, read once from its folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st


def mount(name: str, folder: Path, js: str, css: str | None = None) -> Callable[..., Any]:
    """A Streamlit component (version 2). js: the module's text; css: a file of the folder.

    A repeated registration with the same sources changes nothing.
    """
    style = (folder / css).read_text(encoding="utf-8") if css else None
    component: Callable[..., Any] = st.components.v2.component(f"alibi_viz_{name}", js=js, css=style)
    return component
