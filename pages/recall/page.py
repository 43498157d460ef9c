"""Recall: right answers against the distance of the key, and whether it is the key that a model follows."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.lm.recall import recall_questions
from alibi_viz.results import measured
from alibi_viz.ui import page, question
from alibi_viz.ui import stage as layout
from alibi_viz.ui.controls import method_pills, widgets
from alibi_viz.ui.controls.method_pills import TITLES
from alibi_viz.ui.format import format_share
from alibi_viz.ui.run_names import curve_line
from alibi_viz.ui.shell import navigation
from pages.recall import charts, controls, pictures, study
from pages.recall.facts import Facts, Task, Unknown, facts_of, flatter_of, table_of
from pages.recall.study import Result

MOST_OPTIONS = 5  # of a question


def stage(lesson: Lesson) -> tuple[Result, Facts] | None:
    """Right answers by distance, and what is said of them. None where no run was asked so."""
    place = layout.stage(lesson, partial(widgets.choice, controls.PAIRS), controls.TRY, controls.show_more)
    result = study.study(controls.read())
    if result is None:
        place.picture.info(lesson.text("none"))
        return None
    facts = facts_of(lesson, result)
    with place.picture:
        if result.drawn("right"):
            pictures.show(lesson, result, "right")
        else:
            st.info(lesson.text("nothing"), icon=":material/edit:")
    if facts.best:
        with place.asked:
            ask(lesson, result, facts)
        place.comment(lesson, "note", facts)
    return result, facts


def ask(lesson: Lesson, result: Result, facts: Facts) -> None:
    """Who is right most often at the farthest distance? Nothing where there is nothing to choose from."""
    shares, best = result.at_far(), result.best_at_far()
    asked = [curve.config.method for curve in result.right if curve.config.method in shares]
    first = asked[:MOST_OPTIONS]
    methods = first if set(first) & set(best) else [*first[:-1], best[0]]
    right = [number for number, method in enumerate(methods) if method in best]
    if len(right) < len(methods):
        titles = [TITLES[method] for method in methods]
        question.ask(lesson.text("predict", facts), titles, right, name="recall.predict")


def explain(lesson: Lesson, facts: Facts) -> None:
    """Who learned the task, and whether ALiBi is behind others at the farthest distance."""
    page.what_you_see(lesson, "seen", facts)
    if facts.alibi:
        page.prose(lesson, "behind", facts)


def both_controls(lesson: Lesson, result: Result, facts: Facts) -> None:
    """Another key asked, and the nearest digit."""
    page.prose(lesson, "controls", facts)
    for column, share in zip(st.columns(2, gap="medium"), study.SHARES[1:], strict=True):
        with column:
            pictures.show(lesson, result, share, 360)


def table(lesson: Lesson, result: Result, _: Facts) -> None:
    """Right answers of every method at every distance; a dash where a method cannot be asked."""
    facts = table_of(lesson, result)
    page.prose(lesson, "success", facts)
    if tried := flatter_of(result):
        page.prose(lesson, "flatter", tried)
    st.caption(lesson.text("table", facts))
    columns = {lesson.entry("columns", "method"): [TITLES[curve.config.method] for curve in result.right]}
    for distance in np.unique(np.concatenate([curve.distances for curve in result.right])):
        shares = [curve.at(distance) for curve in result.right]
        columns[f"{distance:,}"] = ["–" if share is None else format_share(share) for share in shares]
    st.dataframe(pd.DataFrame(columns), hide_index=True)
    rows = [curve_line(c).row("distance", share) for share in study.SHARES for c in result.drawn(share)]
    page.download_rows(lesson, rows, name="recall-by-distance", key="recall_csv")


def task(lesson: Lesson, _: Result, facts: Facts) -> None:
    """The task, how the models were trained, and how both were chosen."""
    page.prose(lesson, "task", Task(study.example()))
    page.prose(lesson, "trained", facts)
    page.prose(lesson, "choice")
    navigation.link("train", lesson.label("train"), {"train_text": "recall", "train_steps": "2000"})


def show(lesson: Lesson) -> None:
    shown, contents = stage(lesson), {}
    if given := method_pills.unknown(controls.CHOSEN, controls.METHODS):
        st.info(lesson.text("unknown", Unknown(given)))
    if shown:
        result, facts = shown
        explain(lesson, facts)
        page.formula(lesson, charts.formula(result), facts=facts)
        closer = {"controls": both_controls, "table": table, "task": task}
        contents = {name: partial(part, lesson, result, facts) for name, part in closer.items()}
        contents["code"] = partial(page.code, recall_questions, measured.learned, measured.recalls)
    layout.below(lesson, controls.OPEN, contents)


show(page.begin("recall", controls.PARAMS))
