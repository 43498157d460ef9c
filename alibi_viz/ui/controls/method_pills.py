"""Pills that choose position methods. In the address line they are the methods' keys with commas between: a link is
short and needs no translation."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.positions import METHODS
from alibi_viz.ui.controls import state
from alibi_viz.ui.controls.params import Param

TITLES = {name: method.title for name, method in METHODS.items()}
NAMES = {title: name for name, title in TITLES.items()}


def method_pills(
    param: Param, lesson: Lesson, options: Sequence[str] = tuple(METHODS)
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The chosen methods in the order of `options`, and what was asked for that is none of them.

    param: a text. The lesson names the control, and explains it under "help".
    """
    state.fit(param)
    asked = [key.strip() for key in str(state.read(param)).split(",") if key.strip()]
    known = tuple(key for key in options if key in asked)
    pills = f"{param.key}_pills"
    st.session_state[pills] = [TITLES[key] for key in known]

    def follow() -> None:
        st.session_state[param.key] = ",".join(NAMES[title] for title in st.session_state[pills])

    st.pills(
        lesson.label(param.key),
        options=[TITLES[key] for key in options],
        selection_mode="multi",
        key=pills,
        help=lesson.entry("help", param.key),
        on_change=follow,
    )
    return known, tuple(key for key in asked if key not in options)
