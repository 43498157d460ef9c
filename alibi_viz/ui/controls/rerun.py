"""Figures that follow the hand, and pages that follow when the hand lets go.

A slider that reports while it is dragged starts many runs. Only the figure under the hand is worth one each time, so it
stands with its slider in a fragment; a chart or a text elsewhere would cost more than the picture. Streamlit tells
fragments of two pages apart by their names alone, so the function is called after its page. When the slider is
let go (or a number is typed, a cell locked, a head picked) the whole page runs once, in place of the fragment. Use:

    @st.fragment
    def bias_stage(): widgets.drag(...); draw(...)
"""

from collections.abc import Mapping
from typing import NoReturn

import streamlit as st

_SHOWN = "_shown"  # the values that the whole page shows


def request() -> NoReturn:
    """Run the whole page in place of this fragment. In a callback it is the last line: what follows it is not done."""
    st.rerun()


def clear() -> None:
    """Called when a run of the whole page begins."""
    st.session_state.pop(_SHOWN, None)


def request_if_changed(values: Mapping[str, object]) -> None:
    """In a fragment, for controls without a callback: run the whole page if it shows other values."""
    if st.session_state.setdefault(_SHOWN, dict(values)) != values:
        request()
