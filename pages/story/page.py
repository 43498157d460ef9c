"""The story: nine scenes from attention that is blind to order to what extrapolation does and does not prove."""

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.ui import caption, page
from alibi_viz.ui import stage as layout
from alibi_viz.ui.components.keys import keys
from alibi_viz.ui.controls import rerun, state
from pages.story import controls
from pages.story.scenes import SCENES

KEYS = {"ArrowRight": "next", "Space": "next", "PageDown": "next", "ArrowLeft": "back", "PageUp": "back"}
KEYS |= {"SwipeLeft": "next", "SwipeRight": "back"}
TURNS = {"next": 1, "back": -1}


@st.fragment
def story_scene(lesson: Lesson, name: str) -> None:
    """One scene: its question, its picture, its control, two sentences, and the way on."""
    with st.container(key="story", gap="small"):  # style.css leaves room for the scene's question
        question = lesson.text(f"{name}.question")
        caption.keep_question(question)
        st.header(question, anchor=False)
        place = layout.places()
        facts = SCENES[name](lesson, place.picture, place.side)
        with place.side:
            if name != "recap":  # its words are its picture
                layout.note(lesson, f"{name}.note", facts)
            _turning(lesson)
    rerun.request_if_changed(state.settled())


def _turning(lesson: Lesson) -> None:
    """“Back” and “Next”, and where the reader is."""
    number, last = state.read(controls.SCENE), len(controls.SCENES)
    state.use(controls.SCENE)
    with st.container(key="story_turn", horizontal=True, gap="small", vertical_alignment="center"):
        why = lesson.entries("help")
        back, on = (lesson.label(label) for label in ("back", "next"))
        first, final = number == 1, number == last
        help_back, help_next = why["first" if first else "back"], why["last" if final else "next"]
        st.button(back, "story_back", help_back, on_click=_turn, args=(-1,), disabled=first)
        st.button(on, "story_next", help_next, on_click=_turn, args=(1,), disabled=final, type="primary")
        st.caption(lesson.label("where", number=number, last=last))


def _turn(by: int) -> None:
    controls.turn(by)
    rerun.request()


def show(lesson: Lesson) -> None:
    keys(KEYS, lambda pressed: controls.turn(TURNS[pressed]), key="story_keys")
    story_scene(lesson, controls.scene())
    page.prose(lesson, "under")
    page.sources(lesson)


show(page.begin("story", controls.PARAMS))
