"""Slopes: one number a head, by dragging the number of heads."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from alibi_viz.figures import formulas
from alibi_viz.figures import slopes as charts
from alibi_viz.lessons import Lesson
from alibi_viz.positions import alibi
from alibi_viz.presets import PRESETS
from alibi_viz.studies import slopes as study
from alibi_viz.ui import controls, live, page, state, texts
from alibi_viz.ui.params import Param, Value, numbers_from_text

HEADS = Param("heads", "int", 8, low=1, high=128)
RULE = Param("rule", "choice", "paper", choices=tuple(study.RULES))
MAX_BIAS = Param("max_bias", "float", 8.0, low=1.0, high=32.0, step=0.5)
OWN = Param("own", "text", "1/2, 1/4, 1/8, 1/16, 0.05", longest=2_000)
PARAMS = (HEADS, RULE, MAX_BIAS, OWN)
TRY: page.Settings = {
    "eight": {"heads": 8, "rule": "paper", "max_bias": 8.0},
    "twelve": {"heads": 12, "rule": "paper", "max_bias": 8.0},
    "bloom": {"heads": 112, "rule": "paper", "max_bias": 8.0},
    "blog": {"heads": 32, "rule": "2^-h"},
    "far": {"heads": 32, "rule": "paper", "max_bias": 16.0},
}


def use_preset() -> None:
    """Set the controls to the head count of the chosen model."""
    chosen = next((p for p in PRESETS if p.title == st.session_state.get("preset")), None)
    if chosen:
        rule: dict[str, Value] = {
            "heads": min(chosen.heads, int(HEADS.high)),
            "rule": "paper",
            "max_bias": float(chosen.max_bias),
        }
        state.assign(rule)


def read_controls(lesson: Lesson) -> study.Controls:
    """The controls, checked, without the slider. Raises ValueError with a sentence for slopes that cannot be read."""
    own: tuple[float, ...] = ()
    max_bias = float(MAX_BIAS.default)
    with st.container(border=True):
        left, middle, right = st.columns([3, 2, 3], gap="medium")
        with left:
            rule = controls.choice(RULE, lesson)
        with middle:
            if rule in ("paper", "plain"):
                max_bias = float(controls.number(MAX_BIAS, lesson))
            elif rule == "own list":
                own = tuple(numbers_from_text(controls.line(OWN, lesson), most=128))
        with right:
            label, none = lesson.label("preset"), lesson.label("preset_none")
            models = [p.title for p in PRESETS]
            st.selectbox(label, models, index=None, placeholder=none, key="preset", on_change=use_preset)
    return study.Controls(0, rule, max_bias, own)


@st.fragment
def figure(lesson: Lesson, base: study.Controls) -> None:
    """The slider, and the chart that follows it."""
    if base.rule != "own list":
        controls.drag(HEADS, lesson)
    chosen = with_live(base)
    result = study.study(chosen)
    made = charts.slopes(
        result.slopes,
        result.families,
        result.half,
        result.reach,
        lesson.entries("chart"),
        dark=page.dark(),
        lowest=2.0**-chosen.max_bias,
    )
    page.chart(made, key="ladder", alt=lesson.label("alt", heads=result.heads), name="alibi-slopes")
    live.finish()


def with_live(base: study.Controls) -> study.Controls:
    """The controls, with what the slider says now."""
    return replace(base, heads=int(state.read(HEADS)))


def table(lesson: Lesson, result: study.Result) -> pd.DataFrame:
    """One row a head; the same rows are shown and downloaded."""
    words = lesson.entries("columns")
    return pd.DataFrame(
        {
            words["head"]: range(1, result.heads + 1),
            words["exact"]: [texts.power_of_two(e) for e in result.exponents],
            words["slope"]: result.slopes,
            words["half"]: result.half,
            words["ninety"]: result.reach,
            words["family"]: [words["extra"] if f else words["power"] for f in result.families],
        }
    )


def explain(lesson: Lesson, result: study.Result, chosen: study.Controls) -> None:
    """“What you see”, with the numbers of this picture."""
    steep, gentle = max(result.slopes), min(result.slopes)
    if gentle <= 0:
        page.seen(lesson, "seen_none")
        return
    numbers: dict[str, object] = {
        "heads": result.heads,
        "steepest": texts.slope(steep),
        "gentlest": texts.slope(gentle),
        "half_short": texts.number(min(result.half)),
        "half_long": texts.number(max(result.half)),
        "reach_long": texts.number(max(result.reach) + 1),
    }
    page.seen(lesson, **numbers)
    if chosen.rule == "2^-h" and result.heads > 8:
        page.prose(lesson, "seen_blog", **numbers)
    if 1 in result.families:
        power = result.families.count(0)
        page.prose(lesson, "seen_families", heads=result.heads, power=power, double=2 * power)


def show(lesson: Lesson) -> None:
    page.tries(lesson, TRY)
    try:
        base = read_controls(lesson)
        chosen = with_live(base)
        result = study.study(chosen)
    except ValueError as problem:
        st.warning(texts.plain(str(problem)), icon=":material/edit:")
        return
    figure(lesson, base)
    explain(lesson, result, chosen)
    power = result.families.count(0)
    page.formula(lesson, *formulas.slopes(chosen.rule, chosen.max_bias, result.exponents, power), heads=result.heads)
    with st.expander(lesson.label("table"), icon=":material/table:"):
        frame = table(lesson, result)
        st.dataframe(frame, hide_index=True, height=min(38 + 35 * result.heads, 460))
        page.download(lambda: frame.to_csv(index=False), name=f"alibi-slopes-{result.heads}.csv", key="slopes_csv")
    page.code(alibi.slopes, alibi.slope_exponents, study.study)
    page.sources(lesson, presets="; ".join(f"{p.title}: {p.heads} ({p.source})" for p in PRESETS))


lesson = page.start("slopes", PARAMS)
show(lesson)
