"""The parameters of the Extrapolation lesson, its widgets, and how all are read."""

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.results.measured import PROTOCOLS
from alibi_viz.results.pretrained import MAIN, METHODS
from alibi_viz.ui.controls import method_pills, state, widgets
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.page import Presets
from alibi_viz.ui.stage import sections_param
from pages.extrapolation.study import PAPER, Controls

CHOSEN = Param("ext_methods", "text", ",".join(MAIN), longest=200)
PROTOCOL = Param("ext_protocol", "choice", "sliding", choices=PROTOCOLS[::-1])
QUANTITY = Param("ext_quantity", "choice", "perplexity", choices=("perplexity", "ratio"))  # "ratio": above L
UNIT = Param("ext_unit", "choice", "bytes", choices=("bytes", "times L"))
X = Param("ext_x", "choice", "log", choices=("log", "linear"))
Y = Param("ext_y", "choice", "log", choices=("log", "linear"))
PAPER_LENGTH = Param("ext_paper", "choice", "512", choices=tuple(str(length) for length in PAPER))
CHART = (CHOSEN, PROTOCOL, QUANTITY, UNIT, X, Y, PAPER_LENGTH)
OPEN = sections_param("extrapolation", "gave", "paper", "steps", "lengths", "depth", "stretched", "made")
PARAMS = (*CHART, OPEN)
PLAIN = {param.key: param.default for param in CHART}
TRY: Presets = {
    "plain": PLAIN,
    "rivals": PLAIN | {"ext_methods": "alibi,rope,t5"},
    "nonoverlapping": PLAIN | {"ext_protocol": "nonoverlapping"},
    "ratio": PLAIN | {"ext_quantity": "ratio", "ext_unit": "times L"},
    "linear": PLAIN | {"ext_x": "linear", "ext_y": "linear"},
}


def read() -> Controls:
    """The controls as they are now."""
    return Controls(
        methods=method_pills.read(CHOSEN, METHODS)[0],
        protocol=state.read(PROTOCOL),
        difference=state.read(QUANTITY) == "ratio",
        times=state.read(UNIT) == "times L",
        log=(state.read(X) == "log", state.read(Y) == "log"),
        paper=int(state.read(PAPER_LENGTH)),
    )


def unknown() -> str:
    """What the address asks for that has no trained runs."""
    return method_pills.unknown(CHOSEN, METHODS)


def show(lesson: Lesson) -> None:
    """What is drawn, and in which windows."""
    widgets.choice(QUANTITY, lesson)
    widgets.choice(PROTOCOL, lesson)


def show_more(lesson: Lesson) -> None:
    """What is behind “More”: the methods, and the axes."""
    with st.container(width=420):
        method_pills.method_pills(CHOSEN, lesson, METHODS)
        for param in (UNIT, X, Y):
            widgets.choice(param, lesson)
