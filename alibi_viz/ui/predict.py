"""Predict, then reveal: one question that stands beside a picture, which is veiled until it is answered or skipped.

Notable choices:
- The answer is never typed: it is computed from the live state when the question is asked.
- In a room the answer goes to the room, and the picture is shown when the teacher reveals it; see `ui.classroom`.
- An answer holds for as long as the session; the link can switch all questions off (`predict=false`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import streamlit as st

from alibi_viz.lessons import Lesson, load
from alibi_viz.ui import classroom
from alibi_viz.ui.controls import frame, rerun, state

_ANSWERS = "_answers"  # question -> the option chosen, SKIPPED if none
_WORDS = "_answers_in_words"  # question -> that option as it was shown: the options follow the live state
SKIPPED = -1


@dataclass(frozen=True)
class Question:
    """A question of a lesson: its section in the lesson file, the options as they are shown, and which are right."""

    lesson: Lesson
    options: Sequence[str]
    right: Sequence[int]  # numbers of the options, from 0
    numbers: Mapping[str, object] = field(default_factory=dict)  # of the section's placeholders
    section: str = "predict"
    about: str = ""  # what it is asked about, where a lesson asks the same of several things
    veils: bool = True  # False: the picture is what the question is about, and stays in sight

    @property
    def name(self) -> str:
        return ".".join(part for part in (self.lesson.name, self.section, self.about) if part)


def _answers() -> dict[str, int]:
    return st.session_state.setdefault(_ANSWERS, {})


def is_open(question: Question) -> bool:
    """Whether the answer is still to come, and the picture veiled."""
    if not state.read(frame.PREDICT):
        return False
    if classroom.waits(question.name):
        return True
    return question.name not in _answers() and not classroom.has_revealed(question.name)


def ask(question: Question) -> None:
    """The question with its options; once answered, what was chosen and what is right."""
    if not state.read(frame.PREDICT):
        return
    lesson, words = question.lesson, load("words")
    opened = is_open(question)
    # style.css veils the picture of a stage that holds an open question.
    key = ("predict_open" if question.veils else "predict_choose") if opened else "predict"
    with st.container(key=key, gap="small"):
        if opened:
            st.markdown(lesson.text(question.section, **question.numbers))
        if opened and question.name not in _answers():
            with st.container(horizontal=True, gap="small"):
                for number, option in enumerate(question.options):
                    key = f"predict_{question.name}_{number}"
                    st.button(option, key=key, on_click=_choose, args=(question.name, number, option))
            st.button(
                words.label("skip"),
                key="predict_skip",
                type="tertiary",
                on_click=_choose,
                args=(question.name, SKIPPED),
            )
        else:
            _result(question)
        classroom.show_answers(question.name, question.options)


def _result(question: Question) -> None:
    """What the reader chose, and what the live numbers say."""
    chosen, words = _answers().get(question.name, SKIPPED), load("words")
    said = st.session_state.get(_WORDS, {}).get(question.name)
    if chosen >= len(question.options) or (chosen != SKIPPED and said != question.options[chosen]):
        chosen = SKIPPED  # an answer to other options
    if is_open(question):
        st.caption(words.entry("predict", "waiting", chosen=said or ""))
        return
    right = ", ".join(question.options[number] for number in question.right)
    kind = "skipped" if chosen == SKIPPED else "right" if chosen in question.right else "wrong"
    given = question.options[chosen] if chosen != SKIPPED else ""
    st.markdown(words.entry("predict", kind, chosen=given, right=right))


def _choose(name: str, option: int, said: str = "") -> None:
    """Callback of an option, or of “Skip”."""
    _answers()[name] = option
    st.session_state.setdefault(_WORDS, {})[name] = said
    if option != SKIPPED:
        classroom.send(name, option)
    rerun.request()
