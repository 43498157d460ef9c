"""The numbers that the page's sentences had in this run, for what is taken away from it."""

from collections.abc import Mapping

import streamlit as st

_FACTS = "_facts"


def forget() -> None:
    """Called when a run of a page begins."""
    st.session_state[_FACTS] = {}


def tell(numbers: Mapping[str, object]) -> None:
    """Numbers of a sentence that is shown."""
    st.session_state.setdefault(_FACTS, {}).update(numbers)


def known() -> dict[str, object]:
    return dict(st.session_state.get(_FACTS, {}))
