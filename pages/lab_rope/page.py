"""RoPE: a position as the angles of clocks, one for each pair of dimensions; scaling, layouts and forms."""

from functools import partial

import pandas as pd
import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.positions.rotary import Rotary, inv_freq, scaled_inv_freq, turn
from alibi_viz.ui import page
from alibi_viz.ui import stage as layout
from alibi_viz.ui.components.clocks import Dials, Position, clocks
from alibi_viz.ui.controls import widgets
from alibi_viz.ui.format import format_number
from pages.lab_rope import charts, controls
from pages.lab_rope.facts import Facts, facts_of, forms_of
from pages.lab_rope.study import Result, average, study


@st.fragment
def lab_rope_stage(lesson: Lesson) -> Result | None:
    """The clocks, and the slider that turns them. None where there is nothing to show."""
    place = layout.stage(lesson, controls.show, controls.TRY, controls.show_more)
    result = page.attempt(lambda: study(controls.read()))
    if result:
        facts = facts_of(result)
        place.comment(lesson, "note.past" if facts.past else "note.inside", facts)
        with place.picture:
            dials(lesson, result, facts)
    return result


def dials(lesson: Lesson, result: Result, facts: Facts) -> None:
    """The clocks; their hands also follow the slider inside the browser."""
    tokens, position = tuple(map(format_number, result.wavelengths)), result.controls.position
    names = tuple(lesson.label("dial", pair=pair, wavelength=wavelength) for pair, wavelength in enumerate(tokens))
    clocks(
        Dials(1 / result.wavelengths, position / result.wavelengths, result.trained_turns, names, tokens),
        look="rope",
        key="rope_clocks",
        legend=lesson.entries("legend"),
        alt=lesson.label("alt", facts),
        follows=[Position(controls.CHANNEL, position)],
        size="stage",
        filename="rope-clocks",
    )


def wavelengths(lesson: Lesson, result: Result) -> None:
    """Tokens for a full turn of each pair."""
    figure = charts.wavelengths(result, lesson.entries("chart"), dark=page.dark())
    alt = lesson.label("alt_wavelengths", facts_of(result))
    page.chart(figure, key="wavelengths", alt=alt, name="rope-wavelengths")


@st.fragment
def lab_rope_score(lesson: Lesson) -> None:
    """The average score, and the slider of its farthest distance."""
    page.prose(lesson, "score")
    widgets.drag(controls.FARTHEST, lesson)
    result, labels = study(controls.read()), lesson.entries("chart")
    curve = average(result)
    alt = lesson.label("alt_score", farthest=result.controls.farthest, last=format_number(curve.score[-1]))
    page.chart(charts.score(result, curve, labels, dark=page.dark()), key="rope_score", alt=alt, name="rope-score")
    columns = {"distance": curve.distances, "scaled": curve.score, "plain": curve.plain_score}
    table = pd.DataFrame(columns).rename(columns=labels)
    page.download_csv(lambda: table, name="rope-score.csv", key="rope_csv")


def forms(lesson: Lesson, result: Result) -> None:
    """Two layouts and two forms, compared."""
    page.prose(lesson, "forms", forms_of(result.controls))


def show(lesson: Lesson) -> None:
    result = lab_rope_stage(lesson)
    if result is None:
        return
    facts = facts_of(result)
    page.what_you_see(lesson, "seen", facts)
    if result.controls.scaling != "none":
        page.prose(lesson, f"scaling.{result.controls.scaling}", facts)
    page.formula(lesson, facts=facts)
    closer = {"wavelengths": partial(wavelengths, lesson, result), "score": partial(lab_rope_score, lesson)}
    closer["forms"] = partial(forms, lesson, result)
    layout.below(lesson, controls.OPEN, closer, inv_freq, scaled_inv_freq, turn, Rotary)


show(page.begin("lab_rope", controls.PARAMS))
