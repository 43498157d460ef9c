"""Compare: what each position method adds to a score at every distance; in sections, matrices, tests and facts.

With trained models as content the position methods alone are compared at the models' size, and a section shows the models.
"""

import streamlit as st

from alibi_viz.charts.lines import Line
from alibi_viz.lessons import Lesson
from alibi_viz.ui import page
from alibi_viz.ui import stage as layout
from alibi_viz.ui.controls.method_pills import titles
from pages.compare import charts, controls, distance, pictures, sections
from pages.compare.distance import DistanceCurve
from pages.compare.facts import Facts, Methods, facts_of
from pages.compare.study import Controls


@st.fragment
def compare_stage(lesson: Lesson) -> tuple[Controls, tuple[DistanceCurve, ...]] | None:
    """The curves of one head, and the slider that chooses it. None where there is nothing to show."""
    place = layout.stage(lesson, controls.show, controls.TRY, controls.show_more)
    chosen = page.attempt(controls.read)
    curves = distance.curves(chosen, *controls.axis()) if chosen else ()
    if chosen:
        facts = facts_of(chosen, curves, origin(lesson, chosen))
        place.comment(lesson, "note", facts)
        with place.picture:
            draw(lesson, chosen, curves, facts)
    return (chosen, curves) if chosen else None


def origin(lesson: Lesson, chosen: Controls) -> str:
    """Where the parameters of the drawn methods come from, in a sentence."""
    trained, initial = pictures.origins(chosen)
    named = Methods(titles(trained), distance.train_length(chosen))
    found = [lesson.text("origin.trained", named)] if trained else []
    return " ".join(found + ([lesson.text("origin.fresh", Methods(titles(initial)))] if initial else []))


def draw(lesson: Lesson, chosen: Controls, curves: tuple[DistanceCurve, ...], facts: Facts) -> None:
    """The score that each method adds, against distance."""
    (farthest, even), names = controls.axis(), pictures.legend(lesson, chosen)
    first = {curve.method: curve for curve in reversed(curves)}
    lines = [
        Line(
            c.method,
            names[c.method]
            if c is first[c.method]
            else lesson.label("query_at", method=names[c.method], query=c.query),
            c.distances,
            c.added,
            hollow=c is not first[c.method],
        )
        for c in curves
    ]
    labels, length = lesson.entries("chart"), distance.train_length(chosen)
    figure = charts.curves(lines, labels, dark=page.dark(), log=not even, farthest=farthest, train_length=length)
    alt = lesson.label("alt", facts, methods=", ".join(names.values()))
    page.chart(figure, key="curves", alt=alt, name="score-against-distance")


def show(lesson: Lesson) -> None:
    drawn = compare_stage(lesson)
    if drawn is None:
        return
    chosen, curves = drawn
    facts = facts_of(chosen, curves, origin(lesson, chosen))
    page.what_you_see(lesson, "seen", facts)
    if facts.follow:
        page.prose(lesson, "seen.follow", facts)
    pictures.problems(lesson, {curve.method: curve.problem for curve in curves})
    page.formula(lesson)
    layout.below(lesson, controls.OPEN, sections.contents(lesson, chosen))


show(page.begin("compare", controls.PARAMS))
