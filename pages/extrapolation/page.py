"""Extrapolation: train short, test long. The shipped runs; in sections, the paper's and more."""

from dataclasses import replace
from functools import partial

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.lm import evaluation
from alibi_viz.results import measured
from alibi_viz.results.measured import WORSE
from alibi_viz.ui import page, question
from alibi_viz.ui import stage as layout
from alibi_viz.ui.controls import frame
from alibi_viz.ui.shell import navigation
from pages.extrapolation import controls, findings, more, pair
from pages.extrapolation.facts import Names, asked, facts_of, training, units
from pages.extrapolation.study import Result, study

ANSWERS = ("lower", "same", "higher")


def stage(lesson: Lesson) -> Result:
    """Perplexity, or the loss above that at L, against the length of the window."""
    place = layout.stage(lesson, controls.show, controls.TRY, controls.show_more)
    result = study(controls.read())
    with place.asked:
        ask(lesson, result)
    place.comment(lesson, *findings.note(result.controls.protocol))
    with place.picture:
        if result.curves:
            pair.chart(lesson, result, "here")
        else:
            st.info(lesson.text("nothing"), icon=":material/edit:")
    return result


def ask(lesson: Lesson, result: Result) -> None:
    """What ALiBi's loss does in the windows that the picture does not show; the shipped runs answer."""
    (other,) = (protocol for protocol in measured.PROTOCOLS if protocol != result.controls.protocol)
    rise = facts_of(other).alibi.far
    right = "lower" if rise < -WORSE else "higher" if rise > WORSE else "same"
    options = [lesson.entry("answers", answer, worse=WORSE) for answer in ANSWERS]
    text = lesson.text("predict", asked(lesson, other))
    question.ask(text, options, [ANSWERS.index(right)], name=f"extrapolation.{other}")


def explain(lesson: Lesson, result: Result) -> None:
    """What the shipped runs gave, whatever is shown."""
    if frame.presenting():
        return
    page.heading(lesson.label("seen"))
    with st.container(width=page.READING):
        st.markdown(" ".join(lesson.text(*claim) for claim in findings.seen(result.controls.protocol)))


def gave(lesson: Lesson, result: Result) -> None:
    """The same in detail, and the table."""
    for claim in findings.details(result.controls.protocol):
        page.prose(lesson, *claim)
    navigation.link("early_token_curse", lesson.label("curse"))
    for sentence in pair.ends(lesson, result):
        st.caption(sentence)
    if result.curves:
        pair.numbers(lesson, result)


def paper(lesson: Lesson, result: Result) -> None:
    """Beside the paper's Figure 1, which has nonoverlapping windows, and its largest models."""
    pair.show(lesson, study(replace(result.controls, protocol="nonoverlapping")))
    with st.container(width=page.READING):
        st.markdown(" ".join(lesson.text(*claim) for claim in findings.compared(result.controls.paper)))
    more.larger(lesson)


def made(lesson: Lesson) -> None:
    """What the words mean, and how the runs were made."""
    page.prose(lesson, "terms", training())
    page.prose(lesson, "protocols", training())
    page.prose(lesson, "made", training())
    navigation.link("train", lesson.label("train"))
    page.code(evaluation.windows, evaluation.evaluate, label=lesson.label("code"))


def show(lesson: Lesson) -> None:
    result = stage(lesson)
    if given := controls.unknown():
        st.info(lesson.text("unknown", Names(given)))
    explain(lesson, result)
    page.formula(lesson, facts=units(result.controls.protocol))
    closer = {"gave": partial(gave, lesson, result), "paper": partial(paper, lesson, result)}
    closer |= {name: partial(getattr(more, name), lesson) for name in ("steps", "lengths", "depth", "stretched")}
    closer["made"] = partial(made, lesson)
    layout.below(lesson, controls.OPEN, closer)


show(page.begin("extrapolation", controls.PARAMS))
