"""Where is ALiBi now? Who used it, what came beside it, and where each of these facts is written down."""

from dataclasses import asdict
from functools import partial

import pandas as pd
import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.positions import METHODS
from alibi_viz.ui import page, predict
from alibi_viz.ui import stage as layout
from alibi_viz.ui.shell import navigation
from pages.today import charts, controls, decays
from pages.today.facts import Facts, facts_of, sources_of
from pages.today.study import LAST, METHOD, OTHER, Result, study, timeline

MOST_OPTIONS = 5  # of a question
LINKS = {"long": "early_token_curse", "left": "extrapolation"}  # section -> the lesson that goes on from it


def stage(lesson: Lesson, result: Result, facts: Facts) -> None:
    """The timeline, and the control that chooses what is on it."""
    place = layout.stage(lesson, controls.show)
    asks = newest(lesson, result)
    place.comment(asks, lesson, "note", facts)
    with place.picture:
        figure = charts.timeline(result.entries, lesson.entries("lanes"), dark=page.dark())
        page.chart(figure, key="timeline", alt=lesson.label("alt", facts), name="position-methods-timeline", asks=asks)


def newest(lesson: Lesson, result: Result) -> predict.Question | None:
    """From which year is the newest model with ALiBi? None where the timeline shows no models."""
    if controls.read().show == METHOD:
        return None
    years = [int(entry.date[:4]) for entry in result.alibi_models]
    options = list(range(years[0], LAST + 1))[-MOST_OPTIONS:]
    right = [options.index(years[-1])]
    return predict.Question(lesson, [str(year) for year in options], right, begins=options[0])


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
