"""What lessons share that take a reader's text or file.

A file lies on the server for as long as the session lasts; the browser knows only its number. So a browser can name a file
that is not here: the server was started again, or has forgotten a page that slept.
"""

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.typing import UploadedFile

from alibi_viz.lessons import load

LONGEST = 20_000  # characters of a text


def example(name: str = "sentence") -> str:
    """A text to begin with, in the reader's language."""
    return load("shared").entry("examples", name)


def upload(
    label: str, *, key: str, types: Sequence[str] | None = None, on_change: Callable[[], None] | None = None
) -> UploadedFile | None:
    """Ask for a file; returns it. Where the one that the browser shows is not here any more, a sentence says so."""
    file = st.file_uploader(label, types, key=key, on_change=on_change)
    if file is None and st.session_state.get(key) is not None:
        st.caption(load("shared").label("upload_gone"))
    return file


def uploaded(key: str) -> UploadedFile | None:
    """For callbacks: the file of the upload with this key, if it is here."""
    file = st.session_state.get(key)
    return file if isinstance(file, UploadedFile) else None
