"""Extrapolation: train short, test long. The shipped runs and the reader's own, beside the paper's Figure 1."""

import streamlit as st

from alibi_viz import measured
from alibi_viz.lessons import Lesson
from alibi_viz.lm import evaluation
from alibi_viz.pretrained import SEEDS
from alibi_viz.ui import page
from alibi_viz.ui.shell import navigation
from pages.extrapolation import controls, findings, more, pair
from pages.extrapolation.study import TRAIN_LENGTH, Controls, study


def seen(lesson: Lesson, chosen: Controls) -> None:
    """What the shipped runs gave, and how they were trained."""
    page.heading(lesson.label("seen"))
    with st.container(width=page.READING):
        for paragraph in findings.claims(chosen.protocol, chosen.paper):
            st.markdown(" ".join(lesson.text(section, **numbers) for section, numbers in paragraph))
        navigation.link("early_token_curse", lesson.label("curse"))
    with st.expander(lesson.label("made"), icon=":material/construction:"):
        st.markdown(lesson.text("made", **findings.training()))


def show(lesson: Lesson) -> None:
    page.prose(lesson, "terms", train_length=TRAIN_LENGTH, seeds=len(SEEDS))
    page.try_this(lesson, controls.TRY)
    runs = tuple(run for run in measured.own() if not run.config.is_recall)
    controls.show(lesson, runs, lesson.text("protocols", **findings.protocols()))
    result = study(controls.read(runs), runs)
    if result.curves:
        pair.show(lesson, result)
    elif result.other_text:
        st.caption(pair.other_text(lesson, result))
    else:
        st.info(lesson.text("nothing"), icon=":material/edit:")
    seen(lesson, result.controls)
    more.steps(lesson)
    more.lengths(lesson)
    more.stretched(lesson)
    page.formula(lesson, *lesson.text("latex").split("\n"), **findings.formula())
    page.code(evaluation.windows, evaluation.evaluate, label=lesson.label("code"))
    page.sources(lesson)


show(page.begin("extrapolation", controls.PARAMS))
