"""Registering a component: its JavaScript and its style, read once from its folder."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

_SHARED = Path(__file__).parent / "shared"


def _joined(folder: Path, names: tuple[str | Path, ...], kind: str) -> str:
    paths = (_SHARED.with_suffix(kind), *(folder / name for name in names))  # an absolute path stays what it is
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def javascript(folder: Path, *names: str | Path) -> str:
    """One module: shared.js and the named files, without comment lines: Streamlit sends it with every message."""
    return re.sub(r"^\s*(//.*|/\*\*.*\*/)?\n", "", _joined(folder, names, ".js"), flags=re.MULTILINE)


def mount(folder: Path, js: str, *css: str | Path) -> Callable[..., Any]:
    """The component in `folder` (Streamlit's version 2). js: its module; css: files of the folder, after shared.css.

    A repeated registration with the same sources changes nothing.
    """
    style = _joined(folder, css, ".css") if css else None
    component: Callable[..., Any] = st.components.v2.component(f"alibi_viz_{folder.name}", js=js, css=style)
    return component
