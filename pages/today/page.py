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
from pages.today import charts, controls
from pages.today.study import FAR, FIRST, LAST, METHOD, L, Result, study

MOST_OPTIONS = 5  # of a question
LINKS = {"long": "early_token_curse", "left": "extrapolation"}  # section -> the lesson that goes on from it


def words(lesson: Lesson, result: Result) -> dict[str, object]:
    """The names, dates and numbers that the sentences share."""
    models, lanes = result.alibi_models, lesson.entries("lanes")
    newer: dict[str, list[str]] = {}  # method -> names
    for entry in result.newer:
        newer.setdefault(lanes[entry.method], []).append(entry.name)
    listed = "; ".join(f"{method}: {', '.join(names)}" for method, names in newer.items())
    names: dict[str, object] = {"models": ", ".join(entry.name for entry in models), "newer": listed}
    names |= {"first_date": models[0].date, "newest": models[-1].name, "newest_date": models[-1].date}
    return names | {"trained": L, "far": FAR, "from_year": FIRST, "to_year": LAST, **result.perplexity}


def stage(lesson: Lesson, result: Result) -> None:
    """The timeline, and the control that chooses what is on it."""
    picture, asked, side = layout.stage()
    asks = newest(lesson, result)
    with asked:
        predict.ask(asks)
    with side:
        controls.show(lesson)
        layout.note(lesson, **words(lesson, result))
    with picture:
        figure = charts.timeline(result.entries, lesson.entries("lanes"), dark=page.dark())
        alt = lesson.label("alt", **words(lesson, result))
        page.chart(figure, key="timeline", alt=alt, name="position-methods-timeline", asks=asks)


def newest(lesson: Lesson, result: Result) -> predict.Question | None:
    """From which year is the newest model with ALiBi? None where the timeline shows no models."""
    if controls.read().show == METHOD:
        return None
    years = [int(entry.date[:4]) for entry in result.alibi_models]
    options = list(range(years[0], LAST + 1))[-MOST_OPTIONS:]
    right = [options.index(years[-1])]
    return predict.Question(lesson, [str(year) for year in options], right, begins=options[0])


def question(lesson: Lesson, name: str, result: Result) -> None:
    """The answer to one question, and the lesson that goes on from it."""
    page.prose(lesson, f"question.{name}", **words(lesson, result))
    if name in LINKS:
        navigation.link(LINKS[name])


def entries(lesson: Lesson, result: Result) -> None:
    """What is on the timeline, to read and to download."""
    table, labels = pd.DataFrame(map(asdict, result.entries)), lesson.entries("columns")
    links = {labels["url"]: st.column_config.LinkColumn()}
    shown = table.assign(method=[METHODS[entry.method].title for entry in result.entries])
    st.dataframe(shown.rename(columns=labels), hide_index=True, height=460, column_config=links)
    page.download_csv(lambda: table, name="timeline.csv", key="timeline_csv")


def show(lesson: Lesson) -> None:
    result = study(controls.read())
    stage(lesson, result)
    page.what_you_see(lesson, **words(lesson, result))
    closer = {name: partial(question, lesson, name, result) for name in controls.QUESTIONS}
    layout.sections(lesson, controls.OPEN, closer | {"entries": partial(entries, lesson, result)})
    layout.next_lesson(lesson)
    rows = (f"- {e.date}, **{e.name}**: {e.what} [{e.source}]({e.url})" for e in study(controls.Controls()).entries)
    page.sources(lesson, timeline="\n".join(rows))


show(page.begin("today", controls.PARAMS))
