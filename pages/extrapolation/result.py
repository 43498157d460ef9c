"""The Extrapolation page's first part: the measured chart beside the published one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from alibi_viz import measured
from alibi_viz.lessons import Lesson
from alibi_viz.lm.runs import RunStore
from alibi_viz.measured import Curve, Measured, Protocol
from alibi_viz.ui import page
from alibi_viz.ui.controls.method_pills import TITLES
from alibi_viz.ui.format import escape_markdown
from alibi_viz.ui.run_names import run_name
from pages.extrapolation import charts as charts
from pages.extrapolation import study as study

MOST_OWN = 8  # curves of the reader on one chart


@dataclass(frozen=True)
class Controls:
    methods: tuple[str, ...]
    protocol: Protocol
    ratio: bool
    times: bool  # lengths in training lengths
    log_x: bool
    log_y: bool
    paper: int  # training length of the paper's models: a key of study.PAPER
    own: bool
    other_text: bool


@dataclass(frozen=True)
class Chosen:
    """What is on the chart."""

    shipped: tuple[Curve, ...]
    own: tuple[Curve, ...]
    other: int  # own runs on another text among those that could be shown


def own_runs() -> tuple[Measured, ...]:
    """The reader's finished language models, newest first."""
    return tuple(run for run in measured.own(RunStore()) if not run.config.is_recall)


def choose(controls: Controls, runs: Sequence[Measured]) -> Chosen:
    """The curves that the controls ask for."""
    shipped = [run for run in measured.shipped() if run.config.method in controls.methods]
    mine = [run for run in runs if run.config.method in controls.methods] if controls.own else []
    text = measured.shipped()[0].corpus
    same = [run for run in mine if run.corpus == text]
    own = measured.curves(mine if controls.other_text else same, controls.protocol)
    return Chosen(measured.curves(shipped, controls.protocol), own[:MOST_OWN], len(mine) - len(same))


def trained_at() -> int:
    """L of the shipped runs."""
    return measured.shipped()[0].config.length


def seeds() -> tuple[int, ...]:
    """Seeds of the shipped runs."""
    return tuple(sorted({run.config.seed for run in measured.shipped()}))


def curve_name(curve: Curve) -> str:
    """A method's name; an own run's says every difference to the shipped runs."""
    title, first = TITLES[curve.config.method], measured.shipped()[0]
    if curve.origin == "shipped":
        return title
    return run_name(title, curve.config, curve.corpus, first.config, first.corpus)


def lines(controls: Controls, chosen: Chosen) -> list[charts.Line]:
    """The curves in the chosen units."""
    made = []
    for curve in (*chosen.shipped, *chosen.own):
        one = study.series(curve, ratio=controls.ratio, times=controls.times)
        if one is not None and len(one.x):
            made.append(_line(one, curve_name(curve), curve.origin == "own"))
    return made


def _line(one: study.Series, name: str, own: bool = False) -> charts.Line:
    return charts.Line(one.method, name, one.x, one.y, one.low, one.high, own, one.ends)


def _most(controls: Controls) -> float:
    """The highest value of all shipped runs, chosen or not: a weak own run lifts the axis no further."""
    found = (study.series(one, ratio=controls.ratio) for one in measured.curves(measured.shipped(), controls.protocol))
    return max(float(one.high.max()) for one in found if one is not None)


def _axes(lesson: Lesson, controls: Controls, unit: str, trained: int, most: float = math.inf) -> charts.Axes:
    """unit: what a length counts, "bytes" or "words"."""
    words = lesson.entries("chart")
    return charts.Axes(
        words["x_times" if controls.times else f"x_{unit}"],
        words["y_ratio" if controls.ratio else f"y_{unit}"],
        1.0 if controls.times else float(trained),
        controls.log_x,
        controls.log_y,
        most,
    )


def chart_words(lesson: Lesson, trained: int, *, times: bool = False) -> dict[str, str]:
    """The words of a chart, with its training length put in. times: the axis counts training lengths, of whatever L."""
    words = lesson.entries("chart")
    marked = words["trained_times"] if times else lesson.entry("chart", "trained", length=f"{trained:,}")
    return words | {"trained": marked}


def pair(lesson: Lesson, controls: Controls, chosen: Chosen) -> None:
    """Ours on the left, the paper's on the right."""
    left, right = st.columns([6, 5], gap="medium")
    dark = page.dark()
    with left:
        page.heading(lesson.label("here"))
        ours = lines(controls, chosen)
        axes = _axes(lesson, controls, "bytes", trained_at(), _most(controls))
        page.chart(
            charts.curves(ours, axes, chart_words(lesson, trained_at(), times=controls.times), dark=dark),
            key="ext_here",
            alt=lesson.label("here"),
            name="perplexity-against-length",
        )
        page.download(lambda: _csv(lesson, ours), name="perplexity-against-length.csv", key="ext_here_csv")
    with right:
        page.heading(lesson.label("published"))
        theirs = [
            _line(one, TITLES[one.method])
            for one in study.paper_in(controls.paper, ratio=controls.ratio, times=controls.times)
            if one.method in controls.methods
        ]
        axes = _axes(lesson, controls, "words", controls.paper)
        page.chart(
            charts.curves(theirs, axes, chart_words(lesson, controls.paper, times=controls.times), dark=dark),
            key="ext_paper_chart",
            alt=lesson.label("published"),
            name=f"press-2022-L-{controls.paper}",
        )
        page.download(lambda: _csv(lesson, theirs), name=f"press-2022-L-{controls.paper}.csv", key="ext_paper_csv")
    page.prose(lesson, "pair.ratio" if controls.ratio else "pair", seeds=len(seeds()))
    _notes(lesson, controls, chosen, theirs)
    beyond = [line.name for line in ours if line.high.max() > charts.top(ours, _most(controls))]
    if beyond:
        st.caption(lesson.text("own.beyond", names=", ".join(beyond)))


def _notes(lesson: Lesson, controls: Controls, chosen: Chosen, theirs: Sequence[charts.Line]) -> None:
    """What a reader must know about lines that end, or that are their own."""
    for curve in chosen.shipped:
        if study.ends(curve) and curve.missing:
            reason = escape_markdown(next(iter(curve.missing.values())))
            st.caption(lesson.text("learned", name=TITLES[curve.config.method], reason=reason))
    for line in theirs:
        if line.ends:
            length = line.x[-1] * (controls.paper if controls.times else 1)
            st.caption(lesson.text("oom", name=line.name, length=f"{length:,.0f}"))
    unknown = [one for one in (*chosen.shipped, *chosen.own) if study.series(one, ratio=controls.ratio) is None]
    if unknown:
        st.caption(lesson.text("no_ratio", names=", ".join(curve_name(one) for one in unknown)))
    if chosen.own:
        _own_notes(lesson, controls, chosen)
    if chosen.other:
        hidden_runs(lesson, controls, chosen)


def _own_notes(lesson: Lesson, controls: Controls, chosen: Chosen) -> None:
    """How own runs are drawn, and where their lines stop."""
    st.caption(lesson.text("own", count=len(chosen.own), most=MOST_OWN))
    if any(curve.config.length != trained_at() for curve in chosen.own) and not controls.times:
        st.caption(lesson.text("own.lengths", trained=trained_at()))
    for curve in chosen.own:
        first = study.too_short_from(curve)
        if first is not None:
            st.caption(lesson.text("own.short", name=curve_name(curve), length=f"{first:,}"))


def hidden_runs(lesson: Lesson, controls: Controls, chosen: Chosen) -> None:
    """Own runs on another text: that they are hidden, or that their numbers cannot be compared."""
    st.caption(lesson.text("own.texts" if controls.other_text else "own.hidden", count=chosen.other))


def _csv(lesson: Lesson, shown: Sequence[charts.Line]) -> str:
    """Every point of a chart."""
    header = [lesson.entry("columns", key) for key in ("method", "length", "value", "low", "high")]
    rows = (
        [line.name, *(float(number) for number in numbers)]
        for line in shown
        for numbers in zip(line.x, line.y, line.low, line.high, strict=True)
    )
    return page.csv_text(header, rows)
