"""What a run of a page has said of its picture, for an exported file: the note beside it, and the question above it."""

import streamlit as st

_NOTE, _QUESTION = "_note", "_question"


def forget() -> None:
    """Called when a run of a page begins."""
    st.session_state[_NOTE] = st.session_state[_QUESTION] = ""


def keep_note(text: str) -> None:
    st.session_state[_NOTE] = text


def keep_question(text: str) -> None:
    """Where a page has several."""
    st.session_state[_QUESTION] = text


def note() -> str:
    return str(st.session_state.get(_NOTE, ""))


def question() -> str:
    return str(st.session_state.get(_QUESTION, ""))
