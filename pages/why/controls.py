"""The controls of the lesson on where the break comes from: its parameters, its widgets, and how they are read."""

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.results.measured import shipped
from alibi_viz.results.pretrained import MAIN, METHODS
from alibi_viz.ui.controls import method_pills, state
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.page import Presets
from alibi_viz.ui.stage import sections_param
from pages.why.study import Controls

HEADS = shipped()[0].config.heads
MOST_READ = 512  # bytes of the reader's text

CHOSEN = Param("ext_methods", "text", ",".join(MAIN), longest=200)
WINDOW = Param("ext_window", "choice", "512", choices=("128", "256", "512", "1024", "2048"))
TEXT = Param("ext_read", "text", "", longest=MOST_READ)
LAYER = Param("ext_layer", "choice", "2", choices=("1", "2"))
HEAD = Param("ext_head", "int", 4, low=1, high=HEADS, widget="drag", width=420)
OPEN = sections_param("why", "attention", "buckets", "probes", "how", "code")
PARAMS = (CHOSEN, WINDOW, TEXT, LAYER, HEAD, OPEN)
ALL = ",".join(MAIN)
TRY: Presets = {
    "plain": {"ext_methods": ALL, "ext_window": "512"},
    "rivals": {"ext_methods": "alibi,rope,t5", "ext_window": "2048"},
    "near": {"ext_methods": "sinusoidal,rope", "ext_window": "256"},
    "inside": {"ext_methods": ALL, "ext_window": "128"},
    "heads": {"why_open": "attention"},
}


def read() -> Controls:
    """The controls as they are now."""
    methods = method_pills.read(CHOSEN, METHODS)[0]
    return Controls(methods, int(state.read(WINDOW)), state.read(TEXT).encode(), int(state.read(LAYER)))


def show_more(lesson: Lesson) -> None:
    """What is behind “More”."""
    with st.container(width=420):
        method_pills.method_pills(CHOSEN, lesson, METHODS)
