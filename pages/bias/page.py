"""Bias: the matrix that ALiBi adds to the scores, at any length."""

import math
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.positions.alibi import Alibi
from alibi_viz.ui import page, question
from alibi_viz.ui import stage as layout
from pages.bias import controls, pictures, study
from pages.bias.facts import facts_of, forms_of, precision_of
from pages.bias.study import Controls, Result


@st.fragment
def bias_stage(lesson: Lesson) -> Result:
    """The matrix of one head, and the sliders that it follows."""
    place = layout.stage(lesson, controls.show, controls.TRY, further)
    result = study.study(controls.read())
    section, facts = f"note.{kind(result.controls)}", facts_of(result)
    with place.asked:
        ask(lesson, result)
    place.comment(lesson, section, facts)
    large, beside = layout.beside(place, pictures.width_beside(result.controls.heads))
    with large:
        pictures.large(lesson, result, lesson.plain(section, facts))
    with beside:
        pictures.thumbnails(lesson, result.controls)
    return result


def ask(lesson: Lesson, result: Result) -> None:
    """Which of two cells is larger: of one distance, or on the diagonal? Nothing where they are not there."""
    cells = study.compared_cells(result)
    if cells is None:
        return
    window, values = result.window, [float(result.values[cell]) for cell in cells]
    rows, cols = window.rows().tolist(), window.cols().tolist()
    options = [lesson.label("one_cell", query=f"{rows[r]:,}", key=f"{cols[c]:,}") for r, c in cells]
    alike = abs(values[0] - values[1]) <= study.ALIKE * max(map(abs, values))
    right = 2 if alike else int(np.argmax(values))
    section = "predict.after" if result.controls.after else "predict"
    options.append(lesson.label("alike"))
    question.ask(lesson.text(section, facts_of(result)), options, [right], name=f"bias.{section}")


def further(lesson: Lesson) -> None:
    """What is behind “More”: further controls, and the numbers of the picture as a file."""
    controls.show_more(lesson)
    chosen = controls.read()
    page.download_csv(partial(table, chosen), name=f"alibi-bias-{chosen.n}-head-{chosen.head}.csv", key="bias_csv")


def table(chosen: Controls) -> pd.DataFrame:
    """The matrix of the stage: a row a query, a column a key."""
    result = study.study(chosen)
    values = pd.DataFrame(result.values, result.window.rows(), result.window.cols())
    return values.reset_index(names="query \\ key")


def kind(chosen: Controls) -> str:
    """Which sentences fit what is on the screen."""
    if not chosen.causal and chosen.form in ("distance", "key only"):
        return "reward"
    if chosen.after:
        return "after"
    return "key_only" if chosen.form == "key only" else "bias"


def forms(lesson: Lesson, result: Result) -> None:
    """The weights of the forms against each other, where they differ."""
    page.prose(lesson, "forms", forms_of(result))


def elsewhere(lesson: Lesson, result: Result) -> None:
    """The same slope in an encoder, and over the patches of an image."""
    for column, show in zip(st.columns(2, gap="medium"), (pictures.encoder, pictures.image), strict=True):
        with column:
            show(lesson, result)
    page.prose(lesson, "elsewhere", facts_of(result))


def formats(lesson: Lesson, result: Result) -> None:
    """What each number format makes of the bias, and of the weights."""
    facts = precision_of(result)
    of_each = [(result.slope, facts.n, dtype) for dtype in study.DTYPES]
    _, error = study.precision(result.slope, facts.n, facts.dtype)
    page.prose(lesson, "overflow" if math.isinf(error) else "precision", facts)
    rows = [(of[-1], *study.precision(*of), *study.weight_errors(*of)) for of in of_each]
    st.caption(lesson.text("formats", facts))
    st.dataframe(pd.DataFrame(rows, columns=[*lesson.entries("columns").values()]), hide_index=True)


def show(lesson: Lesson) -> None:
    result = bias_stage(lesson)
    chosen, form = result.controls, study.FORMS[result.controls.form]
    facts = facts_of(result)
    page.what_you_see(lesson, f"seen.{kind(chosen)}", facts)
    page.prose(lesson, "memory", facts)
    page.formula(lesson, section=f"formula.{form}", facts=facts)
    parts = {"forms": forms, "elsewhere": elsewhere, "formats": formats}
    closer = {name: partial(part, lesson, result) for name, part in parts.items()}
    code = (Alibi.bias_by_distance, Alibi.score_bias, study.cells, study.weights)
    layout.below(lesson, controls.OPEN, closer, *code)


show(page.begin("bias", controls.PARAMS))
