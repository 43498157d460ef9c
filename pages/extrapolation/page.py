"""Extrapolation: train short, test long. The shipped runs; in sections, the paper's and more."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import streamlit as st

from alibi_viz.export import Scene
from alibi_viz.lessons import Lesson, plain
from alibi_viz.lm import evaluation
from alibi_viz.results import measured
from alibi_viz.ui import moving, page, predict, predictions
from alibi_viz.ui import stage as layout
from alibi_viz.ui.controls.method_pills import TITLES
from alibi_viz.ui.shell import navigation
from pages.extrapolation import controls, findings, more, pair, pictures
from pages.extrapolation.facts import Asked, Names, training, units
from pages.extrapolation.study import TRAIN_LENGTH, Result, study

MOST_OPTIONS = 5  # of a question


def stage(lesson: Lesson) -> Result:
    """Perplexity, or the loss above that at L, against the length of the window."""
    place = layout.stage(lesson, controls.show, controls.TRY, controls.show_more)
    result = study(controls.read())
    to_ask = question(lesson, result)
    place.comment(to_ask, lesson, *findings.note(result.controls.protocol))
    with place.picture:
        if isinstance(to_ask, predictions.Drawing) and predict.fills_the_picture(to_ask):
            to_ask.surface()
        elif result.curves:
            pair.chart(lesson, result, "here", drawn=pictures.line(to_ask, result), asks=to_ask)
        else:
            st.info(lesson.text("nothing"), icon=":material/edit:")
    return result


def scenes(lesson: Lesson, result: Result) -> Iterator[Scene]:
    """The chart under both ways to cut the text, for a file."""
    for protocol in measured.PROTOCOLS[::-1]:
        chart = pair.moving_chart(lesson, study(replace(result.controls, protocol=protocol)))
        note = plain(lesson.text(*findings.note(protocol)))
        yield Scene(note, [chart], lesson.entry("choices", protocol), lesson.label(controls.PROTOCOL.key))


def question(lesson: Lesson, result: Result) -> predict.Question | None:
    """Draw a line beyond L; in a room: which line is the highest there? None where there is nothing to choose from."""
    values = dict(list(result.at_far().items())[:MOST_OPTIONS])
    if len(values) < 2:
        return None
    right = [number for number, value in enumerate(values.values()) if value == max(values.values())]
    begins = 1 if result.controls.times else TRAIN_LENGTH
    asked = predict.Question(lesson, [TITLES[method] for method in values], right, begins=begins, facts=Asked())
    return pictures.of(asked, result) or asked


def explain(lesson: Lesson, result: Result) -> None:
    """What the shipped runs gave, whatever is shown."""
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
    if result.curves:
        moving.offer(lambda: [*scenes(lesson, result)])
    explain(lesson, result)
    page.formula(lesson, facts=units(result.controls.protocol))
    closer = {"gave": partial(gave, lesson, result), "paper": partial(paper, lesson, result)}
    closer |= {name: partial(getattr(more, name), lesson) for name in ("steps", "lengths", "depth", "stretched")}
    closer["made"] = partial(made, lesson)
    layout.below(lesson, controls.OPEN, closer)


show(page.begin("extrapolation", controls.PARAMS))
