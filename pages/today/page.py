"""Where is ALiBi now? Who used it, what came beside it, and where each of these facts is written down."""

from dataclasses import asdict

import pandas as pd

from alibi_viz.lessons import Lesson
from alibi_viz.ui import page
from alibi_viz.ui.shell import navigation
from pages.today import charts, controls
from pages.today.study import FAR, L, Result, study

LINKS = {"long": "early_token_curse", "left": "extrapolation"}  # question -> the lesson that goes on from it


def questions(lesson: Lesson, result: Result) -> None:
    """The short sections under the timeline."""
    models, newest = ", ".join(entry.name for entry in result.alibi_models), result.alibi_models[-1]
    numbers: dict[str, object] = {"models": models, "newest": newest.name, "newest_date": newest.date}
    numbers |= {"trained": L, "far": FAR, **result.perplexity}
    for name, title in lesson.entries("questions").items():
        page.heading(title)
        page.prose(lesson, f"question.{name}", **numbers)
        if name in LINKS:
            navigation.link(LINKS[name])


def show(lesson: Lesson) -> None:
    controls.show(lesson)
    result = study(controls.read())
    figure = charts.timeline(result.entries, lesson.entries("lanes"), dark=page.dark())
    page.chart(figure, key="timeline", alt=lesson.label("alt"), name="position-methods-timeline")
    page.download_csv(lambda: pd.DataFrame(map(asdict, result.entries)), name="timeline.csv", key="timeline_csv")
    questions(lesson, result)
    rows = (f"- {e.date}, **{e.name}**: {e.what} [{e.source}]({e.url})" for e in study(controls.Controls()).entries)
    page.sources(lesson, timeline="\n".join(rows))


show(page.begin("today", controls.PARAMS))
