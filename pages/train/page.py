"""Train small models on this machine, and see how they do beyond their training length."""

from functools import partial

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.lm import evaluation
from alibi_viz.lm.training import train_chunk
from alibi_viz.results import measured
from alibi_viz.ui import page
from alibi_viz.ui import stage as layout
from alibi_viz.ui.controls import method_pills
from pages.train import controls, panel, runs_list, server
from pages.train.controls import Controls
from pages.train.facts import Size, Unknown, formula_of


def how(lesson: Lesson, chosen: Controls | None) -> None:
    """How a run is trained and measured, and how large the models of the controls are."""
    page.prose(lesson, "how")
    if chosen is not None:
        config = chosen.configs[0]
        size = "size.recall" if config.is_recall else "size"
        st.markdown(lesson.text(size, Size(config.parameters, config.tokens)))


def show(lesson: Lesson) -> None:
    chosen = panel.stage(lesson)
    server.warm_up()
    if unknown := method_pills.unknown(controls.TRAIN, controls.OPTIONS):
        st.info(lesson.text("unknown", Unknown(unknown)))
    if chosen is not None:
        panel.seen(lesson, chosen)
        per_word = measured.shipped()[0].bytes_per_word or 1.0
        page.formula(lesson, facts=formula_of(per_word))
    closer = {"runs": partial(runs_list.show, lesson), "how": partial(how, lesson, chosen)}
    layout.below(lesson, controls.OPEN, closer, train_chunk, evaluation.windows, evaluation.evaluate)


show(page.begin("train", controls.PARAMS))
