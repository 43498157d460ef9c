"""The numbers that the page's sentences had in this run, and the note beside its picture: for what is taken away."""

import streamlit as st

from alibi_viz.lessons import named

_FACTS, _NOTE, _QUESTION = "_facts", "_note", "_question"


def forget() -> None:
    """Called when a run of a page begins."""
    st.session_state[_FACTS] = {}
    st.session_state[_NOTE] = st.session_state[_QUESTION] = ""


def keep_note(text: str) -> None:
    """What stands beside the picture."""
    st.session_state[_NOTE] = text


def note() -> str:
    return str(st.session_state.get(_NOTE, ""))


def keep_question(text: str) -> None:
    """What stands above the picture, where a page has several."""
    st.session_state[_QUESTION] = text


def question() -> str:
    return str(st.session_state.get(_QUESTION, ""))


def record(facts: object) -> None:
    """What a sentence that is shown is filled from."""
    st.session_state.setdefault(_FACTS, {}).update(named(facts))


def known() -> dict[str, object]:
    return dict(st.session_state.get(_FACTS, {}))
