"""Extrapolation: train short, test long. The shipped runs and the reader's own; in sections, the paper's and more."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from alibi_viz.export import Scene
from alibi_viz.lessons import Lesson, plain
from alibi_viz.lm import evaluation
from alibi_viz.results import measured
from alibi_viz.results.measured import MeasuredRun
from alibi_viz.ui import moving, page, predict, predictions, reader
from alibi_viz.ui import stage as layout
from alibi_viz.ui.controls.method_pills import TITLES
from alibi_viz.ui.shell import navigation
from pages.extrapolation import controls, findings, more, pair, pictures
from pages.extrapolation.facts import Asked, Names, OwnRuns, training, units
from pages.extrapolation.study import TRAIN_LENGTH, Result, study

MOST_OPTIONS = 5  # of a question


def stage(lesson: Lesson, runs: Sequence[MeasuredRun]) -> Result:
    """Perplexity, or the loss above that at L, against the length of the window."""
    place = layout.stage(lesson, controls.show, controls.TRY, partial(controls.show_more, runs=runs))
    result = study(controls.read(runs), runs)
    to_ask = question(lesson, result)
    place.comment(to_ask, lesson, *findings.note(result.controls.protocol))
    with place.picture:
        if isinstance(to_ask, predictions.Drawing) and predict.fills_the_picture(to_ask):
            to_ask.surface()
        elif result.curves:
            pair.chart(lesson, result, "here", drawn=pictures.line(to_ask, result), asks=to_ask)
        elif result.other_text:
            st.info(pair.other_text(lesson, result))
        else:
            st.info(lesson.text("nothing"), icon=":material/edit:")
    return result


def scenes(lesson: Lesson, result: Result, runs: Sequence[MeasuredRun]) -> Iterator[Scene]:
    """The chart under both ways to cut the text, for a file."""
    for protocol in measured.PROTOCOLS:
        chart = pair.moving_chart(lesson, study(replace(result.controls, protocol=protocol), runs))
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
    """Beside the paper's Figure 1."""
    pair.show(lesson, result)
    with st.container(width=page.READING):
        st.markdown(" ".join(lesson.text(*claim) for claim in findings.compared(result.controls.paper)))
    more.larger(lesson)


def made(lesson: Lesson, runs: Sequence[MeasuredRun]) -> None:
    """What the words mean, how the runs were made, and how the reader's own join them."""
    page.prose(lesson, "terms", training())
    page.prose(lesson, "protocols", training())
    page.prose(lesson, "made", training())
    page.prose(lesson, "own.how" if runs else "own.none", OwnRuns())
    if runs:
        controls.show_own(lesson)
    navigation.link("train", lesson.label("train"))
    page.code(evaluation.windows, evaluation.evaluate, label=lesson.label("code"))


def show(lesson: Lesson) -> None:
    runs = tuple(run for run in measured.own(reader.in_sight()) if not run.config.is_recall)
    result = stage(lesson, runs)
    if given := controls.unknown(runs):
        st.info(lesson.text("unknown", Names(given)))
    if result.curves:
        moving.offer(lambda: [*scenes(lesson, result, runs)])
        for sentence in pair.notes(lesson, result):
            st.caption(sentence)
    explain(lesson, result)
    page.formula(lesson, facts=units())
    closer = {"gave": partial(gave, lesson, result), "paper": partial(paper, lesson, result)}
    closer |= {name: partial(getattr(more, name), lesson) for name in ("steps", "lengths", "depth", "stretched")}
    closer["made"] = partial(made, lesson, runs)
    layout.below(lesson, controls.OPEN, closer)


show(page.begin("extrapolation", controls.PARAMS))
