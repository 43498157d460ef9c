"""Registering a component with Streamlit, and what a page has drawn."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from alibi_viz.export import Part
from alibi_viz.ui.components import modules

_DRAWN = "_drawn"  # in the session: key -> what stands there


def mount(name: str, module: str | Path, *css: str | Path) -> Callable[..., Any]:
    """The component of a JavaScript module and its style sheets (Streamlit's version 2): see alibi_viz.pictures.

    A repeated registration with the same sources changes nothing. What a page draws is kept, for an exported file.
    """
    component: Callable[..., Any] = st.components.v2.component(f"alibi_viz_{name}", js=modules.source(module, *css))

    def draw(*, key: str, data: Any = None, **reports: Any) -> Any:
        keep(key, Part(name, module, css, data))
        return component(key=key, data=data, **reports)

    return draw


def keep(key: str, part: Part | Callable[[], Part]) -> None:
    """What stands for an element in an exported file; a function makes it when a file is asked for."""
    st.session_state.setdefault(_DRAWN, {})[key] = part


def forget() -> None:
    """A run of a whole page begins: what it has drawn before does not count."""
    st.session_state[_DRAWN] = {}


def drawn() -> list[Part]:
    """What the page has drawn last."""
    return [part if isinstance(part, Part) else part() for part in st.session_state.get(_DRAWN, {}).values()]
