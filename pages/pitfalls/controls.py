"""The controls of the lesson of pitfalls: which one, on which side the mistake stands, and the reader's own slopes."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from alibi_viz.lessons import Lesson
from alibi_viz.ui.controls import rerun, state, widgets
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.page import Presets
from alibi_viz.ui.stage import sections_param
from pages.pitfalls.study import NAMES, Controls, neighbour

PITFALL = Param("pitfall", "choice", "slopes_power", choices=NAMES, widget="pick")
SEED = Param("pitfall_seed", "int", 0, low=0, high=9999)
MINE = Param("mine", "text", "1/2, 1/4, 1/8, 1/16, 1/32, 1/64, 1/128, 1/256", longest=8_000)
OPEN = sections_param("pitfalls", "test", "mine", "questions", "code")
PARAMS = (PITFALL, SEED, MINE, OPEN)
TRY: Presets = {
    "cache": {"pitfall": "cache_offset"},
    "layouts": {"pitfall": "rope_layouts"},
    "mine": {"pitfalls_open": "mine"},
    "order": {"pitfall": "slopes_sorted"},
    "format": {"pitfall": "key_bfloat16"},
    "padding": {"pitfall": "masked_rows"},
}


def read() -> Controls:
    """The controls as they are now."""
    return Controls(state.read(PITFALL), state.read(SEED))


def show(lesson: Lesson) -> DeltaGenerator:
    """What stands beside the pictures: which pitfall, and the one before and after it. Returns the place between them."""
    widgets.show(PITFALL, lesson)
    asked = st.container()
    with st.container(horizontal=True, gap="small"):
        for step, name in ((-1, "previous"), (1, "next")):
            other = neighbour(state.read(PITFALL), step)
            st.button(lesson.label(name), f"pitfalls_{name}", on_click=go, args=(other,))
    return asked


def go(name: str) -> None:
    """Callback: show this pitfall."""
    state.assign({PITFALL.key: name})
    rerun.request()


def show_more(lesson: Lesson) -> None:
    """What is behind “More”."""
    widgets.show(SEED, lesson)
