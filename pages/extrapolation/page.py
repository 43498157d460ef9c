"""Extrapolation: train short, test long. The shipped runs and the reader's own, beside the paper's Figure 1."""

from __future__ import annotations

from typing import cast

import streamlit as st

from alibi_viz import measured
from alibi_viz.lessons import Lesson
from alibi_viz.lm import evaluation
from alibi_viz.positions import METHODS
from alibi_viz.ui import page
from alibi_viz.ui.controls import widgets
from alibi_viz.ui.controls.method_pills import method_pills
from alibi_viz.ui.controls.params import Param, printable
from pages.extrapolation import findings as words
from pages.extrapolation import result as view
from pages.extrapolation import study as study
from pages.extrapolation import table as table
from pages.extrapolation import why as sections
from pages.extrapolation.training import panel as training_view
from pages.extrapolation.training import runs as training_runs

TRAINED = tuple(dict.fromkeys(run.config.method for run in measured.shipped()))
CHOSEN = Param("ext_methods", "text", ",".join(TRAINED), longest=200)
PROTOCOL = Param("ext_protocol", "choice", "nonoverlapping", choices=measured.PROTOCOLS)
QUANTITY = Param("ext_quantity", "choice", "perplexity", choices=("perplexity", "ratio"))
UNIT = Param("ext_unit", "choice", "bytes", choices=("bytes", "times L"))
X = Param("ext_x", "choice", "log", choices=("log", "linear"))
Y = Param("ext_y", "choice", "log", choices=("log", "linear"))
PAPER = Param("ext_paper", "choice", "512", choices=tuple(str(length) for length in study.PAPER))
OWN = Param("ext_own", "flag", True)
OTHER = Param("ext_other", "flag", False)
PARAMS = (CHOSEN, PROTOCOL, QUANTITY, UNIT, X, Y, PAPER, OWN, OTHER, *sections.PARAMS, *training_view.PARAMS)
PLAIN = {param.key: param.default for param in PARAMS[:7]}
TRY: page.Presets = {
    "plain": PLAIN,
    "ratio": PLAIN | {"ext_quantity": "ratio", "ext_unit": "times L"},
    "rivals": PLAIN | {"ext_methods": "alibi,rope,t5"},
    "sliding": PLAIN | {"ext_protocol": "sliding"},
    "linear": PLAIN | {"ext_x": "linear", "ext_y": "linear"},
}


def read_controls(lesson: Lesson, runs: tuple[measured.Measured, ...]) -> view.Controls:
    """The controls, checked. Those about own runs are shown only if there are such runs."""
    options = [method for method in METHODS if method in (*TRAINED, *(run.config.method for run in runs))]
    with st.container(border=True):
        methods, unknown = method_pills(CHOSEN, lesson, options)
        if unknown:
            st.info(lesson.text("unknown", given=printable(", ".join(unknown))))
        with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
            protocol, quantity, unit, x, y, paper = (
                widgets.choice(param, lesson) for param in (PROTOCOL, QUANTITY, UNIT, X, Y, PAPER)
            )
        words.protocols(lesson)
        own, other = True, False
        if runs:
            with st.container(horizontal=True, gap="medium"):
                own = widgets.flag(OWN, lesson)
                other = own and widgets.flag(OTHER, lesson)
    return view.Controls(
        methods,
        cast(measured.Protocol, protocol),
        quantity == "ratio",
        unit == "times L",
        x == "log",
        y == "log",
        int(paper),
        own,
        other,
    )


def show(lesson: Lesson) -> None:
    words.terms(lesson)
    page.try_this(lesson, TRY)
    runs = view.own_runs()
    chosen = read_controls(lesson, runs)
    found = view.choose(chosen, runs)
    if found.shipped or found.own:
        view.pair(lesson, chosen, found)
        table.numbers(lesson, chosen, found)
    elif found.other:
        view.hidden_runs(lesson, chosen, found)
    else:
        st.info(lesson.text("nothing"), icon=":material/edit:")
    words.seen(lesson, chosen)
    words.made(lesson)
    training_view.panel()
    training_runs.kept_runs()
    st.header(lesson.label("why"), anchor=False, divider="gray")
    tested = sections.places(lesson, chosen.methods)
    sections.attention(lesson, chosen.methods)
    sections.buckets(lesson, tested)
    words.formula(lesson)
    page.code(evaluation.windows, evaluation.evaluate, label=lesson.label("code"))
    page.sources(lesson)


lesson = page.begin("extrapolation", PARAMS, ["training"])
show(lesson)
