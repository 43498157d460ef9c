"""The story: ten scenes from attention that is blind to order to what extrapolation does and does not prove."""

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.ui import facts, page
from alibi_viz.ui import stage as layout
from alibi_viz.ui.components.keys import keys
from alibi_viz.ui.controls import rerun, state
from pages.story import controls
from pages.story.scenes import SCENES, summary

KEYS = {"ArrowRight": "next", "Space": "next", "PageDown": "next", "ArrowLeft": "back", "PageUp": "back"}
TURNS = {"next": 1, "back": -1}


@st.fragment
def scene(lesson: Lesson, name: str) -> None:
    """One scene: its question, its picture, its control, two sentences, and the way on."""
    with st.container(key="story", gap="small"):  # style.css leaves room for the scene's question
        st.header(lesson.text(f"{name}.question"), anchor=False)
        picture, _, side = layout.stage()
        numbers = SCENES[name](lesson, picture, side)
        with side:
            layout.note(lesson, f"{name}.note", **numbers)
            _turning(lesson)
    rerun.if_requested()


def _turning(lesson: Lesson) -> None:
    """“Back” and “Next”, and where the reader is."""
    number, last = state.read(controls.SCENE), len(controls.SCENES)
    with st.container(key="story_turn", horizontal=True, gap="small", vertical_alignment="center"):
        back, on = (lesson.label(label) for label in ("back", "next"))
        st.button(
            back, key="story_back", disabled=number == 1, on_click=_turn, args=(-1,), help=lesson.label("help_back")
        )
        st.button(on, key="story_next", disabled=number == last, on_click=_turn, args=(1,), type="primary")
        st.caption(lesson.label("where", number=number, last=last))


def _turn(by: int) -> None:
    controls.turn(by)
    rerun.request()


def show(lesson: Lesson) -> None:
    keys(KEYS, lambda pressed: controls.turn(TURNS[pressed]), key="story_keys")
    scene(lesson, controls.scene())
    facts.tell(summary())
    page.prose(lesson, "under")
    page.sources(lesson)


show(page.begin("story", controls.PARAMS))
