"""Lab: learned positions. A table of vectors at initialization, and nothing beyond its end."""

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.positions.learned import Learned
from alibi_viz.ui import page
from alibi_viz.ui.format import MINUS, escape_markdown, format_number
from alibi_viz.ui.vector_table import vector_table
from pages.lab_learned import controls
from pages.lab_learned.study import Result, study


def answer(lesson: Lesson, result: Result) -> None:
    """The vector of the position that was asked for, or what the method says where there is none."""
    position = result.controls.position
    page.heading(lesson.label("try_title", position=f"{position:,}"))
    if result.vector is None:
        st.warning(lesson.text("refused", problem=escape_markdown(result.refusal)), icon=":material/block:")
        return
    first = ", ".join(f"{value:.3f}".replace("-", MINUS) for value in result.vector[:6].tolist())
    st.success(lesson.text("vector", position=position, first=first), icon=":material/check:")


def show(lesson: Lesson) -> None:
    page.try_this(lesson, controls.TRY)
    controls.show(lesson)
    result = study(controls.read())
    answer(lesson, result)
    page.heading(lesson.label("table"))
    vector_table(lesson, result.table, 0.06, key="learned_table", filename="learned-table")
    rows, cosine = result.controls.train_length, format_number(result.neighbor_cosine)
    numbers = {"train_length": f"{rows:,}", "last": f"{rows - 1:,}", "width": result.controls.width}
    page.what_you_see(lesson, **numbers, parameters=f"{result.parameters:,}", cosine=cosine)
    page.formula(lesson, *lesson.text("latex", last=rows - 1).split("\n"))
    page.code(Learned, study)
    page.sources(lesson)


show(page.begin("lab_learned", controls.PARAMS))
