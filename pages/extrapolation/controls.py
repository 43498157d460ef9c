"""The parameters of the Extrapolation lesson, its widgets, and how all are read."""

from collections.abc import Sequence

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.positions import METHODS
from alibi_viz.results.measured import PROTOCOLS, MeasuredRun
from alibi_viz.results.pretrained import MAIN
from alibi_viz.results.pretrained import METHODS as SHIPPED
from alibi_viz.ui.controls import method_pills, state, widgets
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.page import Presets
from alibi_viz.ui.stage import sections_param
from pages.extrapolation.study import PAPER, Controls

CHOSEN = Param("ext_methods", "text", ",".join(MAIN), longest=200)
PROTOCOL = Param("ext_protocol", "choice", "nonoverlapping", choices=PROTOCOLS)
QUANTITY = Param("ext_quantity", "choice", "perplexity", choices=("perplexity", "ratio"))  # "ratio": above L
UNIT = Param("ext_unit", "choice", "bytes", choices=("bytes", "times L"))
X = Param("ext_x", "choice", "log", choices=("log", "linear"))
Y = Param("ext_y", "choice", "log", choices=("log", "linear"))
PAPER_LENGTH = Param("ext_paper", "choice", "512", choices=tuple(str(length) for length in PAPER))
OWN = Param("ext_own", "flag", True)
OTHER_TEXT = Param("ext_other", "flag", False)
CHART = (CHOSEN, PROTOCOL, QUANTITY, UNIT, X, Y, PAPER_LENGTH)
OPEN = sections_param("extrapolation", "gave", "paper", "steps", "lengths", "depth", "stretched", "made")
PARAMS = (*CHART, OWN, OTHER_TEXT, OPEN)
PLAIN = {param.key: param.default for param in CHART}
TRY: Presets = {
    "plain": PLAIN,
    "rivals": PLAIN | {"ext_methods": "alibi,rope,t5"},
    "sliding": PLAIN | {"ext_protocol": "sliding"},
    "ratio": PLAIN | {"ext_quantity": "ratio", "ext_unit": "times L"},
    "linear": PLAIN | {"ext_x": "linear", "ext_y": "linear"},
}


def _methods(runs: Sequence[MeasuredRun]) -> tuple[str, ...]:
    """The methods of the shipped runs and of the reader's, in the registry's order."""
    measured = {*SHIPPED, *(run.config.method for run in runs)}
    return tuple(method for method in METHODS if method in measured)


def read(runs: Sequence[MeasuredRun]) -> Controls:
    """The controls as they are now. runs: the reader's, whose methods can be chosen too."""
    return Controls(
        methods=method_pills.read(CHOSEN, _methods(runs))[0],
        protocol=state.read(PROTOCOL),
        difference=state.read(QUANTITY) == "ratio",
        times=state.read(UNIT) == "times L",
        log=(state.read(X) == "log", state.read(Y) == "log"),
        paper=int(state.read(PAPER_LENGTH)),
        own=state.read(OWN),
        other_text=state.read(OTHER_TEXT),
    )


def unknown(runs: Sequence[MeasuredRun]) -> str:
    """What the address asks for that has no trained runs."""
    return method_pills.unknown(CHOSEN, _methods(runs))


def show(lesson: Lesson) -> None:
    """What is drawn, and in which windows."""
    widgets.choice(QUANTITY, lesson)
    widgets.choice(PROTOCOL, lesson)


def show_more(lesson: Lesson, runs: Sequence[MeasuredRun]) -> None:
    """What is behind “More”: the methods, and the axes."""
    with st.container(width=420):
        method_pills.method_pills(CHOSEN, lesson, _methods(runs))
        for param in (UNIT, X, Y):
            widgets.choice(param, lesson)


def show_own(lesson: Lesson) -> None:
    """The switches for the reader's own runs."""
    with st.container(horizontal=True, gap="medium"):
        if widgets.flag(OWN, lesson):
            widgets.flag(OTHER_TEXT, lesson)
