"""Start: why positions at all, shown by a real attention that cannot tell two sentences apart."""

from __future__ import annotations

import numpy as np
import streamlit as st

from alibi_viz import measured
from alibi_viz.lessons import Lesson
from alibi_viz.ui import page
from alibi_viz.ui.components.matrix_view import Axis, Panel, Readout, matrix_view
from alibi_viz.ui.controls import widgets
from alibi_viz.ui.controls.params import Param, printable
from alibi_viz.ui.format import escape_markdown, format_number
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.shell.sidebar import chosen_device
from pages.start import study as study

FIRST = Param("first", "text", "the cat chases the mouse", longest=400)
SECOND = Param("second", "text", "the mouse chases the cat", longest=400)
PARAMS = (FIRST, SECOND)
TRY: page.Presets = {
    "cats": {"first": FIRST.default, "second": SECOND.default},
    "dogs": {"first": "dog bites man", "second": "man bites dog"},
    "same": {"first": "we came and we saw", "second": "we came and we saw"},
    "long": {
        "first": "only the old man told the young man that he had lost",
        "second": "the young man told the old man that only he had lost",
    },
}
LESSONS = ("slopes", "bias", "attention", "compare", "extrapolation", "early_token_curse")
IN_A_ROW = 3
LABS = sum(name.startswith("lab_") for name in navigation.ICONS)


def panels(lesson: Lesson, case: study.Case) -> list[Panel]:
    """Outputs of the first sentence, of the second, and their difference, on one scale."""
    edge = float(max(np.abs(case.first).max(), np.abs(case.second).max()))
    parts = (
        ("first", "a", case.first),
        ("second", "b", case.reordered),
        ("difference", "delta", case.first - case.reordered),
    )
    return [
        Panel(lesson.label(f"panel_{name}"), values, "content", (-edge, edge), key=key) for name, key, values in parts
    ]


def compare(lesson: Lesson, result: study.Result, case: study.Case, name: str) -> None:
    """The outputs of both sentences, square by square."""
    rows = Axis(count=len(result.first), labels=tuple(result.first), name=lesson.label("rows"))
    cols = Axis(count=study.WIDTH, name=lesson.label("cols"))
    readout = Readout(*(lesson.text(f"readout.{part}") for part in ("allowed", "masked", "empty")))
    page.heading(lesson.text(f"{name}.title"))
    matrix_view(
        panels(lesson, case),
        key=f"start_{name}",
        rows=rows,
        cols=cols,
        readout=readout,
        filename=f"order-{name}",
    )


def show(lesson: Lesson) -> None:
    page.try_this(lesson, TRY)
    left, right = st.columns(2, gap="medium")
    with left:
        first = widgets.line(FIRST, lesson)
    with right:
        second = widgets.line(SECOND, lesson)
    try:
        result = study.study(first, second, chosen_device())
    except study.NotSameWords as problem:
        extra = ", ".join(escape_markdown(printable(word)) for word in problem.extra[:8])
        st.warning(lesson.text("problem.same_words", extra=extra), icon=":material/edit:")
        return
    except ValueError as problem:
        page.problem(problem)
        return
    cards(lesson, result)
    compare(lesson, result, result.plain, "plain")
    page.prose(
        lesson,
        "plain.seen",
        width=study.WIDTH,
        difference=format_number(result.plain.difference),
        first=escape_markdown(first),
        second=escape_markdown(second),
    )
    compare(lesson, result, result.alibi, "alibi")
    if result.first == result.second:
        page.prose(lesson, "alibi.same")
    else:
        page.prose(lesson, "alibi.seen", difference=format_number(result.alibi.difference))
        page.prose(lesson, "masked.note", difference=format_number(result.masked.difference))
        runs(lesson)
    page.download(lambda: csv(lesson, result), name="order-of-words.csv", key="start_csv")
    page.code(study.outputs, study.partners, study.attention)


def runs(lesson: Lesson) -> None:
    """What the shipped runs gave without positions, beside ALiBi; nothing where they are missing."""
    text = {one.config.method: one for one in measured.curves(measured.shipped(), "nonoverlapping")}
    recall = {one.config.method: one for one in measured.recall_curves(measured.shipped(recall=True))}
    if not {"none", "alibi"} <= text.keys() & recall.keys():
        return
    length, distance = text["none"].config.length, int(recall["none"].distances[-1])
    numbers = {"length": length, "distance": f"{distance:,}", "seeds": len(text["none"].seeds)}
    for method in ("none", "alibi"):
        perplexity, right = text[method].at(length), recall[method].at(distance)
        if perplexity is None or right is None:
            return
        numbers |= {method: f"{perplexity:.2f}", f"{method}_right": f"{100 * right:.0f} %"}
    page.prose(lesson, "masked.runs", **numbers)


def csv(lesson: Lesson, result: study.Result) -> str:
    """Every output that is on the screen: a row a word, case and sentence."""
    words = lesson.entries("columns")
    header = [words["case"], words["sentence"], words["word"], *range(study.WIDTH)]
    rows = []
    for name, case in (("none", result.plain), ("none, causal", result.masked), ("alibi, causal", result.alibi)):
        for number, outputs in ((1, case.first), (2, case.reordered)):
            rows += [[name, number, word, *row] for word, row in zip(result.first, outputs.tolist(), strict=True)]
    return page.csv_text(header, rows)


def cards(lesson: Lesson, result: study.Result) -> None:
    """The three attentions and their largest difference, side by side."""
    cases = {"plain": result.plain, "masked": result.masked, "alibi": result.alibi}
    for column, (name, case) in zip(st.columns(3, gap="medium"), cases.items(), strict=True):
        with column.container(border=True, height="stretch"):
            st.markdown(lesson.text(f"case.{name}"))
            st.metric(lesson.label("largest"), format_number(case.difference))


def lessons(lesson: Lesson) -> None:
    """The map: one card a lesson."""
    page.heading(lesson.label("map"))
    for first in range(0, len(LESSONS), IN_A_ROW):
        for column, name in zip(st.columns(IN_A_ROW, gap="medium"), LESSONS[first : first + IN_A_ROW], strict=False):
            with column.container(border=True, height="stretch"):
                navigation.link(name)
                st.markdown(lesson.text(f"map.{name}", labs=LABS))


lesson = page.begin("start", PARAMS)
show(lesson)
lessons(lesson)
page.sources(lesson)
