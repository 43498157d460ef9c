"""While presenting: the key T for the other theme, and a hint that names all keys, once."""

import streamlit as st

from alibi_viz.lessons import load
from alibi_viz.ui.components.keys import keys
from alibi_viz.ui.controls import frame, state
from alibi_viz.ui.shell.style import is_dark
from alibi_viz.ui.streamlit_patches import theme

_HINTED = "_keys_hinted"  # the page on which the hint was shown: there it fades, and it does not come again


def show() -> None:
    """Once a run of a page: its theme; while presenting, the key for the other one, and the hint."""
    theme.apply(state.read(frame.THEME))
    if not frame.presenting():
        return
    keys({"t": "theme", "T": "theme"}, lambda _: turn(), key="theme_keys")
    if st.session_state.setdefault(_HINTED, state.open_page_name()) == state.open_page_name():
        with st.container(key="keys_hint"):
            st.caption(load("words").label("keys"))


def turn() -> None:
    """Callback: the other theme."""
    state.assign({frame.THEME.key: "light" if is_dark() else "dark"})
