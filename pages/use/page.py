"""Use: ALiBi in a model of one's own: two blocks that replace each other, what they learn, and what changes around them."""

from functools import partial
from math import isnan

import numpy as np
import streamlit as st

from alibi_viz.charts.lines import Line, on_log_axis
from alibi_viz.lessons import Lesson
from alibi_viz.ui import page
from alibi_viz.ui import stage as layout
from alibi_viz.ui.format import format_number
from pages.use import charts, controls, sections
from pages.use.facts import Facts, facts_of, name
from pages.use.study import Result, Variant, study

EIGHT = 8  # heads with which 2^-h is the paper's rule


def stage(lesson: Lesson) -> tuple[Result, Facts] | None:
    """Loss while training, or perplexity beyond L; and what is said of it. None where the shipped runs are missing."""
    place = layout.places()
    with place.side:
        layout.more(lesson, controls.TRY, partial(controls.show_more, lesson))
    with place.picture:
        result = page.attempt(lambda: study(controls.read()))
        if result is None:
            return None
        facts = facts_of(lesson, result)
        draw(lesson, result)
    place.comment(lesson, f"note.{result.controls.show}", facts)
    with place.side:
        sections.download(lesson, "use_download_stage")
    return result, facts


def draw(lesson: Lesson, result: Result) -> None:
    """The picture: one line for each variant."""
    labels, show = lesson.entries("chart"), result.controls.show
    ends = "; ".join(f"{name(lesson, v)} {format_number(result.score(v))}" for v in result.variants)
    alt = lesson.label(f"alt_{show}", ends=ends, far=result.far)
    if show == "beyond":
        lines = [_line(lesson, v, v.curve.lengths, v.curve.per_seed) for v in result.variants]
        figure = on_log_axis(lines, labels, dark=page.dark(), height=None, at=result.config.length)
        figure.update_layout(margin={"r": charts.ROOM})
    elif show == "seconds" and any(isnan(v.step_seconds) for v in result.variants):
        st.info(lesson.text("no_seconds"), icon=":material/info:")
        return
    else:
        lines = [_line(lesson, v, _spent(v, show), v.losses) for v in result.variants]
        figure = charts.losses(lines, labels, show, dark=page.dark())
    page.chart(figure, key=f"use_{show}", alt=alt, name=f"alibi-in-a-model-{show}")


def _spent(variant: Variant, show: str) -> np.ndarray:
    """Steps of training, or their seconds."""
    return variant.steps * (variant.step_seconds if show == "seconds" else 1.0)


def _line(lesson: Lesson, variant: Variant, x: np.ndarray, y: np.ndarray) -> Line:
    """y [points, seeds]: the mean of the seeds, and their range."""
    method, hollow = variant.config.method, variant.key == "blog"
    return Line(method, name(lesson, variant), x, y.mean(1), low=y.min(1), high=y.max(1), hollow=hollow)


def explain(lesson: Lesson, result: Result, facts: Facts) -> None:
    """What the runs gave: with as many heads as are chosen."""
    page.what_you_see(lesson, "seen", facts)
    if result.controls.heads < EIGHT:
        page.prose(lesson, "blog", facts)


def show(lesson: Lesson) -> None:
    closer = {name: partial(part, lesson) for name, part in sections.SECTIONS.items()}
    if shown := stage(lesson):
        result, facts = shown
        explain(lesson, result, facts)
        page.formula(lesson)
        closer["run"] = partial(sections.run, lesson, facts)
    layout.below(lesson, controls.OPEN, closer)


show(page.begin("use", controls.PARAMS))
