"""Use: ALiBi in a model of one's own: two blocks that replace each other, what they learn, and what changes around them."""

from collections.abc import Callable
from functools import partial
from math import isnan, nan

import numpy as np
import streamlit as st

from alibi_viz.charts.lines import Line, on_log_axis
from alibi_viz.lessons import Lesson
from alibi_viz.ui import page, predict
from alibi_viz.ui import stage as layout
from alibi_viz.ui.controls import widgets
from alibi_viz.ui.format import format_number
from pages.use import charts, controls, sections
from pages.use.study import Result, Variant, study


def stage(lesson: Lesson) -> Result | None:
    """Loss while training, or perplexity beyond L. None where the shipped runs are missing."""
    picture, asked, side = layout.stage()
    with side:
        layout.more(lesson, controls.TRY, partial(widgets.choice, controls.SHOW, lesson))
    with picture:
        result = page.attempt(lambda: study(controls.read()))
        if result:
            asks = question(lesson, result)
            draw(lesson, result, asks)
    if result:
        with asked:
            predict.ask(asks)
        with side:
            layout.note(lesson, f"note.{result.controls.show}", **numbers(lesson, result))
            sections.download(lesson, "use_download_stage")
    return result


def draw(lesson: Lesson, result: Result, asks: predict.Question) -> None:
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
    page.chart(figure, key=f"use_{show}", alt=alt, name=f"alibi-in-a-model-{show}", asks=asks)


def _spent(variant: Variant, show: str) -> np.ndarray:
    """Steps of training, or their seconds."""
    return variant.steps * (variant.step_seconds if show == "seconds" else 1.0)


def _line(lesson: Lesson, variant: Variant, x: np.ndarray, y: np.ndarray) -> Line:
    """y [points, seeds]: the mean of the seeds, and their range."""
    ends = {"low": y.min(1), "high": y.max(1)}
    return Line(variant.config.method, name(lesson, variant), x, y.mean(1), **ends, hollow=variant.key == "blog")


def name(lesson: Lesson, variant: Variant) -> str:
    return lesson.entry("variants", variant.key)


def question(lesson: Lesson, result: Result) -> predict.Question:
    """Which variant ends lowest in the picture?"""
    best, section = result.best(), "predict.beyond" if result.controls.show == "beyond" else "predict"
    right = [number for number, variant in enumerate(result.variants) if variant.key in best]
    values = {"far": result.far, "length": result.config.length, "steps": result.config.steps}
    spent = max(float(_spent(v, result.controls.show)[-1]) for v in result.variants)
    begins = float(result.config.length) if section == "predict.beyond" else spent / 2
    options = [name(lesson, v) for v in result.variants]
    return predict.Question(lesson, options, right, values, section, begins=begins)


def numbers(lesson: Lesson, result: Result) -> dict[str, object]:
    """What the sentences say of this picture."""
    config, variants = result.config, {v.key: v for v in result.variants}
    said: dict[str, object] = {"heads": config.heads, "length": config.length, "steps": config.steps, "far": result.far}
    said["seeds"] = max(len(v.curve.seeds) for v in result.variants)
    said["best"] = ", ".join(name(lesson, variants[key]) for key in result.best())
    for title, score in (("losses", lambda v: v.final), ("far_list", lambda v: v.curve.at(result.far))):
        said[title] = ", ".join(f"{name(lesson, v)} **{format_number(score(v) or 0)}**" for v in result.variants)
    said["at_list"] = ", ".join(
        f"{name(lesson, v)} **{format_number(v.curve.at(config.length) or 0)}**" for v in result.variants
    )
    lowest = min(result.variants, key=lambda variant: variant.final)
    said["best_loss"] = name(lesson, lowest)
    paces = {v.key: v.step_seconds * 1000 for v in result.variants if not isnan(v.step_seconds)}
    said["pace"] = ", ".join(f"{name(lesson, variants[key])} **{ms:.1f}**" for key, ms in paces.items())
    return said


def explain(lesson: Lesson, result: Result) -> None:
    """What the runs gave, also where ALiBi is not ahead."""
    said, by_key = numbers(lesson, result), {variant.key: variant for variant in result.variants}
    rope, alibi = by_key["rope"], by_key["alibi"]
    ahead = (alibi.curve.at(result.far) or nan) < (rope.curve.at(result.far) or nan)
    said["beyond"] = lesson.label("far_true" if ahead else "far_false")
    page.what_you_see(lesson, "seen.lower" if alibi.final < rope.final else "seen.higher", **said)


def show(lesson: Lesson) -> None:
    result = stage(lesson)
    if result:
        explain(lesson, result)
        page.formula(lesson)
    parts: dict[str, Callable[[Lesson], None]] = {
        "source": sections.sources,
        "memory": sections.memory_table,
        "generate": sections.generate,
        "padding": sections.padding,
        "transformers": sections.transformers,
    }
    closer: dict[str, Callable[[], object]] = {key: partial(part, lesson) for key, part in parts.items()}
    if result:
        closer["run"] = partial(sections.run, lesson, result)
    layout.sections(lesson, controls.OPEN, closer)
    layout.next_lesson(lesson)
    page.sources(lesson)


show(page.begin("use", controls.PARAMS))
