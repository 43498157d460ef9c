"""Registering a component with Streamlit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from alibi_viz.ui.components import modules

PREFIX = "alibi_viz_"  # of what Streamlit calls our components
SOURCES: dict[str, tuple[str | Path, tuple[str | Path, ...]]] = {}  # component -> its module and its style sheets


def mount(name: str, module: str | Path, *css: str | Path) -> Callable[..., Any]:
    """The component of a JavaScript module and its style sheets (Streamlit's version 2): see alibi_viz.pictures.

    A repeated registration with the same sources changes nothing. An exported file takes the same sources.
    """
    SOURCES[name] = (module, css)
    component: Callable[..., Any] = st.components.v2.component(PREFIX + name, js=modules.source(module, *css))
    return component
