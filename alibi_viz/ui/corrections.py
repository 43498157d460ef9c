"""What a page has corrected in the link that opened it, above the stage."""

from collections.abc import Iterable

import streamlit as st

from alibi_viz.lessons import load
from alibi_viz.typed import printable
from alibi_viz.ui import classroom


def say(sentences: Iterable[str]) -> None:
    """These sentences, and one about a lost room, all in one box: the stage stays in sight (style.css)."""
    if notes := dict.fromkeys([*sentences, *_room()]):
        with st.container(key="notes"):
            st.info("  \n".join(notes), icon=":material/info:")


def _room() -> list[str]:
    """A sentence about a room that the link names, and that has ended, never was, or is full."""
    name, code = classroom.trouble()
    return [load("words").entry("problems", name, given=printable(code))] if name else []
