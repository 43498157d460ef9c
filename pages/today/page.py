"""Where is ALiBi now? Who used it, what came beside it, and where each of these facts is written down."""

from dataclasses import asdict
from functools import partial

import pandas as pd
import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.positions import METHODS
from alibi_viz.ui import page
from alibi_viz.ui import stage as layout
from alibi_viz.ui.shell import navigation
from pages.today import charts, controls, decays
from pages.today.facts import Facts, facts_of, sources_of
from pages.today.study import OTHER, Result, study, timeline

LINKS = {"long": "early_token_curse", "left": "extrapolation"}  # section -> the lesson that goes on from it


def stage(lesson: Lesson, result: Result, facts: Facts) -> None:
    """The timeline, and the control that chooses what is on it."""
    place = layout.stage(lesson, controls.show)
    place.comment(lesson, "note", facts)
    with place.picture:
        figure = charts.timeline(result.entries, lesson.entries("lanes"), dark=page.dark())
        page.chart(figure, key="timeline", alt=lesson.label("alt", facts), name="position-methods-timeline")


def question(lesson: Lesson, name: str, facts: Facts) -> None:
    """The answer to one question, and the lesson that goes on from it."""
    page.prose(lesson, f"question.{name}", facts)
    if name in LINKS:
        navigation.link(LINKS[name])


def entries(lesson: Lesson, result: Result) -> None:
    """What is on the timeline, to read and to download."""
    table, labels = pd.DataFrame(map(asdict, result.entries)), lesson.entries("columns")
    links = {labels["url"]: st.column_config.LinkColumn()}
    titles = {name: method.title for name, method in METHODS.items()} | {OTHER: lesson.label("other")}
    shown = table.assign(method=[titles[entry.method] for entry in result.entries])
    st.dataframe(shown.rename(columns=labels), hide_index=True, height=460, column_config=links)
    page.download_csv(lambda: table, name="timeline.csv", key="timeline_csv")


def show(lesson: Lesson) -> None:
    result = study(controls.read())
    facts = facts_of(result, lesson.entries("lanes"))
    stage(lesson, result, facts)
    page.what_you_see(lesson, "seen", facts)
    closer = {name: partial(question, lesson, name, facts) for name in controls.QUESTIONS}
    closer["decays"] = partial(decays.show, lesson)
    closer["entries"] = partial(entries, lesson, result)
    layout.below(lesson, controls.OPEN, closer, sources=sources_of(timeline()))


show(page.begin("today", controls.PARAMS))
