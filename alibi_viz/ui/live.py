"""Figures that follow the hand, and pages that follow when the hand lets go.

A slider that reports while it is dragged starts many runs. Only the figure under the hand is worth one each time, so it
stands with its slider in a fragment; a chart or a text elsewhere would cost more than the picture. When the slider is
let go (or a number is typed, a cell locked, a head picked) the whole page runs once. Use:

    @st.fragment
    def figure(): controls.drag(...); draw(...); live.finish()
"""

from __future__ import annotations

import streamlit as st

_LET_GO = "_let_go"


def touch() -> None:
    """The whole page is to follow. For callbacks."""
    st.session_state[_LET_GO] = True


def begin() -> None:
    """A whole run begins: nothing is left to follow."""
    st.session_state.pop(_LET_GO, None)


def finish() -> None:
    """Last in a fragment: run the whole page if the hand has let go."""
    if st.session_state.pop(_LET_GO, False):
        st.rerun()
