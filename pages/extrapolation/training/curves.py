"""The curves of runs during training, and a sentence about each."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from alibi_viz.charts.lines import Line
from alibi_viz.lessons import Lesson
from alibi_viz.lm.corpus import Corpus
from alibi_viz.lm.records import Run
from alibi_viz.positions import METHODS
from alibi_viz.ui import page
from alibi_viz.ui.controls.method_pills import TITLES
from alibi_viz.ui.format import format_number
from pages.extrapolation.training import charts, study
from pages.extrapolation.training.study import Results

HOLDS = 1.1  # times the perplexity at L: what still counts as holding


def show(lesson: Lesson, runs: Sequence[Run], corpus: Corpus | None) -> None:
    """Loss and extrapolation side by side, and one sentence a run with its numbers. corpus: None for recall."""
    config, labels, dark = runs[0].config, lesson.entries("chart"), page.dark()
    results = [study.results(run) for run in runs]
    losses = [Line(run.config.method, TITLES[run.config.method], *study.smoothed(run.losses)) for run in runs]
    beyond = [Line(r.config.method, TITLES[r.config.method], r.lengths, r.values) for r in results]
    left, right = st.columns(2, gap="medium")
    with left:
        _draw(lesson.label("loss"), charts.losses(losses, labels, dark=dark, steps=config.steps), "train_losses")
    with right:
        scope: dict[str, Any] = {"train_length": config.length, "is_recall": config.is_recall}
        title = lesson.label("recall" if config.is_recall else "beyond")
        _draw(title, charts.lengths(beyond, labels, dark=dark, **scope), "train_lengths")
    bigram = study.bigram(corpus) if corpus else 0.0
    measured = [result for result in results if len(result.values)]
    if measured:
        final = all(result.final for result in measured)
        section = "seen.recall" if config.is_recall else "seen.final" if final else "seen.sample"
        sentences = "\n".join(f"- {sentence(lesson, result, bigram)}" for result in measured)
        page.prose(lesson, section, each=sentences, bytes=f"{study.plan_for(config.steps).sample_bytes:,}")
        page.prose(lesson, "note.recall" if config.is_recall else "note", bigram=f"{bigram:.2f}")
    page.download_csv(lambda: _table(lesson, losses, beyond), name="training.csv", key="training_csv")


def _draw(title: str, drawing: charts.Drawing, key: str) -> None:
    st.markdown(f"**{title}**")
    spec = drawing.spec | {"description": title}  # for screen readers
    st.vega_lite_chart(drawing.data, spec, key=key, theme=None, width="stretch")


def sentence(lesson: Lesson, results: Results, bigram: float) -> str:
    """What one run gives at L and at 4 L. No verdict on a model that has learned no more than a bigram model knows."""
    method, near, far, is_recall = results.config.method, results.at(1), results.at(4), results.config.is_recall
    if near is None or far is None:
        key = "ends" if results.ends and METHODS[method].has_position_table else "near"
    elif is_recall:
        key = "recall"
    else:
        key = "early" if near >= bigram else "keeps" if far / near <= HOLDS else "breaks"
    ratio = f"{far / near:.2f}" if near and far else "–"
    numbers = {"at": _number(near, is_recall), "far": _number(far, is_recall), "ratio": ratio}
    return lesson.entry("seen.one", key, method=TITLES[method], **numbers)


def _number(value: float | None, is_recall: bool) -> str:
    if value is None:
        return "–"
    return f"{value:.0%}" if is_recall else f"{value:.2f}" if value < 100 else format_number(value)


def _table(lesson: Lesson, losses: Sequence[Line], beyond: Sequence[Line]) -> pd.DataFrame:
    """Both charts' points, run by run."""
    columns = [lesson.entry("columns", key) for key in ("method", "line", "x", "y")]
    names = (lesson.label("loss"), lesson.label("beyond"))
    rows = [
        (line.name, name, x, y)
        for pair in zip(losses, beyond, strict=True)
        for name, line in zip(names, pair, strict=True)
        for x, y in zip(line.x.tolist(), line.y.tolist(), strict=True)
    ]
    return pd.DataFrame(rows, columns=columns)
