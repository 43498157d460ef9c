"""The controls of the Recall lesson: its parameters, the widgets that set them, and how they are read."""

import streamlit as st

from alibi_viz.jobs import Plan
from alibi_viz.lessons import Lesson
from alibi_viz.results.pretrained import MAIN, METHODS
from alibi_viz.ui.controls import method_pills, state
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.page import Presets
from alibi_viz.ui.stage import sections_param
from pages.recall.study import Controls

CHOSEN = Param("recall_methods", "text", ",".join(MAIN), longest=200)
PAIRS = Param("curse_pairs", "choice", "4", choices=tuple(str(pairs) for pairs in Plan.pairs))
OPEN = sections_param("recall", "controls", "table", "task", "code")
PARAMS = (CHOSEN, PAIRS, OPEN)
TRY: Presets = {
    "plain": {"recall_methods": ",".join(MAIN), "curse_pairs": "4"},
    "hard": {"recall_methods": ",".join(MAIN), "curse_pairs": "8"},
    "biases": {"recall_methods": "alibi,t5,kerple,kerple_power,sandwich,fire", "curse_pairs": "4"},
    "every": {"recall_methods": ",".join(METHODS), "curse_pairs": "4"},
}


def read() -> Controls:
    """The controls as they are now."""
    return Controls(method_pills.read(CHOSEN, METHODS)[0], int(state.read(PAIRS)))


def show_more(lesson: Lesson) -> None:
    """What is behind “More”."""
    with st.container(width=420):
        method_pills.method_pills(CHOSEN, lesson, METHODS)
