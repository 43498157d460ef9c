"""What stands below the menu: the device, and one line about the numbers."""

from functools import cache

import streamlit as st
import torch

from alibi_viz import device
from alibi_viz.lessons import languages, load

_KEY = "device"


def show() -> None:
    """Show the device; let the reader choose when there is a choice."""
    words, labels = load("words"), {option.name: languages.sentence(option.label) for option in _devices()}
    title = words.label("device")
    with st.sidebar:
        about = [words.label("about")]
        if len(labels) > 1:
            st.selectbox(title, list(labels), format_func=lambda name: labels[name], key=_KEY, persist_state="session")
        else:
            about.insert(0, f"{title}: {next(iter(labels.values()))}")
        st.caption("\n\n".join(about))


def chosen_device() -> str:
    """The name of the device that computes, for `tensor.to(...)`. Checked: a session can hold anything."""
    names = [option.name for option in _devices()]
    chosen = st.session_state.get(_KEY)
    return chosen if chosen in names else names[0]


@cache
def _devices() -> list[device.Device]:
    torch.set_num_threads(1)  # why: alibi_viz/device.py
    return device.available()
