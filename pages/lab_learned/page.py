"""Lab: learned positions. A table of vectors at initialization, and nothing beyond its end."""

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.positions.learned import START_STD, Learned
from alibi_viz.ui import page
from alibi_viz.ui.format import MINUS, escape_markdown, format_number
from alibi_viz.ui.vector_table import vector_table
from pages.lab_learned import controls
from pages.lab_learned.study import study


def show(lesson: Lesson) -> None:
    page.try_this(lesson, controls.TRY)
    controls.show(lesson)
    result = study(controls.read())
    chosen = result.controls
    page.heading(lesson.label("try_title", position=chosen.position))
    if result.vector is None:
        st.warning(lesson.text("refused", problem=escape_markdown(result.refusal)), icon=":material/block:")
    else:
        first = ", ".join(f"{value:.4f}".replace("-", MINUS) for value in result.vector[:6].tolist())
        st.success(lesson.text("vector", position=chosen.position, first=first), icon=":material/check:")
    page.heading(lesson.label("table"))
    vector_table(lesson, result.table, 3 * START_STD, key="learned_table", filename="learned-table")
    last, cosine = chosen.train_length - 1, format_number(result.neighbor_cosine)
    page.what_you_see(lesson, **vars(chosen), last=last, parameters=result.parameters, cosine=cosine)
    page.formula(lesson, last=last)
    page.code(Learned, study)
    page.sources(lesson, std=START_STD)


show(page.begin("lab_learned", controls.PARAMS))
