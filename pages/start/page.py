"""Start: why positions at all, shown by a real attention that cannot tell two sentences apart."""

from functools import partial

import pandas as pd
import streamlit as st

from alibi_viz.lessons import Lesson, load
from alibi_viz.ui import page
from alibi_viz.ui import stage as layout
from alibi_viz.ui.controls import frame
from alibi_viz.ui.shell import navigation
from pages.start import controls, pictures
from pages.start.facts import facts_of, printed, runs
from pages.start.pictures import STAGE
from pages.start.study import CASES, WIDTH, Result, attention, compare, partners, run, study

IN_A_ROW = 3
OTHERS = [name for name in navigation.ICONS if name != "start"]


def stage(lesson: Lesson) -> Result | None:
    """The change of every attention weight, and the two sentences. None where there is nothing to show."""
    place = layout.stage(lesson, controls.show, controls.TRY)
    with place.picture:
        result = page.attempt(lambda: study(controls.read()))
        if result:
            pictures.changes(lesson, result, lesson.plain(f"note{kind(result)}", facts_of(result)))
    if result:
        place.comment(lesson, f"note{kind(result)}", facts_of(result))
    return result


def kind(result: Result) -> str:
    """Which sentences fit: of one sentence twice, of an order that ALiBi does not see, or of any other."""
    if result.first == result.second:
        return ".same"
    return "" if result.sees("alibi") else ".mirrored"


def outputs(lesson: Lesson, result: Result) -> None:
    """What the layer gives out: without positions and with ALiBi."""
    page.prose(lesson, "outputs", facts_of(result))
    for name in STAGE:
        pictures.outputs(lesson, result, name)
    page.download_csv(lambda: table(lesson, result), name="order-of-words.csv", key="start_csv")


def mask(lesson: Lesson, result: Result) -> None:
    """Both methods, with and without the causal mask: the largest difference of an output."""
    page.prose(lesson, "mask", facts_of(result))
    labels, of = lesson.entries("mask_table"), {name: printed(case) for name, case in result.cases.items()}
    rows = [(labels[name], of[name], of[f"{name}_masked"]) for name in STAGE]
    st.dataframe(pd.DataFrame(rows, columns=[labels[key] for key in ("method", "free", "causal")]), hide_index=True)
    if measured := runs():
        page.prose(lesson, "mask.runs", measured)


def table(lesson: Lesson, result: Result) -> pd.DataFrame:
    """Every output: a row a word, case and sentence."""
    rows = []
    for name, (method, causal) in CASES.items():
        label, case = f"{method}, causal" if causal else method, result.cases[name]
        for sentence, values in enumerate((case.first, case.second), start=1):
            rows += [(label, sentence, word, *row) for word, row in zip(result.first, values.tolist(), strict=True)]
    return pd.DataFrame(rows, columns=[*lesson.entries("columns").values(), *range(WIDTH)])


def lessons() -> None:
    """The map: one card a lesson."""
    rows = range(0, len(OTHERS), IN_A_ROW)
    columns = (column for _ in rows for column in st.columns(IN_A_ROW, gap="medium"))
    for name, column in zip(OTHERS, columns, strict=False):
        with column.container(border=True, height="stretch"):
            navigation.link(name)
            st.markdown(load(name).label("page_help"))


def shortcut(lesson: Lesson) -> None:
    """For those who have a model of their own and come for the code."""
    if not frame.presenting():
        st.caption(lesson.label("practice"))
        navigation.link("use", lesson.label("use"))


def show(lesson: Lesson) -> None:
    result, closer = stage(lesson), {"map": lessons}
    if result:
        facts = facts_of(result)
        page.what_you_see(lesson, f"seen{kind(result)}", facts)
        page.formula(lesson, facts=facts)
        closer = {"outputs": partial(outputs, lesson, result), "mask": partial(mask, lesson, result)} | closer
        closer["code"] = partial(page.code, compare, run, partners, attention)
    layout.sections(lesson, controls.OPEN, closer)
    following, practice = st.columns(2)
    with following:
        layout.next_lesson(lesson)
    with practice:
        shortcut(lesson)
    page.sources(lesson)


show(page.begin("start", controls.PARAMS))
