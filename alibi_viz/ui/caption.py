"""What the open page says of its picture: its settings, for the first line of a CSV and under an exported picture; and,
from its last run, the note beside the picture, the question above it, and what the reader has to change.
"""

import streamlit as st

from alibi_viz.lessons import Lesson, load
from alibi_viz.positions import METHODS
from alibi_viz.ui import address
from alibi_viz.ui.address import Read

LONGEST = 60  # characters of a setting
NOTE, QUESTION, PROBLEM = "_note", "_question", "_problem"  # in the session


def caption() -> str:
    """The question of the page, and its settings, in one line."""
    lesson = open_lesson()
    parts = " · ".join(f"{label}: {text}" for label, text in settings().items())
    return f"{load('words').label('app')}: {lesson.text('title')} {parts}".replace("\n", " ")


def open_lesson() -> Lesson:
    return load(address.state().page)


def settings() -> dict[str, str]:
    """The controls that the picture depends on, and their values."""
    lesson = open_lesson()
    labels = load("words").entries("labels") | lesson.entries("labels")
    now = address.state()
    parts = {labels[key]: _worded(lesson, read) for key, read in now.reads.items() if key in now.on_stage}
    return {label: _shortened(text) for label, text in parts.items() if text}


def _worded(lesson: Lesson, read: Read) -> str:
    """The value as the control shows it: a choice in the lesson's words, methods by their titles."""
    kind, text = read.param.kind, address.written(read.cleaned.value)
    if kind == "flag":
        return load("words").label(text)
    names = text.split(",")
    if kind in ("text", "choices") and set(names) <= METHODS.keys():
        return ", ".join(METHODS[name].title for name in names)
    return lesson.choice(text) if kind == "choice" else text


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def forget() -> None:
    """Called when a run of a page begins."""
    st.session_state[NOTE] = st.session_state[QUESTION] = st.session_state[PROBLEM] = ""


def keep_note(text: str) -> None:
    st.session_state[NOTE] = text


def keep_question(text: str) -> None:
    """Where a page has several."""
    st.session_state[QUESTION] = text


def keep_problem(text: str) -> None:
    """What the reader has to change, where the picture says it in its own place."""
    st.session_state[PROBLEM] = text
