"""The numbers that the page's sentences had in this run, for what is taken away from it."""

import streamlit as st

from alibi_viz.lessons import named

_FACTS = "_facts"


def forget() -> None:
    """Called when a run of a page begins."""
    st.session_state[_FACTS] = {}


def record(facts: object) -> None:
    """What a sentence that is shown is filled from."""
    st.session_state.setdefault(_FACTS, {}).update(named(facts))


def known() -> dict[str, object]:
    return dict(st.session_state.get(_FACTS, {}))
