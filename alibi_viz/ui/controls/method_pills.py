"""Pills that choose position methods. In the address line they are the methods' keys with commas between: a link is
short and needs no translation."""

from collections.abc import Iterable, Sequence

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.positions import METHODS
from alibi_viz.typed import printable
from alibi_viz.ui.controls import state
from alibi_viz.ui.controls.params import Param

TITLES = {key: method.title for key, method in METHODS.items()}
NAMES = {title: key for key, title in TITLES.items()}
Methods = tuple[str, ...]  # keys


def titles(methods: Iterable[str]) -> str:
    """Names of methods as a list in a sentence."""
    return ", ".join(TITLES[method] for method in methods)


def read(param: Param, options: Sequence[str] = tuple(METHODS)) -> tuple[Methods, Methods]:
    """The chosen methods in the order of `options`, and what was asked for that is none of them. param: a text."""
    asked = [key.strip() for key in state.read(param).split(",") if key.strip()]
    return tuple(key for key in options if key in asked), tuple(key for key in asked if key not in options)


def unknown(param: Param, options: Sequence[str]) -> str:
    """What was asked for that is none of the options, as it may be shown back."""
    return printable(", ".join(read(param, options)[1]))


def method_pills(param: Param, lesson: Lesson, options: Sequence[str] = tuple(METHODS)) -> tuple[Methods, Methods]:
    """The pills; returns what `read` does. The lesson names the control, and explains it under "help"."""
    state.use(param)
    state.fit(param)
    pills = f"{param.key}_pills"
    st.session_state[pills] = [TITLES[key] for key in read(param, options)[0]]

    def follow() -> None:
        st.session_state[param.key] = ",".join(NAMES[title] for title in st.session_state[pills])

    names, help_text = [TITLES[key] for key in options], lesson.entries("help").get(param.key)
    st.pills(lesson.label(param.key), names, selection_mode="multi", key=pills, help=help_text, on_change=follow)
    return read(param, options)
