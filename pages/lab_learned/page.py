"""Lab: learned positions. The table of a trained model, and nothing beyond its end."""

from functools import partial

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.pictures.matrix_view.message import Options
from alibi_viz.positions.learned import START_STD, Learned
from alibi_viz.ui import page
from alibi_viz.ui import stage as layout
from alibi_viz.ui.components.matrix_view import Mark
from alibi_viz.ui.vector_table import vector_table
from pages.lab_learned import charts, controls
from pages.lab_learned.facts import Sources, facts_of
from pages.lab_learned.study import Result, study


@st.fragment
def lab_learned_stage(lesson: Lesson) -> Result | None:
    """The trained table with its end, and what the method answers for one position. None where there is no such table."""
    place = layout.stage(lesson, controls.show, controls.TRY, about)
    result = page.attempt(lambda: study(controls.read()))
    if result is None:
        return None
    with place.side:
        answer(lesson, result)
    with place.picture:
        table(lesson, result)
    return result


def answer(lesson: Lesson, result: Result) -> None:
    """What the method says when it is asked for the position."""
    layout.note(lesson, kind(result), facts_of(result), st.warning if result.vector is None else st.success)


def kind(result: Result) -> str:
    return "refused" if result.vector is None else "vector"


def table(lesson: Lesson, result: Result) -> None:
    """A column for each position; beyond the table's end they are hatched. The asked position has a frame."""
    position = result.controls.position
    start, values = result.trained.window(position)
    marks: list[Mark] = []
    if start <= position < start + len(values):
        marks = [Mark(0, position, values.shape[1], position + 1, lesson.label("asked", position=position))]
    alt = lesson.plain(kind(result), facts_of(result))
    look = Options(marks=marks, size="stage", alt=alt, filename="learned-table")
    edge, title = 3 * float(result.trained.values.std()), lesson.label("trained")
    vector_table(lesson, values, edge, key="learned_table", title=title, start=start, **look)


def about(lesson: Lesson) -> None:
    """Whose table it is."""
    st.caption(lesson.text("about"))


def neighbors(lesson: Lesson, result: Result) -> None:
    """The cosine of two positions, by their distance."""
    facts = facts_of(result)
    figure = charts.cosines(result, lesson.entries("chart"), dark=page.dark())
    page.chart(figure, key="cosines", alt=lesson.label("alt_neighbors", facts), name="learned-cosines")
    page.prose(lesson, "neighbors", facts)


def start(lesson: Lesson, result: Result) -> None:
    """A table before training: random numbers."""
    controls.show_start(lesson)
    first, values = result.start.window(result.controls.rows)
    title, look = lesson.label("start"), Options(filename="learned-start")
    vector_table(lesson, values, 3 * START_STD, key="start_table", title=title, start=first, **look)
    page.prose(lesson, "start", facts_of(result))


def show(lesson: Lesson) -> None:
    result = lab_learned_stage(lesson)
    if result is None:
        return
    facts = facts_of(result)
    page.what_you_see(lesson, "seen", facts)
    page.formula(lesson, facts=facts)
    closer = {"neighbors": partial(neighbors, lesson, result), "start": partial(start, lesson, result)}
    layout.below(lesson, controls.OPEN, closer, Learned, study, sources=Sources())


show(page.begin("lab_learned", controls.PARAMS))
