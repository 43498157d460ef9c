"""Lab: learned positions. A table of fresh vectors, and nothing beyond its end."""

from __future__ import annotations

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.positions.learned import Learned
from alibi_viz.studies import lab_learned as study
from alibi_viz.ui import controls, lab_view, page, texts
from alibi_viz.ui.params import Param

ROWS = Param("table_rows", "int", 64, low=1, high=study.LONGEST)
WIDTH = Param("table_width", "int", 64, low=1, high=study.LONGEST)
TRIED = Param("tried", "int", 64, low=0, high=1_048_576)
SEED = Param("seed", "int", 0, low=0, high=9_999)
PARAMS = (ROWS, WIDTH, TRIED, SEED)
PLAIN = {param.key: param.default for param in PARAMS}
TRY: page.Settings = {
    "last": PLAIN | {"tried": 63},
    "next": PLAIN,
    "far": PLAIN | {"tried": 1_000_000},
    "longer": PLAIN | {"table_rows": 512, "tried": 64},
}


def read_controls(lesson: Lesson) -> study.Controls:
    with st.container(border=True):
        left, right = st.columns(2, gap="large")
        with left:
            rows = int(controls.drag(ROWS, lesson))
            width = int(controls.drag(WIDTH, lesson))
        with right, st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
            tried = int(controls.number(TRIED, lesson))
            seed = int(controls.number(SEED, lesson))
    return study.Controls(rows, width, tried, seed)


def show(lesson: Lesson) -> None:
    page.tries(lesson, TRY)
    chosen = read_controls(lesson)
    result = study.study(chosen)
    st.subheader(lesson.label("try_title", tried=f"{chosen.tried:,}"), anchor=False)
    if result.vector is None:
        st.warning(lesson.text("refused", problem=texts.plain(result.refusal)), icon=":material/block:")
    else:
        first = ", ".join(f"{value:.3f}".replace("-", texts.MINUS) for value in result.vector[:6].tolist())
        st.success(lesson.text("found", tried=chosen.tried, first=first), icon=":material/check:")
    st.subheader(lesson.label("table"), anchor=False)
    lab_view.table(lesson, result.table, (-0.06, 0.06), key="learned_table", filename="learned-table")
    numbers = {"trained": f"{chosen.trained:,}", "last": f"{chosen.trained - 1:,}", "width": chosen.width}
    page.seen(lesson, **numbers, learned=f"{result.learned:,}", alike=texts.number(result.alike))
    page.formula(lesson, *lesson.text("latex", last=chosen.trained - 1).split("\n"))
    page.code(Learned, study.study)
    page.sources(lesson)


lesson = page.start("lab_learned", PARAMS)
show(lesson)
