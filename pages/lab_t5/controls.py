"""The controls of the T5 lab: its parameters, the widgets that set them, and how they are read."""

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.ui.controls import state, widgets
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.page import Presets
from pages.lab_t5.study import HEADS, Controls

TRAIN_LENGTH = Param("t5_trained", "int", 64, low=1, high=2048, widget="log_drag")
BUCKETS = Param("buckets", "int", 32, low=2, high=128, widget="drag")
MAX_DISTANCE = Param("max_distance", "int", 128, low=2, high=2048, widget="log_drag")
TWO_SIDED = Param("two_sided", "flag", False)
FARTHEST = Param("t5_shown", "int", 256, low=8, high=2048, widget="log_drag")
HEAD = Param("t5_head", "int", 1, low=1, high=HEADS, width=150)
SEED = Param("seed", "int", 0, low=0, high=9_999, width=150)
PARAMS = (TRAIN_LENGTH, BUCKETS, MAX_DISTANCE, TWO_SIDED, FARTHEST, HEAD, SEED)
DEFAULTS = {param.key: param.default for param in PARAMS}
TRY: Presets = {
    "short": DEFAULTS,
    "enough": DEFAULTS | {"t5_trained": 128},
    "fit": DEFAULTS | {"max_distance": 32},
    "encoder": DEFAULTS | {"two_sided": True},
    "few": DEFAULTS | {"buckets": 8},
}


def read() -> Controls:
    """The controls as they are now."""
    return Controls(*map(state.read, (BUCKETS, MAX_DISTANCE, TWO_SIDED, TRAIN_LENGTH, FARTHEST, HEAD, SEED)))


def show(lesson: Lesson) -> None:
    """The widgets above the charts."""
    with st.container(border=True):
        widgets.columns(lesson, [TRAIN_LENGTH, BUCKETS], [MAX_DISTANCE, FARTHEST])
        widgets.row(lesson, TWO_SIDED, HEAD, SEED)
