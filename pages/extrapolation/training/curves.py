"""The curves of runs that are being trained, and what they say in words."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.lm.corpus import Corpus
from alibi_viz.ui import page
from alibi_viz.ui.controls.method_pills import TITLES
from alibi_viz.ui.format import format_number
from pages.extrapolation.training import charts as charts
from pages.extrapolation.training import study as study

HOLDS = 1.1  # times the perplexity at L: what still counts as holding


def show(lesson: Lesson, runs: list[study.Shown], corpus: Corpus | None) -> None:
    """Loss and extrapolation side by side, and one sentence a run with its numbers. corpus: None for recall."""
    words, dark = lesson.entries("chart"), page.dark()
    config = runs[0].config
    left, right = st.columns(2, gap="medium")
    with left:
        lines = [charts.Line(one.config.method, TITLES[one.config.method], *one.curve) for one in runs]
        drawing = charts.losses(lines, words, dark=dark, steps=config.steps)
        _draw(lesson.label("loss"), drawing, "train_losses")
    with right:
        lines = [charts.Line(one.config.method, TITLES[one.config.method], one.lengths, one.values) for one in runs]
        drawing = charts.lengths(lines, words, dark=dark, trained=config.length, shares=config.is_recall)
        _draw(lesson.label("recall" if config.is_recall else "beyond"), drawing, "train_lengths")
    bigram = study.bigram(corpus) if corpus else 0.0
    said = [sentence(lesson, one, bigram) for one in runs if len(one.values)]
    if said:
        final = all(one.final for one in runs if len(one.values))
        section = "seen.recall" if config.is_recall else "seen.final" if final else "seen.sample"
        each = "\n".join(f"- {one}" for one in said)
        page.prose(lesson, section, each=each, bytes=f"{study.plan_for(config.steps).sample_bytes:,}")
        page.prose(lesson, "note.recall" if config.is_recall else "note", bigram=f"{bigram:.2f}")
    page.download(lambda: csv(lesson, runs), name="training.csv", key="training_csv")


def _draw(title: str, drawing: charts.Drawing, key: str) -> None:
    """A live chart under its title, which a screen reader is told too."""
    st.markdown(f"**{title}**")
    st.vega_lite_chart(drawing.data, drawing.spec | {"description": title}, key=key, theme=None, width="stretch")


def sentence(lesson: Lesson, one: study.Shown, bigram: float) -> str:
    """What one run gives at L and at 4 L. No verdict on a model that has learned no more than a bigram model knows."""
    at, far, share = one.at(1), one.at(4), one.config.is_recall
    words: dict[str, object] = {
        "method": TITLES[one.config.method],
        "at": "–" if at is None else f"{at:.0%}" if share else f"{at:.2f}",
        "far": "–" if far is None else f"{far:.0%}" if share else f"{far:.2f}" if far < 100 else format_number(far),
        "ratio": f"{far / at:.2f}" if at and far else "–",
    }
    if far is None or at is None:
        key = "ends" if one.ends and one.config.method == "learned" else "near"
    elif share:
        key = "recall"
    else:
        key = "early" if at >= bigram else "keeps" if far / at <= HOLDS else "breaks"
    return lesson.entry("seen.one", key, **words)


def csv(lesson: Lesson, runs: Iterable[study.Shown]) -> str:
    """Both charts' points."""
    words = lesson.entries("columns")
    rows: list[list[object]] = []
    for one in runs:
        title = TITLES[one.config.method]
        for name, xs, ys in (("loss", *one.curve), ("beyond", one.lengths, one.values)):
            rows += [[title, lesson.label(name), x, y] for x, y in zip(xs.tolist(), ys.tolist(), strict=True)]
    return page.csv_text([words[key] for key in ("method", "line", "x", "y")], rows)
