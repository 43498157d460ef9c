"""Predict, then reveal: one question that stands beside a picture, which is veiled until it is answered or skipped.

Notable choices:
- The answer is never typed: it is computed from the live state when the question is asked.
- A question has options to choose from. Alone, it may be answered in another way (`ui.predictions`); in a room always by
  an option, which goes to the room, and the picture is shown when the teacher reveals it; see `ui.classroom`.
- An answer holds for as long as the session; the link can switch all questions off (`predict=false`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import streamlit as st

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
    numbers: Mapping[str, object] = field(default_factory=dict)  # of the section's placeholders
    facts: object = None  # whose fields fill them too
    section: str = "predict"
    about: str = ""  # what it is asked about, where a lesson asks the same of several things
    veils: bool = True  # False: the picture is what the question is about, and stays in sight

    #: Whether the reader answers in the place of the picture, which then needs no veil.
    in_the_picture = False

    @property
    def name(self) -> str:
        return ".".join(part for part in (self.lesson.name, self.section, self.about) if part)

    def as_options(self) -> "Question":
        """The same question, to be answered by an option."""
        return Question(**{part.name: getattr(self, part.name) for part in fields(Question)})

    def text(self) -> str:
        return self.lesson.text(self.section, self.facts, **self.numbers)

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


def is_open(question: Question) -> bool:
    """Whether the answer is still to come, and the picture veiled."""
    if not state.read(frame.PREDICT):
        return False
    if classroom.waits(question.name):
        return True
    return question.name not in _answers() and not classroom.has_revealed(question.name)


def fills_the_picture(question: Question | None) -> bool:
    """Whether the reader is to answer in the picture's place now."""
    return question is not None and question.in_the_picture and is_open(question) and not classroom.is_here()


def ask(question: Question | None) -> None:
    """The question with what it is answered with; once answered, what the reader said and what is right.

    Nothing where there is none.
    """
    if question is None or not state.read(frame.PREDICT):
        return
    opened, drawing = is_open(question), fills_the_picture(question)
    # In a room every question is answered by its options.
    asked = question.as_options() if classroom.is_here() else question
    # style.css veils the picture of a stage that holds an open question.
    key = "predict_draw" if drawing else "predict_open" if question.veils else "predict_choose"
    with st.container(key=key if opened else "predict", gap="small"):
        if opened:
            st.markdown(asked.text())
        if opened and question.name not in _answers():
            asked.show()
            _ways_out(question)
        elif opened:
            said = st.session_state.get(_WORDS, {}).get(question.name)
            st.caption(load("words").entry("predict", "waiting", chosen=said or ""))
        else:
            st.markdown(asked.verdict(_answers().get(question.name, SKIPPED)))
        classroom.show_answers(question.name, question.options)


def _ways_out(question: Question) -> None:
    """Skip this question, or all of them: then the address says so."""
    words = load("words")
    with st.container(horizontal=True, gap="medium"):
        for name, callback, args in (("skip", answer, (question.name, SKIPPED)), ("skip_all", _ask_no_more, ())):
            st.button(words.label(name), key=f"predict_{name}", type="tertiary", on_click=callback, args=args)


def _ask_no_more() -> None:
    """Callback: no question on this and on other pages."""
    state.assign({frame.PREDICT.key: False})
    rerun.request()


def answer(name: str, given: Any, said: str = "") -> None:
    """Callback: the reader's answer to a question, or SKIPPED. said: the option's words."""
    _answers()[name] = given
    st.session_state.setdefault(_WORDS, {})[name] = said
    if isinstance(given, int) and given != SKIPPED:
        classroom.send(name, given)
    rerun.request()
