"""Lab: learned positions. A table of vectors at initialization, and nothing beyond its end."""

from functools import partial

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.pictures.matrix_view.message import Options
from alibi_viz.positions.learned import START_STD, Learned
from alibi_viz.ui import page, predict
from alibi_viz.ui import stage as layout
from alibi_viz.ui.components.matrix_view import Mark
from alibi_viz.ui.controls import rerun
from alibi_viz.ui.format import MINUS, escape_markdown, format_number
from alibi_viz.ui.vector_table import vector_table
from pages.lab_learned import charts, controls
from pages.lab_learned.study import Result, study


@rerun.fragment
def stage(lesson: Lesson) -> Result:
    """The table with its end, and what the method answers for one position."""
    picture, asked, side = layout.stage()
    with side:
        controls.show(lesson)
        layout.more(lesson, controls.TRY, partial(controls.show_more, lesson))
    result = study(controls.read())
    asks = question(lesson, result)
    with asked:
        predict.ask(asks)
    with side:
        answer(lesson, result)
    with picture:
        table(lesson, result, asks)
    return result


def question(lesson: Lesson, result: Result) -> predict.Question:
    """What does the method give for the position? Judged by its own answer."""
    last, position = result.controls.train_length - 1, result.controls.position
    names = ("own", "last", "new", "refused")
    right = ["refused"] if result.vector is None else ["own", "last"] if position == last else ["own"]
    numbers = {"last": last, "position": position}
    options = [lesson.entry("options", name, **numbers) for name in names]
    return predict.Question(lesson, options, [names.index(name) for name in right], numbers)


def answer(lesson: Lesson, result: Result) -> None:
    """What the method says when it is asked for the position."""
    layout.note(lesson, kind(result), None, st.warning if result.vector is None else st.success, **said(result))


def kind(result: Result) -> str:
    return "refused" if result.vector is None else "vector"


def said(result: Result) -> dict[str, object]:
    """The position, and its vector's first numbers or why it has none."""
    asked = {"position": result.controls.position, "problem": escape_markdown(result.refusal)}
    first = [] if result.vector is None else result.vector[:4].tolist()
    return asked | {"first": ", ".join(f"{value:.4f}".replace("-", MINUS) for value in first)}


def table(lesson: Lesson, result: Result, asks: predict.Question) -> None:
    """A column for each position; beyond the table's end they are hatched. The asked position has a frame."""
    start, values = result.window()
    position = result.controls.position
    marks: list[Mark] = []
    if start <= position < start + len(values):
        marks = [Mark(0, position, values.shape[1], position + 1, lesson.label("asked", position=position))]
    alt = predict.alt(asks, lesson.plain(kind(result), **said(result)))
    look = Options(marks=marks, size="stage", alt=alt, filename="learned-table")
    title = lesson.label("table")
    vector_table(lesson, values, 3 * START_STD, key="learned_table", title=title, start=start, **look)


def neighbors(lesson: Lesson, result: Result) -> None:
    """The cosine of two positions, by their distance."""
    cosine = format_number(result.neighbor_cosine)
    figure = charts.cosines(result, lesson.entries("chart"), dark=page.dark())
    page.chart(figure, key="cosines", alt=lesson.label("alt_neighbors", cosine=cosine), name="learned-cosines")
    page.prose(lesson, "neighbors", cosine=cosine)


def show(lesson: Lesson) -> None:
    result = stage(lesson)
    chosen, last = result.controls, result.controls.train_length - 1
    cosine = format_number(result.neighbor_cosine)
    page.what_you_see(lesson, **vars(chosen), last=last, parameters=result.parameters, cosine=cosine)
    page.formula(lesson, last=last)
    closer = {"neighbors": partial(neighbors, lesson, result), "code": partial(page.code, Learned, study)}
    layout.sections(lesson, controls.OPEN, closer)
    layout.next_lesson(lesson)
    page.sources(lesson, std=START_STD)


show(page.begin("lab_learned", controls.PARAMS))
