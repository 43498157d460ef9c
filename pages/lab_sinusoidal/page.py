"""Lab: sinusoidal positions. How similar two positions are, from one wave and from all of them."""

from functools import partial

import pandas as pd
import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.positions.sinusoidal import Sinusoidal, sinusoidal_vectors
from alibi_viz.ui import page
from alibi_viz.ui import stage as layout
from alibi_viz.ui.vector_table import vector_table
from pages.lab_sinusoidal import charts, controls
from pages.lab_sinusoidal.facts import facts_of
from pages.lab_sinusoidal.study import Result, study


@st.fragment
def lab_sinusoidal_stage(lesson: Lesson) -> Result:
    """The two similarities, and the sliders that change them."""
    place = layout.stage(lesson, controls.show, controls.TRY, controls.show_more)
    result = study(controls.read())
    labels, facts = lesson.entries("chart"), facts_of(result)
    names = (labels["one_pair"].format(pair=facts.pair), labels["all_pairs"].format(width=facts.width))
    place.comment(lesson, "note", facts)
    with place.picture:
        figure = charts.similarity(result, names, labels, dark=page.dark())
        page.chart(figure, key="alike", alt=lesson.label("alt", facts), name="sinusoidal-similarity")
    return result


def waves(lesson: Lesson, result: Result) -> None:
    """Sine and cosine of the chosen pair."""
    page.prose(lesson, "waves")
    figure = charts.waves(result, lesson.entries("chart"), dark=page.dark())
    page.chart(figure, key="waves", alt=lesson.label("waves", facts_of(result)), name="sinusoidal-waves")


def table(lesson: Lesson, result: Result) -> None:
    """The vector of every position."""
    page.prose(lesson, "table")
    vector_table(lesson, result.table, 1.0, key="sinusoidal_table", filename="sinusoidal-table")


def numbers(lesson: Lesson, result: Result) -> None:
    """Both curves, to read and to download."""
    labels = lesson.entries("columns")
    columns = {"distance": result.distances, "one_pair": result.one_pair, "all_pairs": result.dot_products}
    rows = pd.DataFrame(columns).rename(columns=labels)
    st.dataframe(rows, hide_index=True, height=min(38 + 35 * len(rows), 460))
    page.download_csv(lambda: rows, name="sinusoidal-similarity.csv", key="alike_csv")


def show(lesson: Lesson) -> None:
    result = lab_sinusoidal_stage(lesson)
    facts = facts_of(result)
    page.what_you_see(lesson, "seen", facts)
    page.formula(lesson, facts=facts)
    closer = {"waves": partial(waves, lesson, result), "table": partial(table, lesson, result)}
    closer["numbers"] = partial(numbers, lesson, result)
    layout.below(lesson, controls.OPEN, closer, sinusoidal_vectors, Sinusoidal, study)


show(page.begin("lab_sinusoidal", controls.PARAMS))
