"""Slopes: one number a head, by dragging the number of heads."""

from functools import partial

import pandas as pd
import streamlit as st

from alibi_viz.checkpoints.presets import PRESETS
from alibi_viz.lessons import Lesson, load
from alibi_viz.positions import METHODS, alibi
from alibi_viz.ui import page, question
from alibi_viz.ui import stage as layout
from alibi_viz.ui.controls import locked, state, widgets
from alibi_viz.ui.format import format_power_of_two, format_slope
from alibi_viz.ui.shell import navigation
from pages.slopes import charts, controls, depth, pictures
from pages.slopes.facts import Sources, facts_of
from pages.slopes.study import FARTHEST, Result, study


@st.fragment
def slopes_stage(lesson: Lesson) -> Result | None:
    """The curves, and the slider that they follow. None where there is nothing to show."""
    place = layout.stage(lesson, slider, controls.TRY, controls.show_more)
    result = page.attempt(lambda: study(controls.read()))
    if result:
        facts = facts_of(result)
        with place.asked:
            ask(lesson, result)
        place.comment(lesson, "note" if min(result.slopes) > 0 else "seen_none", facts)
        with place.picture:
            pictures.decay(lesson, result, lesson.label("alt", facts))
        with place.side:
            head_elsewhere(lesson, result)
            pictures.ladder(lesson, result, lesson.label("alt_heads", facts))
    return result


def head_elsewhere(lesson: Lesson, result: Result) -> None:
    """The head that the reader has locked, as a link to the lessons that draw it. They have the paper's slopes."""
    cell = locked.within(range(result.heads), range(1, FARTHEST + 1))
    if cell is None or (result.controls.rule, result.controls.max_bias) != ("paper", controls.MAX_BIAS.default):
        return
    query = {"heads": str(result.heads), "head": str(cell[0] + 1)}
    with st.container(key="head_elsewhere", horizontal=True):
        for name, most in (("bias", 128), ("attention", 32)):
            if result.heads <= most:
                navigation.link(name, lesson.label("head_in", head=cell[0] + 1, page=load(name).label("page")), query)


def slider(lesson: Lesson) -> None:
    """The number of heads; a list of slopes has its own, and a way back."""
    if state.read(controls.RULE) == "own list":
        st.button(lesson.label("back"), icon=":material/undo:", key="slopes_back", on_click=controls.use_paper)
    else:
        widgets.drag(controls.HEADS, lesson, channel=pictures.CHANNEL)


def ask(lesson: Lesson, result: Result) -> None:
    """Which of three heads reaches farthest? That with the smallest slope."""
    heads = sorted({0, result.heads // 2, result.heads - 1})
    slopes = [result.slopes[head] for head in heads]
    options = [lesson.label("one_head", head=head + 1, slope=format_slope(result.slopes[head])) for head in heads]
    right = [number for number, slope in enumerate(slopes) if slope == min(slopes)]
    question.ask(lesson.text("predict"), options, right, name="slopes.predict")


def table(lesson: Lesson, result: Result) -> pd.DataFrame:
    """One row a head; the same rows are shown and downloaded."""
    labels, heads = lesson.entries("columns"), range(1, result.heads + 1)
    exact = [format_power_of_two(exponent) for exponent in result.exponents]
    families = [labels["extra" if family else "power"] for family in result.families]
    columns = {"head": heads, "exact": exact, "slope": result.slopes, "half": result.half, "ninety": result.reach}
    return pd.DataFrame(columns | {"family": families}).rename(columns=labels)


def explain(lesson: Lesson, result: Result) -> None:
    """“What you see”, with the numbers of this picture."""
    facts = facts_of(result)
    page.what_you_see(lesson, "seen" if min(result.slopes) > 0 else "seen_none", facts)
    if min(result.slopes) <= 0:
        return
    if result.controls.rule == "2^-h" and result.heads > 8:
        page.prose(lesson, "seen_blog", facts)
    if 1 in result.families:
        page.prose(lesson, "seen_families", facts)


def heads(lesson: Lesson, result: Result) -> None:
    """How far each head looks."""
    chart = charts.reach(result, lesson.entries("chart"), dark=page.dark())
    page.chart(chart, key="reach", alt=lesson.label("alt_reach", facts_of(result)), name="alibi-reach-by-head")


def numbers(lesson: Lesson, result: Result) -> None:
    """All of them, to read and to download."""
    st.dataframe(table(lesson, result), hide_index=True, height=min(38 + 35 * result.heads, 460))
    page.download_csv(lambda: table(lesson, result), name=f"alibi-slopes-{result.heads}.csv", key="slopes_csv")


def show(lesson: Lesson) -> None:
    result = slopes_stage(lesson)
    if result is None:
        return
    if model := controls.other_method():
        st.info(lesson.text("other_method", model), icon=":material/info:")
    explain(lesson, result)
    page.formula(lesson, *charts.formula(result), facts=facts_of(result))
    closer = {"heads": partial(heads, lesson, result), "depth": partial(depth.show, lesson, tuple(result.slopes))}
    closer |= {"table": partial(numbers, lesson, result)}
    code = (alibi.slopes, alibi.slope_exponents, study)
    models = (f"{p.title}: {p.heads}, {METHODS[p.method].title} ({p.source})" for p in PRESETS)
    layout.below(lesson, controls.OPEN, closer, *code, sources=Sources("; ".join(models)))


show(page.begin("slopes", controls.PARAMS))
