"""Train small models on this machine, and see how they do beyond their training length."""

from functools import partial
from math import exp
from typing import Any

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.lm import evaluation
from alibi_viz.lm.training import train_chunk
from alibi_viz.results import measured
from alibi_viz.results.measured import WORSE
from alibi_viz.ui import page
from alibi_viz.ui import stage as layout
from pages.train import controls, panel, runs_list, server
from pages.train.controls import Controls


def how(lesson: Lesson, chosen: Controls | None) -> None:
    """How a run is trained and measured, and how large the models of the controls are."""
    page.prose(lesson, "how")
    if chosen is not None:
        config = chosen.configs[0]
        size = "size.recall" if config.is_recall else "size"
        st.markdown(lesson.text(size, parameters=config.parameters, bytes=config.tokens))


def show(lesson: Lesson) -> None:
    chosen = panel.stage(lesson)
    server.warm_up()
    if unknown := controls.unknown():
        st.info(lesson.text("unknown", given=unknown))
    if chosen is not None:
        panel.seen(lesson, chosen)
        per_word = measured.shipped()[0].bytes_per_word or 1.0
        numbers: dict[str, Any] = {"worse": WORSE, "bytes_per_word": per_word, "factor": exp(WORSE / per_word)}
        page.formula(lesson, **numbers)
    closer = {"runs": partial(runs_list.show, lesson), "how": partial(how, lesson, chosen)}
    closer["code"] = partial(page.code, train_chunk, evaluation.windows, evaluation.evaluate)
    layout.sections(lesson, controls.OPEN, closer)
    layout.next_lesson(lesson)
    page.sources(lesson)


show(page.begin("train", controls.PARAMS))
