"""The Compare page's sections below the matrices: controls, one call, a figure or a table, words.

The studies remember their latest results, so that dragging the slider of one section computes that section alone.
"""

from __future__ import annotations

import numpy as np
import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.ui import page
from alibi_viz.ui.controls import widgets
from alibi_viz.ui.controls.params import Param
from pages.compare import charts as charts
from pages.compare import distance as distance
from pages.compare import facts as compare_facts
from pages.compare import matrices as view
from pages.compare import study as study

FARTHEST = Param("farthest", "int", distance.FARTHEST, low=16, high=distance.FARTHEST)
AXIS = Param("axis", "choice", "log", choices=("log", "linear"))
SHARE = Param("share", "choice", "90%", choices=("50%", "90%", "99%"))
PAST = Param("past", "int", 1024, low=2, high=4096)
SHIFT = Param("shift", "int", 16, low=0, high=4096)
FACTS_N = Param("facts_n", "int", 512, low=1, high=2048)
MEASURE = Param("measure", "flag", False)
PARAMS = (FARTHEST, AXIS, SHARE, PAST, SHIFT, FACTS_N, MEASURE)
QUERY, KEY = 24, 16  # the pair of positions that the shift test moves


def score_against_distance(lesson: Lesson, chosen: study.Controls) -> None:
    page.heading(lesson.label("curves", head=chosen.head))
    left, right = st.columns([3, 1], gap="large", vertical_alignment="bottom")
    with left:
        farthest = int(widgets.drag(FARTHEST, lesson, log=True))
    with right:
        log = widgets.choice(AXIS, lesson) == "log"
    found = distance.curves(chosen, farthest, not log)
    titles = view.titles(lesson, chosen)
    lines = [(one.name, titles[one.name], one.distances, one.added) for one in found]
    words = lesson.entries("chart")
    figure = charts.curves(lines, words, dark=page.dark(), log=log, farthest=farthest, trained=chosen.setting.trained)
    page.chart(figure, key="curves", alt=lesson.label("curves", head=chosen.head), name="score-against-distance")
    view.problems(lesson, {one.name: one.problem for one in found})
    rows = [(title, int(d), float(a)) for _, title, ds, values in lines for d, a in zip(ds, values, strict=True)]
    header = [lesson.entry("columns", key) for key in ("method", "distance", "added")]
    page.download(lambda: page.csv_text(header, rows), name="score-against-distance.csv", key="curves_csv")
    page.prose(lesson, "curves")


def reach(lesson: Lesson, chosen: study.Controls) -> None:
    page.heading(lesson.label("reach"))
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        share = widgets.choice(SHARE, lesson)
        with st.container(width=220):
            past = int(widgets.number(PAST, lesson))
    found, column = distance.reach(chosen.methods, chosen.setting, past), SHARE.choices.index(share)
    heads = np.arange(1, chosen.setting.heads + 1)
    titles = view.titles(lesson, chosen)
    lines = [(one.name, titles[one.name], heads, one.tokens[:, column]) for one in found]
    words = lesson.entries("chart")
    figure = charts.reach(lines, words, dark=page.dark(), heads=chosen.setting.heads, chosen=chosen.head, past=past)
    page.chart(figure, key="reach", alt=lesson.label("reach"), name="reach")
    view.problems(lesson, {one.name: one.problem for one in found})
    page.prose(lesson, "reach", share=share, past=f"{past:,}")


def shift_test(lesson: Lesson, chosen: study.Controls) -> None:
    page.heading(lesson.label("shift_test"))
    shift = int(widgets.drag(SHIFT, lesson))
    rows = distance.shifted(chosen, QUERY, KEY, shift)
    st.dataframe(view.shift_table(lesson, rows), hide_index=True)
    view.problems(lesson, {one.name: one.problem for one in rows})
    numbers = {"query": QUERY, "key": KEY, "moved_query": QUERY + shift, "moved_key": KEY + shift}
    page.prose(lesson, "shift", **numbers)


def facts(lesson: Lesson, chosen: study.Controls) -> None:
    page.heading(lesson.label("facts"))
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        with st.container(width=220):
            n = int(widgets.number(FACTS_N, lesson))
        measure = widgets.flag(MEASURE, lesson)
    rows = compare_facts.facts(chosen.methods, chosen.setting, n)
    timed = view.timings(chosen.methods, chosen.setting, n) if measure else None
    frame = view.facts_table(lesson, rows, timed)
    st.dataframe(frame, hide_index=True)
    page.download(lambda: frame.to_csv(index=False), name="position-methods.csv", key="facts_csv")
    view.problems(lesson, {row.name: row.refusal for row in rows})
    page.prose(lesson, "facts", n=f"{n:,}", device=chosen.setting.device)


def order_test(lesson: Lesson, chosen: study.Controls) -> None:
    page.heading(lesson.label("order_test"))
    rows = distance.reordered(chosen)
    st.dataframe(view.order_table(lesson, rows), hide_index=True)
    view.problems(lesson, {row.name: row.problem for row in rows})
    page.prose(lesson, "order")
