"""Predict, then reveal: one question that stands beside a picture. What would answer it is covered until it is answered.

Notable choices:
- Questions are asked of those who want them (`predict=true` in the address) and in a room.
- The picture stays in sight. A chart is covered from a value of x on (`page.chart`); the canvas views cover a panel, a part
  of their curves or a colour, and say no numbers of it. The note beside the picture waits too (style.css).
- The answer is never typed: it is computed from the live state when the question is asked.
- A question has options to choose from. Alone, it may be answered in another way (`ui.predictions`); in a room always by
  an option, which goes to the room, and the picture is shown when the teacher reveals it; see `ui.classroom`.
- An answer holds for as long as the session.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from alibi_viz.charts.cover import cover, emphasise
from alibi_viz.lessons import Lesson, load
from alibi_viz.ui import classroom
from alibi_viz.ui.controls import frame, rerun, state

_ANSWERS = "_answers"  # question -> the option chosen, SKIPPED if none, or what another kind of question was answered
_WORDS = "_answers_in_words"  # question -> that option as it was shown: the options follow the live state
SKIPPED = -1


@dataclass(frozen=True)
class Question:
    """A question of a lesson: its section in the lesson file, the options as they are shown, and which are right."""

    lesson: Lesson
    options: Sequence[str]
    right: Sequence[int]  # numbers of the options, from 0
    section: str = "predict"
    about: str = ""  # what it is asked about, where a lesson asks the same of several things
    begins: float | None = None  # a chart is covered beyond this value of x
    hidden: Sequence[str] = ()  # a chart's traces that are not drawn before the answer, by their names
    always: bool = False  # asked of every reader: the question is what the page is for
    facts: object = None  # whose fields fill the section's placeholders

    #: Whether the reader answers in the place of the picture.
    in_the_picture = False

    @property
    def name(self) -> str:
        return ".".join(part for part in (self.lesson.name, self.section, self.about) if part)

    def as_options(self) -> "Question":
        """The same question, to be answered by an option."""
        return Question(**{part.name: getattr(self, part.name) for part in fields(Question)})

    def text(self) -> str:
        return self.lesson.text(self.section, self.facts)

    def show(self) -> None:
        """What it is answered with: a button for each option."""
        with st.container(horizontal=True, gap="small"):
            for number, option in enumerate(self.options):
                key = f"predict_{self.name}_{number}"
                st.button(option, key=key, on_click=answer, args=(self.name, number, option))

    def verdict(self, given: Any) -> str:
        """What the reader chose, and what the live numbers say."""
        said = st.session_state.get(_WORDS, {}).get(self.name)
        chosen = given if isinstance(given, int) and given < len(self.options) else SKIPPED
        if chosen != SKIPPED and said != self.options[chosen]:
            chosen = SKIPPED  # an answer to other options
        right = ", ".join(self.options[number] for number in self.right)
        kind = "skipped" if chosen == SKIPPED else "right" if chosen in self.right else "wrong"
        return load("words").entry(
            "predict", kind, chosen=self.options[chosen] if chosen != SKIPPED else "", right=right
        )


def _answers() -> dict[str, Any]:
    return st.session_state.setdefault(_ANSWERS, {})


def given(question: Question) -> Any:
    """What the reader has answered; None as long as there is no answer."""
    return _answers().get(question.name)


def asks_first() -> bool:
    """Whether questions are put to this reader before answers are in sight: by `predict=true`, or in a room."""
    return bool(state.read(frame.PREDICT)) or classroom.is_here()


def is_asked(question: Question | None) -> bool:
    """Whether this reader is asked it: in a room, with `predict=true`, or where the page is a question."""
    return question is not None and (question.always or asks_first())


def is_open(question: Question | None) -> bool:
    """Whether the answer is still to come, and covered in the picture."""
    if question is None or not is_asked(question):
        return False
    if classroom.waits(question.name):
        return True
    return question.name not in _answers() and not classroom.has_revealed(question.name)


def is_revealed(question: Question | None) -> bool:
    """Whether the reader was asked, and the answer is in sight."""
    return is_asked(question) and not is_open(question)


def fills_the_picture(question: Question | None) -> bool:
    """Whether the reader is to answer in the picture's place now."""
    return question is not None and question.in_the_picture and is_open(question) and not classroom.is_here()


def dress(figure: go.Figure, question: Question | None, *, dark: bool) -> bool:
    """Cover what answers the question in its chart; after the reveal, draw the answer bolder. Returns whether it covers."""
    if question is not None and is_open(question):
        cover(figure, question.begins, question.hidden, dark=dark)
        return True
    if question is not None and is_revealed(question):
        emphasise(figure, [question.options[number] for number in question.right])
    return False


def alt(question: Question | None, text: str) -> str:
    """A picture in words, for screen readers: what they say must not answer an open question."""
    return load("words").entry("predict", "alt") if is_open(question) else text


def ask(question: Question | None) -> None:
    """The question with what it is answered with; once answered, what the reader said and what is right.

    Nothing where there is none.
    """
    if question is None or not is_asked(question):
        return
    _remember(question)
    opened, drawing = is_open(question), fills_the_picture(question)
    # In a room every question is answered by its options.
    asked = question.as_options() if classroom.is_here() else question
    # style.css makes room for an open question, and lets the note wait.
    key = "predict_draw" if drawing else "predict_page" if question.always else "predict_open"
    with st.container(key=key if opened else None, gap="small"):
        if opened:
            st.markdown(asked.text())
        if opened and question.name not in _answers():
            asked.show()
            skip = load("words").label("skip")
            st.button(skip, key="predict_skip", type="tertiary", on_click=answer, args=(question.name, SKIPPED))
        elif opened:
            said = st.session_state.get(_WORDS, {}).get(question.name)
            st.caption(load("words").entry("predict", "waiting", chosen=said or ""))
        else:
            st.markdown(asked.verdict(_answers().get(question.name, SKIPPED)))
        classroom.show_answers(question.name, question.options)


def _remember(question: Question) -> None:
    """An answer that a room has is this reader's, also after a reload."""
    if question.name not in _answers() and (option := classroom.answered(question.name)) is not None:
        _answers()[question.name] = option
        if option < len(question.options):
            st.session_state.setdefault(_WORDS, {})[question.name] = question.options[option]


def answer(name: str, given: Any, said: str = "") -> None:
    """Callback: the reader's answer to a question, or SKIPPED. said: the option's words."""
    _answers()[name] = given
    st.session_state.setdefault(_WORDS, {})[name] = said
    if isinstance(given, int) and given != SKIPPED:
        classroom.send(name, given)
    rerun.request()
