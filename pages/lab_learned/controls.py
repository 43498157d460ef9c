"""The controls of the lab of learned positions: its parameters, the widgets that set them, and how they are read."""

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.ui.controls import state, widgets
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.page import Presets
from pages.lab_learned.study import LARGEST, Controls

ROWS = Param("table_rows", "int", 64, low=1, high=LARGEST, widget="drag")
WIDTH = Param("table_width", "int", 64, low=1, high=LARGEST, widget="drag")
POSITION = Param("tried", "int", 64, low=0, high=1_048_576)
SEED = Param("seed", "int", 0, low=0, high=9_999)
PARAMS = (ROWS, WIDTH, POSITION, SEED)
DEFAULTS = {param.key: param.default for param in PARAMS}
TRY: Presets = {
    "last": DEFAULTS | {"tried": 63},
    "next": DEFAULTS,
    "far": DEFAULTS | {"tried": 1_000_000},
    "longer": DEFAULTS | {"table_rows": 512, "tried": 64},
}


def read() -> Controls:
    """The controls as they are now."""
    return Controls(*map(state.read, PARAMS))


def show(lesson: Lesson) -> None:
    """The widgets above the table."""
    with st.container(border=True):
        left, right = st.columns(2, gap="large")
        with left:
            widgets.drag(ROWS, lesson)
            widgets.drag(WIDTH, lesson)
        with right:
            widgets.row(lesson, POSITION, SEED)
