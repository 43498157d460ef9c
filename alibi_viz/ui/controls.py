"""One function a kind of control. Each takes the page's `Param` and lesson and returns the checked value: what a widget or
an address line says is never used unchecked. `state` keeps the address line in step.

Each widget is given the value of now as its own default too. The browser can send a widget's default in place of the
value that Python set, if the reader clicks elsewhere just when the widget appears; then both must be the same.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.ui import live, state
from alibi_viz.ui.drag_slider import drag_slider
from alibi_viz.ui.params import Param


def _help(lesson: Lesson, param: Param) -> str | None:
    return lesson.entries("help").get(param.key) if "help" in lesson else None


def _worded(lesson: Lesson) -> Callable[[str], str]:
    """A choice as the reader sees it; in the address line and in the code it keeps its own word."""
    words = lesson.entries("choices") if "choices" in lesson else {}
    return lambda word: words.get(word.replace(" ", "_"), word)


def number(param: Param, lesson: Lesson, *, format: str | None = None) -> int | float:
    """A number typed or stepped; whole when the parameter is."""
    whole = param.kind == "int"
    cast = int if whole else float
    now = cast(state.fit(param))
    st.number_input(
        lesson.label(param.key),
        min_value=cast(param.low),
        max_value=cast(param.high),
        value=now,
        step=cast(param.step),
        format=format,
        key=param.key,
        help=_help(lesson, param),
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
        bind=None,
        on_release=live.touch,
    )
    return cast(state.read(param))


def choice(param: Param, lesson: Lesson) -> str:
    """One of a few words."""
    now = str(state.fit(param))
    st.segmented_control(
        lesson.label(param.key),
        options=param.choices,
        format_func=_worded(lesson),
        default=now,
        required=True,
        key=param.key,
        help=_help(lesson, param),
    )
    return str(state.read(param))


def pick(param: Param, lesson: Lesson) -> str:
    """One of many words."""
    now = str(state.fit(param))
    st.selectbox(
        lesson.label(param.key),
        options=param.choices,
        format_func=_worded(lesson),
        index=param.choices.index(now),
        key=param.key,
        help=_help(lesson, param),
    )
    return str(state.read(param))


def flag(param: Param, lesson: Lesson) -> bool:
    """On or off."""
    now = bool(state.fit(param))
    st.toggle(
        lesson.label(param.key),
        value=now,
        key=param.key,
        help=_help(lesson, param),
    )
    return bool(state.read(param))


def line(param: Param, lesson: Lesson) -> str:
    """One line of text."""
    return _written(st.text_input, param, lesson)


def text(param: Param, lesson: Lesson, *, height: int = 110) -> str:
    """A longer text of the reader. A very long one is kept in the session, not in the URL."""
    return _written(st.text_area, param, lesson, height=height)


def _written(widget: Callable[..., str | None], param: Param, lesson: Lesson, **options: int) -> str:
    """What the reader wrote, and under it a sentence if something had to be left out."""
    state.fit(param)
    widget(lesson.label(param.key), value=str(param.default), key=param.key, help=_help(lesson, param), **options)
    raw = st.session_state.get(param.key, param.default)
    cleaned = state.clean(param, raw)
    if cleaned.problem:
        st.caption(state.sentence(param, raw, cleaned))
    return str(cleaned.value)
