"""Start: why positions at all, shown by a real attention that cannot tell two sentences apart."""

import numpy as np
import pandas as pd
import streamlit as st

from alibi_viz import measured
from alibi_viz.lessons import Lesson
from alibi_viz.ui import page
from alibi_viz.ui.components.matrix_view import Axis, Colours, Panel, Readout, matrix_view
from alibi_viz.ui.format import escape_markdown, format_number
from alibi_viz.ui.shell import navigation
from pages.start import controls
from pages.start.study import CASES, WIDTH, Result, attention, outputs, partners, study

IN_A_ROW = 3
LABS = [name for name in navigation.ICONS if name.startswith("lab_")]
LESSONS = [name for name in navigation.ICONS if name != navigation.FIRST and name not in LABS]


def matrices(lesson: Lesson, result: Result, name: str) -> None:
    """Outputs of the first sentence, of the second, and their difference, on one scale."""
    case = result.cases[name]
    edge = float(max(np.abs(case.first).max(), np.abs(case.second).max()))
    values = {"a": case.first, "b": case.second, "delta": case.first - case.second}
    colors = Colours("content", (-edge, edge))
    panels = [Panel(lesson.label(f"panel_{key}"), values[key], colors, key=key) for key in values]
    rows, cols = Axis(labels=tuple(result.first), name=lesson.label("rows")), Axis(name=lesson.label("cols"))
    readout = Readout(*(lesson.text(f"readout.{part}") for part in ("allowed", "masked", "empty")))
    page.heading(lesson.text(f"{name}.title"))
    matrix_view(panels, key=f"start_{name}", rows=rows, cols=cols, readout=readout, filename=f"order-{name}")


def comparison(lesson: Lesson, result: Result) -> None:
    """Each attention's largest difference, the outputs without positions and with ALiBi, and what they say."""
    differences = {name: format_number(case.difference) for name, case in result.cases.items()}
    for column, (name, difference) in zip(st.columns(len(CASES), gap="medium"), differences.items(), strict=True):
        with column.container(border=True, height="stretch"):
            st.markdown(lesson.text(f"case.{name}"))
            st.metric(lesson.label("largest"), difference)
    first, second = (escape_markdown(text) for text in (result.controls.first, result.controls.second))
    matrices(lesson, result, "plain")
    page.prose(lesson, "plain.seen", width=WIDTH, difference=differences["plain"], first=first, second=second)
    matrices(lesson, result, "alibi")
    if result.first == result.second:
        page.prose(lesson, "alibi.same")
        return
    page.prose(lesson, "alibi.seen", difference=differences["alibi"])
    page.prose(lesson, "masked.note", difference=differences["masked"])
    shipped_runs(lesson)


def shipped_runs(lesson: Lesson) -> None:
    """What the shipped runs gave without positions, beside ALiBi; nothing where they are missing."""
    text = {curve.config.method: curve for curve in measured.curves(measured.shipped())}
    if not {"none", "alibi"} <= text.keys():
        return
    length, seeds = text["none"].config.length, len(text["none"].seeds)
    numbers = {method: text[method].at(length) for method in ("none", "alibi")}
    if None not in numbers.values():
        page.prose(lesson, "masked.runs", length=length, seeds=seeds, **numbers)


def table(lesson: Lesson, result: Result) -> pd.DataFrame:
    """Every output that is on the screen: a row a word, case and sentence."""
    rows = []
    for name, (method, causal) in CASES.items():
        label, case = f"{method}, causal" if causal else method, result.cases[name]
        for sentence, values in enumerate((case.first, case.second), start=1):
            rows += [(label, sentence, word, *row) for word, row in zip(result.first, values.tolist(), strict=True)]
    return pd.DataFrame(rows, columns=[*lesson.entries("columns").values(), *range(WIDTH)])


def show(lesson: Lesson) -> None:
    page.try_this(lesson, controls.TRY)
    controls.show(lesson)
    result = page.attempt(lambda: study(controls.read()))
    if result is None:
        return
    comparison(lesson, result)
    page.download_csv(lambda: table(lesson, result), name="order-of-words.csv", key="start_csv")
    page.code(outputs, partners, attention)


def lessons(lesson: Lesson) -> None:
    """The map: one card a lesson."""
    page.heading(lesson.label("map"))
    rows = range(0, len(LESSONS), IN_A_ROW)
    columns = (column for _ in rows for column in st.columns(IN_A_ROW, gap="medium"))
    for name, column in zip(LESSONS, columns, strict=False):
        with column.container(border=True, height="stretch"):
            navigation.link(name)
            st.markdown(lesson.text(f"map.{name}", labs=len(LABS)))


lesson = page.begin("start", controls.PARAMS)
show(lesson)
lessons(lesson)
page.sources(lesson)
