"""One function a kind of control. Each takes the lesson's `Param` and the lesson, and returns the checked value: what a
widget or an address line says is never used unchecked. `state` keeps the address line in step.

Each widget is given the value of now as its own default too. The browser can send a widget's default in place of the
value that Python set, if the reader clicks elsewhere just when the widget appears; then both must be the same.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import wraps
from typing import Any, Literal

import streamlit as st

from alibi_viz.lessons import Lesson, load
from alibi_viz.ui.components.drag_slider import drag_slider
from alibi_viz.ui.components.typing import PAUSE, follow_typing
from alibi_viz.ui.controls import rerun, state
from alibi_viz.ui.controls.params import Param

TYPING = f"{PAUSE}ms"  # after the last key a line is read


def _common(param: Param, lesson: Lesson) -> dict[str, Any]:
    """Label, key and help of a widget."""
    help_text = lesson.entries("help").get(param.key) if "help" in lesson else None
    return {"label": lesson.label(param.key), "key": param.key, "help": help_text}


def _worded(lesson: Lesson) -> Callable[[str], str]:
    """A choice as the reader sees it; in the address line and in the code it keeps its own word."""
    choices = lesson.entries("choices") if "choices" in lesson else {}
    return lambda value: choices.get(value.replace(" ", "_"), value)


def _noted(widget: Callable[..., Any]) -> Callable[..., Any]:
    """The widget; `state` knows that it is in use."""

    @wraps(widget)
    def shown(param: Param, lesson: Lesson, **options: Any) -> Any:
        state.use(param)
        return widget(param, lesson, **options)

    return shown


@_noted
def number(param: Param, lesson: Lesson) -> Any:
    """A number typed or stepped; whole when the parameter is."""
    st.number_input(**param.field(state.fit(param)), **_common(param, lesson))
    return state.read(param)


def show(param: Param, lesson: Lesson) -> Any:
    """The widget that the parameter names, or the usual one of its kind."""
    usual = {"int": number, "float": number, "choice": choice, "flag": flag, "text": text}
    named = {"drag": drag, "log_drag": drag, "pick": pick, "line": line}
    return {**usual, **named}[param.widget or param.kind](param, lesson)


def row(lesson: Lesson, *params: Param) -> list[Any]:
    """Widgets side by side, as wide as their parameters say or as they need; they wrap where the window is narrow."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        values = []
        for param in params:
            with st.container(width=param.width) if param.width else nullcontext():
                values.append(show(param, lesson))
        return values


def columns(
    lesson: Lesson,
    *groups: Sequence[Param],
    widths: Sequence[int] | None = None,
    gap: Literal["small", "medium", "large"] = "large",
) -> list[Any]:
    """Widgets in columns, a group of parameters in each; the columns have one width, or these shares of it."""
    places = st.columns(widths or len(groups), gap=gap, vertical_alignment="bottom" if widths else "top")
    values = []
    for column, params in zip(places, groups, strict=True):
        with column:
            values += [show(param, lesson) for param in params]
    return values


@_noted
def drag(param: Param, lesson: Lesson, *, channel: str | None = None) -> Any:
    """A slider that reports while it is dragged, with the exact number beside it."""
    state.fit(param)
    drag_slider(param, channel=channel, on_release=rerun.request, **_common(param, lesson))
    return state.read(param)


@_noted
def choice(param: Param, lesson: Lesson) -> Any:
    """One of a few words."""
    now, common = state.fit(param), _common(param, lesson)
    st.segmented_control(options=param.choices, format_func=_worded(lesson), default=now, required=True, **common)
    return state.read(param)


@_noted
def pick(param: Param, lesson: Lesson) -> Any:
    """One of many words."""
    index = param.choices.index(state.fit(param))
    st.selectbox(options=param.choices, format_func=_worded(lesson), index=index, **_common(param, lesson))
    return state.read(param)


@_noted
def flag(param: Param, lesson: Lesson) -> Any:
    """On or off."""
    st.toggle(value=state.fit(param), **_common(param, lesson))
    return state.read(param)


@_noted
def line(param: Param, lesson: Lesson) -> str:
    """One line of text."""
    return _written(st.text_input, param, lesson, live=TYPING)


@_noted
def text(param: Param, lesson: Lesson, *, height: int = 110) -> str:
    """A longer text of the reader. A long one is packed in the address; what is too long for that, the tab keeps."""
    follow_typing(param.key)
    return _written(st.text_area, param, lesson, height=height)


def _written(widget: Callable[..., str | None], param: Param, lesson: Lesson, **options: Any) -> str:
    """What the reader wrote, and under it a sentence if something had to be left out."""
    state.fit(param)
    widget(value=str(param.default), **options, **_common(param, lesson))
    cleaned = state.look(param)
    if cleaned.problem:
        st.caption(state.sentence(lesson, param, st.session_state[param.key], cleaned))
    if param.key in state.left_out():
        st.caption(load("words").entry("problems", "no_link"))
    return str(cleaned.value)
