"""The sidebar that all pages share: which device computes, and one line about the numbers."""

import streamlit as st

from alibi_viz import device
from alibi_viz.lessons import load

_KEY = "device"


def show() -> None:
    """Show the device; let the reader choose when there is a choice."""
    words = load("words")
    found = {one.name: one for one in _devices()}
    with st.sidebar:
        if len(found) > 1:
            st.selectbox(
                words.label("device"),
                options=list(found),
                format_func=lambda name: found[name].label,
                key=_KEY,
                persist_state="session",
            )
        else:
            st.caption(f"{words.label('device')}: {next(iter(found.values())).label}")
        st.caption(words.label("about"))


def chosen_device() -> str:
    """The name of the device that computes, for `tensor.to(...)`. Checked: a session can hold anything."""
    names = [one.name for one in _devices()]
    chosen = st.session_state.get(_KEY)
    return chosen if chosen in names else names[0]


@st.cache_resource(max_entries=1)
def _devices() -> list[device.Device]:
    device.set_threads()
    return device.available()
