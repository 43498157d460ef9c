"""A list of the trained models that are here: those that come with the project, and the reader's own."""

from __future__ import annotations

import streamlit as st

from alibi_viz import trained
from alibi_viz.lessons import Lesson
from alibi_viz.lm.config import TrainConfig
from alibi_viz.positions import METHODS
from alibi_viz.ui.controls import state
from alibi_viz.ui.controls.params import Param, printable

PARAM = Param("model", "text", "alibi", longest=40)
LIST = "model_list"


def pick(lesson: Lesson) -> trained.Loaded:
    """The chosen model. Raises ValueError, with a sentence, if there is none that can be read.

    The address names a method or a hash; a list under the same label chooses among those that are here.
    """
    state.fit(PARAM)
    found = trained.refs()
    if not found:
        raise ValueError(lesson.text("models.none"))
    asked = str(state.read(PARAM))
    ref = asked if asked in found else next(iter(found))
    st.session_state[LIST] = ref

    def follow() -> None:
        st.session_state[PARAM.key] = st.session_state[LIST]

    st.selectbox(
        lesson.label("model"),
        options=list(found),
        format_func=lambda one: title(lesson, one, found[one]),
        key=LIST,
        help=lesson.entry("help", "model"),
        on_change=follow,
    )
    if ref != asked:
        st.info(lesson.text("models.unknown", given=printable(asked), used=title(lesson, ref, found[ref])))
    loaded = trained.load(ref)
    if loaded is None:
        raise ValueError(lesson.text("models.damaged"))
    return loaded


def title(lesson: Lesson, ref: str, config: TrainConfig) -> str:
    """A model in a list. Own runs can differ in anything, so a piece of the hash tells them apart."""
    kind = "model_own" if ref == config.hash else "model_shipped"
    return lesson.label(kind, ref=ref[:4], **sizes(config))


def sizes(config: TrainConfig) -> dict[str, str]:
    """A run's numbers for a sentence or a title."""
    numbers = ("length", "steps", "layers", "heads", "width", "batch", "seed")
    return {"method": METHODS[config.method].title, **{name: f"{getattr(config, name):,}" for name in numbers}}
