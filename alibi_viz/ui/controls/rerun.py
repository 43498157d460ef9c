"""Figures that follow the hand, and pages that follow when the hand lets go.

A slider that reports while it is dragged starts many runs. Only the figure under the hand is worth one each time, so it
stands with its slider in a fragment; a chart or a text elsewhere would cost more than the picture. When the slider is
let go (or a number is typed, a cell locked, a head picked) the whole page runs once, the fragment with it: a run of the
fragment alone before it would do the same work twice. Use:

    @rerun.fragment
    def figure(): widgets.drag(...); draw(...)
"""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import ParamSpec, TypeVar

import streamlit as st

P = ParamSpec("P")
R = TypeVar("R")

FULL_RERUN = "_full_rerun"
_SHOWN = "_shown"  # the values that the whole page shows


def fragment(draw: Callable[P, R]) -> Callable[P, R]:
    """A part of a page that can run alone. It gives way to the whole page as soon as that has been asked for."""

    @wraps(draw)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        if_requested()  # by a callback
        drawn = draw(*args, **kwargs)
        if_requested()
        return drawn

    # Streamlit tells fragments apart by module, name and place. A page runs as the module `__main__`, and most pages call
    # this part `stage`: what a control of the page before still sends would run the next page's part a second time.
    run.__module__ = draw.__code__.co_filename
    return st.fragment(run)


def request() -> None:
    """Ask for a run of the whole page in place of this fragment's. For callbacks."""
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
    """In a fragment: run the whole page, if that has been asked for, and nothing more of the fragment."""
    if st.session_state.pop(FULL_RERUN, False):
        st.rerun()
