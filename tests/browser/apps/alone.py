"""Streamlit without what this app adds to it: two pages, and a part that asks for a run after a loss, or runs by itself, if
it is told to."""

import time

import streamlit as st

from alibi_viz.ui.streamlit_patches import sessions


def first() -> None:
    """The page of a test."""
    st.title("First")
    if "asks" in st.query_params:
        asking()
    if "runs" in st.query_params:
        st.fragment(asking, run_every=0.3)()
    st.button("Again")


@sessions.ask_when_reconnected
def asking() -> None:
    """Nothing else."""


def second() -> None:
    """A page with an address of its own, that takes a while."""
    time.sleep(0.3)
    st.title("Second")


st.navigation([st.Page(first), st.Page(second)]).run()
