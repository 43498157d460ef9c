"""Streamlit without what this app adds to it: two pages, and a part that asks for a run after a loss if it is told to."""

import streamlit as st

from alibi_viz.ui.streamlit_patches import sessions


def first() -> None:
    """The page of a test."""
    st.title("First")
    if "asks" in st.query_params:
        asking()
    st.button("Again")


@sessions.ask_when_reconnected
def asking() -> None:
    """Nothing else."""


def second() -> None:
    """A page with an address of its own."""
    st.title("Second")


st.navigation([st.Page(first), st.Page(second)]).run()
