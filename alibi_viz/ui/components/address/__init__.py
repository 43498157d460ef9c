"""The address line: the page's controls as a query string, written in place.

Why not Streamlit's own binding of widgets to the URL (tried first): every change that code makes, and so every step of
a drag, becomes an entry of the browser's history; an infinite number in the URL ends the run with an exception; and a
value out of range is replaced without a word. This component writes with `history.replaceState`, so Back leads to the
page before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st

_JS = (Path(__file__).parent / "address.js").read_text(encoding="utf-8")
_COMPONENT: Callable[..., Any] = st.components.v2.component("alibi_viz_address", js=_JS)


def write(page: str, values: Mapping[str, str]) -> None:
    """Show these values in the address line of the page at `page` ("" for the first page)."""
    _COMPONENT(key="address", data={"page": page, "query": urlencode(values)})
