"""The words of a text, to be put into another order: dragged, or stepped with the arrow keys."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from alibi_viz.lessons import load
from alibi_viz.ui.components.mount import mount

_HERE = Path(__file__).parent
_COMPONENT = mount("words", _HERE / "words.js", _HERE / "words.css")


def words(texts: Sequence[str], on_order: Callable[[list[str]], None], *, key: str, label: str) -> None:
    """Draw the words in their order; `on_order` is called with the words as the reader has put them.

    label: what they are, for screen readers.
    """

    def follow() -> None:
        report: Any = (st.session_state.get(key) or {}).get("order")
        if isinstance(report, list | tuple) and sorted(map(str, report)) == sorted(map(str, range(len(texts)))):
            on_order([texts[int(at)] for at in report])

    data = {"words": list(texts), "label": label, "hint": load("words").label("reorder")}
    _COMPONENT(key=key, data=data, on_order_change=follow)
