"""The playground: words and arcs, curves, chips, matrices and lines that one hand moves together.

Notable choices:
- The browser holds what the reader has chosen and draws every frame. It reports a choice when the hand lets go, with one
  request in flight; the number of the request comes back with PyTorch's numbers.
- What it reports is checked here, value by value; nothing else is believed.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st

from alibi_viz.pictures.playground.message import Chosen, Line, Message, pack
from alibi_viz.ui.components.mount import mount

__all__ = ["Chosen", "Line", "Message", "playground", "reported", "sequence"]

_COMPONENT = mount("playground", "playground/view.js", "playground/view.css")
_SEQUENCE = "_playground_sequence"


def sequence() -> int:
    """The number of the reader's last choice."""
    return int(st.session_state.get(_SEQUENCE, 0))


def reported(key: str) -> dict[str, Any]:
    """For the callback: what the browser says was chosen, unchecked."""
    report = (st.session_state.get(key) or {}).get("choice")
    if not isinstance(report, dict):
        return {}
    count = report.get("sequence")
    if type(count) is int and 0 <= count < 2**53:
        st.session_state[_SEQUENCE] = count
    return report


def playground(message: Message, *, on_choice: Callable[[], None]) -> None:
    """Draw it. Raises ValueError with a sentence when it cannot be shown."""
    _COMPONENT(key=message.key, data=pack(message), on_choice_change=on_choice)
