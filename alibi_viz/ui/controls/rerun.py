"""Figures that follow the hand, and pages that follow when the hand lets go.

A slider that reports while it is dragged starts many runs. Only the figure under the hand is worth one each time, so it
stands with its slider in a fragment; a chart or a text elsewhere would cost more than the picture. When the slider is
let go (or a number is typed, a cell locked, a head picked) the whole page runs once. Use:

    @st.fragment
    def figure(): widgets.drag(...); draw(...); rerun.if_requested()
"""

from collections.abc import Mapping

import streamlit as st

FULL_RERUN = "_full_rerun"
_SHOWN = "_shown"  # the values that the whole page shows


def request() -> None:
    """Ask for a run of the whole page after this fragment. For callbacks."""
    st.session_state[FULL_RERUN] = True


def clear() -> None:
    """Called when a run of the whole page begins."""
    st.session_state.pop(FULL_RERUN, None)
    st.session_state.pop(_SHOWN, None)


def request_if_changed(values: Mapping[str, object]) -> None:
    """In a fragment, for controls without a callback: ask for a run of the whole page if it shows other values."""
    if st.session_state.setdefault(_SHOWN, dict(values)) != values:
        request()


def if_requested() -> None:
    """Last in a fragment: run the whole page if a callback has asked for it."""
    if st.session_state.pop(FULL_RERUN, False):
        st.rerun()
