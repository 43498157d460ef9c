"""Slopes: one number a head, by dragging the number of heads."""

import pandas as pd
import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.positions import alibi
from alibi_viz.presets import PRESETS
from alibi_viz.ui import page
from alibi_viz.ui.controls import rerun, state, widgets
from alibi_viz.ui.format import format_number, format_power_of_two, format_slope
from pages.slopes import charts, controls
from pages.slopes.study import Result, study


@st.fragment
def figure(lesson: Lesson) -> Result | None:
    """The slider, and the chart that follows it. None where there is nothing to show."""
    if state.read(controls.RULE) != "own list":
        widgets.drag(controls.HEADS, lesson)
    try:
        result = study(controls.read())
    except ValueError as error:
        page.problem(error)
        return None
    chart = charts.slopes(result, lesson.entries("chart"), dark=page.dark())
    page.chart(chart, key="ladder", alt=lesson.label("alt", heads=result.heads), name="alibi-slopes")
    rerun.if_requested()
    return result


def table(lesson: Lesson, result: Result) -> pd.DataFrame:
    """One row a head; the same rows are shown and downloaded."""
    words = lesson.entries("columns")
    return pd.DataFrame(
        {
            words["head"]: range(1, result.heads + 1),
            words["exact"]: [format_power_of_two(exponent) for exponent in result.exponents],
            words["slope"]: result.slopes,
            words["half"]: result.half,
            words["ninety"]: result.reach,
            words["family"]: [words["extra"] if family else words["power"] for family in result.families],
        }
    )


def explain(lesson: Lesson, result: Result) -> None:
    """“What you see”, with the numbers of this picture."""
    if min(result.slopes) <= 0:
        page.what_you_see(lesson, "seen_none")
        return
    numbers = {
        "heads": result.heads,
        "power": result.power,
        "double": 2 * result.power,
        "steepest": format_slope(max(result.slopes)),
        "gentlest": format_slope(min(result.slopes)),
        "half_short": format_number(min(result.half)),
        "half_long": format_number(max(result.half)),
        "reach_long": format_number(max(result.reach) + 1),
    }
    page.what_you_see(lesson, **numbers)
    if result.controls.rule == "2^-h" and result.heads > 8:
        page.prose(lesson, "seen_blog", **numbers)
    if 1 in result.families:
        page.prose(lesson, "seen_families", **numbers)


def show(lesson: Lesson) -> None:
    page.try_this(lesson, controls.TRY)
    controls.show(lesson)
    result = figure(lesson)
    if result is None:
        return
    explain(lesson, result)
    page.formula(lesson, *charts.formula(result), heads=result.heads)
    with st.expander(lesson.label("table"), icon=":material/table:"):
        st.dataframe(table(lesson, result), hide_index=True, height=min(38 + 35 * result.heads, 460))
        page.download_csv(lambda: table(lesson, result), name=f"alibi-slopes-{result.heads}.csv", key="slopes_csv")
    page.code(alibi.slopes, alibi.slope_exponents, study)
    page.sources(lesson, presets="; ".join(f"{p.title}: {p.heads} ({p.source})" for p in PRESETS))


show(page.begin("slopes", controls.PARAMS))
