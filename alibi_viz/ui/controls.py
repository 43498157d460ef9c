"""One function a kind of control. Each takes the page's `Param` and lesson, binds the widget to the URL, and returns the
checked value: what a widget or a URL says is never used unchecked."""

from __future__ import annotations

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.ui import state
from alibi_viz.ui.drag_slider import drag_slider
from alibi_viz.ui.params import Param

URL_LONGEST = 1_500  # a longer text stays in the session: browsers and servers cut long addresses


def _help(lesson: Lesson, param: Param) -> str | None:
    return lesson.entries("help").get(param.key) if "help" in lesson else None


def number(param: Param, lesson: Lesson, *, format: str | None = None) -> int | float:
    """A number typed or stepped; whole when the parameter is."""
    whole = param.kind == "int"
    cast = int if whole else float
    st.number_input(
        lesson.label(param.key),
        min_value=cast(param.low),
        max_value=cast(param.high),
        value=cast(param.default),
        step=cast(param.step),
        format=format,
        key=param.key,
        help=_help(lesson, param),
        bind="query-params",
    )
    return cast(state.read(param))


def drag(param: Param, lesson: Lesson, *, channel: str | None = None, log: bool = False) -> int | float:
    """A slider that reports while it is dragged, with the exact number beside it."""
    cast = int if param.kind == "int" else float
    state.fit(param)
    drag_slider(
        lesson.label(param.key),
        key=param.key,
        low=cast(param.low),
        high=cast(param.high),
        step=cast(param.step),
        default=cast(param.default),
        scale="log2" if log else "linear",
        channel=channel,
        help=_help(lesson, param),
        integer=param.kind == "int",
    )
    return cast(state.read(param))


def choice(param: Param, lesson: Lesson) -> str:
    """One of a few words. The words stand in the URL as they stand on the screen."""
    st.segmented_control(
        lesson.label(param.key),
        options=param.choices,
        default=str(param.default),
        required=True,
        key=param.key,
        help=_help(lesson, param),
        bind="query-params",
    )
    return str(state.read(param))


def pick(param: Param, lesson: Lesson) -> str:
    """One of many words."""
    st.selectbox(
        lesson.label(param.key),
        options=param.choices,
        index=param.choices.index(str(param.default)),
        key=param.key,
        help=_help(lesson, param),
        bind="query-params",
    )
    return str(state.read(param))


def flag(param: Param, lesson: Lesson) -> bool:
    """On or off."""
    st.toggle(
        lesson.label(param.key),
        value=bool(param.default),
        key=param.key,
        help=_help(lesson, param),
        bind="query-params",
    )
    return bool(state.read(param))


def line(param: Param, lesson: Lesson) -> str:
    """One line of text."""
    st.text_input(
        lesson.label(param.key),
        value=str(param.default),
        key=param.key,
        help=_help(lesson, param),
        bind="query-params" if _fits_url(param) else None,
    )
    return _checked_text(param)


def text(param: Param, lesson: Lesson, *, height: int = 110) -> str:
    """A longer text of the reader. A very long one is kept in the session, not in the URL."""
    st.text_area(
        lesson.label(param.key),
        value=str(param.default),
        key=param.key,
        height=height,
        help=_help(lesson, param),
        bind="query-params" if _fits_url(param) else None,
    )
    return _checked_text(param)


def _fits_url(param: Param) -> bool:
    return len(str(st.session_state.get(param.key, ""))) <= URL_LONGEST


def _checked_text(param: Param) -> str:
    raw = st.session_state.get(param.key, param.default)
    cleaned = state.clean(param, raw)
    if cleaned.problem:
        st.caption(state.sentence(param, raw, cleaned))
    return str(cleaned.value)
