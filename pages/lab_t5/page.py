"""T5's bias: the staircase of buckets, and what training never uses."""

from functools import partial

import pandas as pd
import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.positions.t5 import T5Bias, relative_position_bucket
from alibi_viz.ui import page
from alibi_viz.ui import stage as layout
from alibi_viz.ui.controls import widgets
from pages.lab_t5 import charts, controls
from pages.lab_t5.facts import bias_of, facts_of
from pages.lab_t5.study import Result, study


@st.fragment
def lab_t5_stage(lesson: Lesson) -> Result | None:
    """The staircase, and the slider of the training length. None where there is nothing to show."""
    place = layout.stage(lesson, partial(widgets.drag, controls.TRAIN_LENGTH), controls.TRY, controls.show_more)
    result = page.attempt(lambda: study(controls.read()))
    if result:
        facts = facts_of(result)
        place.comment(lesson, "note.untrained" if result.untrained else "note.all", facts)
        with place.picture:
            labels = lesson.entries("chart")
            figure = charts.by_bucket(result, result.buckets, labels, labels["bucket"], dark=page.dark())
            page.chart(figure, key="t5_stairs", alt=lesson.label("alt", facts), name="t5-stairs")
    return result


def bias(lesson: Lesson, result: Result) -> None:
    """The bias that the buckets give, in one head; and the table of both."""
    page.prose(lesson, "initialization")
    widgets.row(lesson, controls.HEAD, controls.SEED)
    labels = lesson.entries("chart")
    alt = lesson.label("alt_bias", bias_of(result))
    figure = charts.by_bucket(result, result.bias, labels, labels["bias"], dark=page.dark(), height=320)
    page.chart(figure, key="t5_bias", alt=alt, name="t5-bias")
    columns = {"distance": result.distances, "bucket": result.buckets, "bias": result.bias}
    table = pd.DataFrame(columns).rename(columns=labels)
    page.download_csv(lambda: table, name="t5-buckets.csv", key="t5_csv")


def show(lesson: Lesson) -> None:
    result = lab_t5_stage(lesson)
    if result is None:
        return
    facts = facts_of(result)
    page.what_you_see(lesson, "seen.untrained" if result.untrained else "seen.all", facts)
    page.prose(lesson, "last_bucket", facts)
    if result.controls.bidirectional:
        page.prose(lesson, "two_sided")
    page.formula(lesson, facts=facts)
    layout.below(lesson, controls.OPEN, {"bias": partial(bias, lesson, result)}, relative_position_bucket, T5Bias)


show(page.begin("lab_t5", controls.PARAMS))
