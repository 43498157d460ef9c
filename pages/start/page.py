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


def cards(lesson: Lesson, result: Result) -> None:
    """The attentions and their largest difference, side by side."""
    for column, (name, case) in zip(st.columns(len(CASES), gap="medium"), result.cases.items(), strict=True):
        with column.container(border=True, height="stretch"):
            st.markdown(lesson.text(f"case.{name}"))
            st.metric(lesson.label("largest"), format_number(case.difference))


def matrices(lesson: Lesson, result: Result, name: str) -> None:
    """Outputs of the first sentence, of the second, and their difference, on one scale."""
    case = result.cases[name]
    edge = float(max(np.abs(case.first).max(), np.abs(case.second).max()))
    outputs_of = {"first": case.first, "second": case.second, "difference": case.first - case.second}
    panels = [
        Panel(lesson.label(f"panel_{part}"), values, Colours("content", (-edge, edge)), key=key)
        for key, (part, values) in zip(("a", "b", "delta"), outputs_of.items(), strict=True)
    ]
    page.heading(lesson.text(f"{name}.title"))
    matrix_view(
        panels,
        key=f"start_{name}",
        rows=Axis(labels=tuple(result.first), name=lesson.label("rows")),
        cols=Axis(name=lesson.label("cols")),
        readout=Readout(*(lesson.text(f"readout.{part}") for part in ("allowed", "masked", "empty"))),
        filename=f"order-{name}",
    )


def comparison(lesson: Lesson, result: Result) -> None:
    """The outputs square by square, without positions and with ALiBi, and what they say."""
    plain, masked, alibi = (format_number(case.difference) for case in result.cases.values())
    sentences = [escape_markdown(text) for text in (result.controls.first, result.controls.second)]
    matrices(lesson, result, "plain")
    page.prose(lesson, "plain.seen", width=WIDTH, difference=plain, first=sentences[0], second=sentences[1])
    matrices(lesson, result, "alibi")
    if result.first == result.second:
        page.prose(lesson, "alibi.same")
        return
    page.prose(lesson, "alibi.seen", difference=alibi)
    page.prose(lesson, "masked.note", difference=masked)
    shipped_runs(lesson)


def shipped_runs(lesson: Lesson) -> None:
    """What the shipped runs gave without positions, beside ALiBi; nothing where they are missing."""
    text = {curve.config.method: curve for curve in measured.curves(measured.shipped())}
    recall = {curve.config.method: curve for curve in measured.recall_curves(measured.shipped(recall=True))}
    if not {"none", "alibi"} <= text.keys() & recall.keys():
        return
    length, distance = text["none"].config.length, int(recall["none"].distances[-1])
    numbers = {"length": length, "distance": f"{distance:,}", "seeds": len(text["none"].seeds)}
    for method in ("none", "alibi"):
        perplexity, right = text[method].at(length), recall[method].at(distance)
        if perplexity is None or right is None:
            return
        numbers |= {method: f"{perplexity:.2f}", f"{method}_right": f"{100 * right:.0f}%"}
    page.prose(lesson, "masked.runs", **numbers)


def table(lesson: Lesson, result: Result) -> pd.DataFrame:
    """Every output that is on the screen: a row a word, case and sentence."""
    rows = []
    for name, (method, causal) in CASES.items():
        label, case = f"{method}, causal" if causal else method, result.cases[name]
        for sentence, values in enumerate((case.first, case.second), start=1):
            rows += [(label, sentence, word, *row) for word, row in zip(result.first, values.tolist(), strict=True)]
    columns = [lesson.entry("columns", column) for column in ("case", "sentence", "word")]
    return pd.DataFrame(rows, columns=[*columns, *range(WIDTH)])


def show(lesson: Lesson) -> None:
    page.try_this(lesson, controls.TRY)
    controls.show(lesson)
    try:
        result = study(controls.read())
    except ValueError as error:
        page.problem(error)
        return
    cards(lesson, result)
    comparison(lesson, result)
    page.download_csv(lambda: table(lesson, result), name="order-of-words.csv", key="start_csv")
    page.code(outputs, partners, attention)


def lessons(lesson: Lesson) -> None:
    """The map: one card a lesson."""
    page.heading(lesson.label("map"))
    for first in range(0, len(LESSONS), IN_A_ROW):
        row = LESSONS[first : first + IN_A_ROW]
        for column, name in zip(st.columns(IN_A_ROW, gap="medium"), row, strict=False):
            with column.container(border=True, height="stretch"):
                navigation.link(name)
                st.markdown(lesson.text(f"map.{name}", labs=len(LABS)))


lesson = page.begin("start", controls.PARAMS)
show(lesson)
lessons(lesson)
page.sources(lesson)
