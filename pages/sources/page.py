"""Where does each number come from? Sources, references that the code is checked against, and how the runs were made."""

from dataclasses import asdict
from functools import partial

import pandas as pd
import streamlit as st

from alibi_viz.checkpoints.presets import PRESETS
from alibi_viz.lessons import Lesson
from alibi_viz.positions import METHODS
from alibi_viz.ui import page
from alibi_viz.ui import stage as layout
from alibi_viz.ui.format import format_number
from pages.sources import charts, controls
from pages.sources.facts import facts_of, said_of
from pages.sources.study import EPSILON, Check, checks, method_sources, runs, tables


def stage(lesson: Lesson, found: list[Check]) -> None:
    """The dots, and the references to show."""
    names = lesson.entries("checks")
    facts = facts_of(found, names)
    place = layout.stage(lesson, controls.show)
    place.comment(lesson, "note", facts)
    with place.picture:
        chart = charts.differences(found, names, lesson.entries("chart"), EPSILON, dark=page.dark())
        alt = lesson.label("alt", facts)
        page.chart(chart, key="sources_picture", alt=alt, name="alibi-checked-against")


def listed(lesson: Lesson, section: str, rows: pd.DataFrame) -> None:
    """A sentence, and a table under it in the lesson's words."""
    page.prose(lesson, section)
    st.dataframe(rows.rename(columns=lesson.entries("columns")), hide_index=True, height="content")


def said(lesson: Lesson) -> None:
    """Claims about ALiBi, each with a verdict and the picture that shows it."""
    page.prose(lesson, "said", said_of())


def methods(lesson: Lesson) -> None:
    listed(lesson, "methods", pd.DataFrame(method_sources(), columns=["method", "source"]))


def published_tables(lesson: Lesson) -> None:
    listed(lesson, "published", pd.DataFrame(tables(), columns=["table", "what"]))


def models(lesson: Lesson) -> None:
    rows = [(preset.title, METHODS[preset.method].title, preset.heads, preset.source) for preset in PRESETS]
    listed(lesson, "models", pd.DataFrame(rows, columns=["model", "method", "heads", "source"]))


def compared(lesson: Lesson) -> None:
    rows = pd.DataFrame(map(asdict, checks()))
    rows["check"] = rows["check"].map(lesson.entries("checks"))
    for column in ("bound", "difference"):
        rows[column] = rows[column].map(partial(format_number, digits=2))
    listed(lesson, "compared", rows)


def made(lesson: Lesson) -> None:
    rows = pd.DataFrame(runs())
    rows["kind"] = rows["kind"].map(lesson.entries("kinds"))
    listed(lesson, "runs", rows.round({"hours": 1}))


def cite(lesson: Lesson) -> None:
    """BibTeX, with a button that copies it."""
    page.prose(lesson, "cite")
    st.code(lesson.text("bibtex"), language="bibtex", wrap_lines=True)


def show(lesson: Lesson) -> None:
    found = checks(controls.read().package)
    stage(lesson, found)
    page.what_you_see(lesson, "seen", facts_of(found, lesson.entries("checks")))
    page.formula(lesson)
    pieces = {
        "said": said,
        "methods": methods,
        "published": published_tables,
        "models": models,
        "checks": compared,
        "runs": made,
        "cite": cite,
    }
    layout.below(lesson, controls.OPEN, {name: partial(draw, lesson) for name, draw in pieces.items()})


show(page.begin("sources", controls.PARAMS))
