"""Lab: learned positions. A table of fresh vectors, and nothing beyond its end."""

from __future__ import annotations

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.positions.learned import Learned
from alibi_viz.ui import page
from alibi_viz.ui import vector_table as lab_view
from alibi_viz.ui.controls import widgets
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.format import MINUS, escape_markdown, format_number
from pages.lab_learned import study as study

ROWS = Param("table_rows", "int", 64, low=1, high=study.LONGEST)
WIDTH = Param("table_width", "int", 64, low=1, high=study.LONGEST)
TRIED = Param("tried", "int", 64, low=0, high=1_048_576)
SEED = Param("seed", "int", 0, low=0, high=9_999)
PARAMS = (ROWS, WIDTH, TRIED, SEED)
PLAIN = {param.key: param.default for param in PARAMS}
TRY: page.Presets = {
    "last": PLAIN | {"tried": 63},
    "next": PLAIN,
    "far": PLAIN | {"tried": 1_000_000},
    "longer": PLAIN | {"table_rows": 512, "tried": 64},
}


def read_controls(lesson: Lesson) -> study.Controls:
    with st.container(border=True):
        left, right = st.columns(2, gap="large")
        with left:
            rows = int(widgets.drag(ROWS, lesson))
            width = int(widgets.drag(WIDTH, lesson))
        with right, st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
            tried = int(widgets.number(TRIED, lesson))
            seed = int(widgets.number(SEED, lesson))
    return study.Controls(rows, width, tried, seed)


def show(lesson: Lesson) -> None:
    page.try_this(lesson, TRY)
    chosen = read_controls(lesson)
    result = study.study(chosen)
    page.heading(lesson.label("try_title", tried=f"{chosen.tried:,}"))
    if result.vector is None:
        st.warning(lesson.text("refused", problem=escape_markdown(result.refusal)), icon=":material/block:")
    else:
        first = ", ".join(f"{value:.3f}".replace("-", MINUS) for value in result.vector[:6].tolist())
        st.success(lesson.text("found", tried=chosen.tried, first=first), icon=":material/check:")
    page.heading(lesson.label("table"))
    lab_view.table(lesson, result.table, (-0.06, 0.06), key="learned_table", filename="learned-table")
    numbers = {"trained": f"{chosen.trained:,}", "last": f"{chosen.trained - 1:,}", "width": chosen.width}
    page.what_you_see(lesson, **numbers, learned=f"{result.learned:,}", alike=format_number(result.alike))
    page.formula(lesson, *lesson.text("latex", last=chosen.trained - 1).split("\n"))
    page.code(Learned, study.study)
    page.sources(lesson)


lesson = page.begin("lab_learned", PARAMS)
show(lesson)
