"""The playground: one sentence, ALiBi's bias on it, and a hand that bends it. The first thing a visitor meets."""

import streamlit as st

from alibi_viz.attention.attention import trace_attention
from alibi_viz.lessons import Lesson
from alibi_viz.positions import METHODS
from alibi_viz.positions.alibi import Alibi
from alibi_viz.ui import page
from alibi_viz.ui import stage as layout
from alibi_viz.ui.components import playground
from alibi_viz.ui.controls import frame, state
from alibi_viz.ui.controls.content import TEXT
from alibi_viz.ui.shell import navigation
from pages.playground import controls, study
from pages.playground.facts import Facts, facts_of, falls
from pages.playground.study import Controls, Result

LEADS_ON = ("slopes", "bias", "attention", "extrapolation")


@st.fragment
def playground_stage(lesson: Lesson) -> tuple[Controls, Facts]:
    """The picture, with its own controls in it."""
    chosen, said = controls.read(lesson)
    result = study.study(chosen)
    facts = facts_of(chosen, result)
    with st.container(key="stage_picture"):
        st.html(f'<span id="{page.CONTROLS}" tabindex="-1"></span>')  # the skip link leads here
        playground.playground(message(lesson, chosen, result, said, facts), on_choice=controls.keep)
    return chosen, facts


def message(lesson: Lesson, chosen: Controls, result: Result, said: str, facts: Facts) -> playground.Message:
    """All that the picture needs, in one message."""
    names = {method: METHODS[method].title for method in study.METHODS} | {"rope": lesson.label("rope")}
    lines = [playground.Line(method, names[method], *numbers) for method, numbers in study.lines().items()]
    return playground.Message(
        key=controls.KEY,
        sequence=playground.sequence(),
        text=state.read(TEXT),
        tokens=chosen.words,
        ids=result.ids,
        vectors=result.vectors,
        closing=controls.closing(chosen.words),
        chosen=playground.Chosen(
            chosen.heads, chosen.head, chosen.strength, chosen.count - 1 - chosen.query, chosen.ratio, dict(chosen.own)
        ),
        rows=result.rows,
        matrix=result.matrix,
        lines=lines,
        trained=study.train_length(),
        note=said,
        alt=lesson.plain("alt" if facts.earlier > 1 else "alt_few", facts),
        words=lesson.entries("picture"),
        presenting=frame.presenting(),
    )


def lead_on(lesson: Lesson) -> None:
    """Each part of the picture has a lesson of its own, which opens with what is chosen here."""
    if frame.presenting():
        return
    with st.container(horizontal=True, gap="medium", key="lead_on"):
        for name in LEADS_ON:
            navigation.link(name, lesson.label(f"to_{name}"))


def show(lesson: Lesson) -> None:
    _, facts = playground_stage(lesson)
    lead_on(lesson)
    seen = "seen" if facts.half else "seen_none"
    page.what_you_see(lesson, seen if facts.earlier > 1 else "seen_few", facts)
    page.prose(lesson, "falls", falls())
    page.formula(lesson, facts=facts)
    layout.below(lesson, controls.OPEN, {}, study.study, trace_attention, Alibi.bias_by_distance)


show(page.begin("playground", controls.PARAMS))
