"""The Extrapolation page's first part: the measured chart beside the published one, and the table of its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from alibi_viz.figures import extrapolation as charts
from alibi_viz.lessons import Lesson
from alibi_viz.runs import RunStore
from alibi_viz.studies import extrapolation as study
from alibi_viz.studies import measured
from alibi_viz.studies.measured import Curve, Measured, Protocol
from alibi_viz.ui import page, texts
from alibi_viz.ui.method_pills import TITLES

MOST_OWN = 8  # curves of the reader on one chart
NEAR, FAR = 4, 16  # training lengths that the words speak of


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
    other: int  # own curves of another text among those that could be shown


def own_runs() -> tuple[Measured, ...]:
    """The reader's finished language models, newest first."""
    return tuple(run for run in measured.own(RunStore()) if not run.config.is_recall)


def choose(controls: Controls, runs: Sequence[Measured]) -> Chosen:
    """The curves that the controls ask for."""
    shipped = [run for run in measured.shipped() if run.config.method in controls.methods]
    mine = [run for run in runs if run.config.method in controls.methods] if controls.own else []
    text = measured.shipped()[0].corpus
    same = [run for run in mine if run.corpus == text]
    other = measured.curves([run for run in mine if run.corpus != text], controls.protocol)
    own = measured.curves(mine if controls.other_text else same, controls.protocol)
    return Chosen(measured.curves(shipped, controls.protocol), own[:MOST_OWN], len(other))


def trained_at() -> int:
    """L of the shipped runs."""
    return measured.shipped()[0].config.length


def seeds() -> tuple[int, ...]:
    """Seeds of the shipped runs."""
    return tuple(sorted({run.config.seed for run in measured.shipped()}))


def _name(lesson: Lesson, curve: Curve) -> str:
    """A method's name; an own run's says its length and steps too, and what else differs."""
    config, first = curve.config, measured.shipped()[0].config
    title = TITLES[config.method]
    if curve.origin == "shipped":
        return title
    name = lesson.label("own_name", title=title, length=f"{config.length:,}", steps=f"{config.steps:,}")
    if (config.layers, config.width) != (first.layers, first.width):
        name = lesson.label("own_shape", name=name, layers=config.layers, width=config.width)
    return lesson.label("own_other", name=name) if config.corpus != first.corpus else name


def lines(lesson: Lesson, controls: Controls, chosen: Chosen) -> list[charts.Line]:
    """The curves in the chosen units."""
    made = []
    for curve in (*chosen.shipped, *chosen.own):
        one = study.series(curve, ratio=controls.ratio, times=controls.times)
        if one is not None and len(one.x):
            name = _name(lesson, curve)
            made.append(_line(one, name, curve.origin == "own"))
    return made


def _line(one: study.Series, name: str, own: bool = False) -> charts.Line:
    return charts.Line(one.method, name, one.x, one.y, one.low, one.high, own, one.ends)


def _axes(lesson: Lesson, controls: Controls, unit: str, trained: int) -> charts.Axes:
    """unit: what a length counts, "bytes" or "words"."""
    words = lesson.entries("chart")
    return charts.Axes(
        words["x_times" if controls.times else f"x_{unit}"],
        words["y_ratio" if controls.ratio else f"y_{unit}"],
        1.0 if controls.times else float(trained),
        controls.log_x,
        controls.log_y,
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
        st.subheader(lesson.label("here"), anchor=False)
        ours = lines(lesson, controls, chosen)
        axes = _axes(lesson, controls, "bytes", trained_at())
        page.chart(
            charts.curves(ours, axes, chart_words(lesson, trained_at(), times=controls.times), dark=dark),
            key="ext_here",
            alt=lesson.label("here"),
            name="perplexity-against-length",
        )
        page.download(lambda: _csv(lesson, ours), name="perplexity-against-length.csv", key="ext_here_csv")
    with right:
        st.subheader(lesson.label("published"), anchor=False)
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


def _notes(lesson: Lesson, controls: Controls, chosen: Chosen, theirs: Sequence[charts.Line]) -> None:
    """What a reader must know about lines that end, or that are their own."""
    for curve in chosen.shipped:
        if curve.missing:
            reason = texts.plain(next(iter(curve.missing.values())))
            st.caption(lesson.text("learned", name=TITLES[curve.config.method], reason=reason))
    for line in theirs:
        if line.ends:
            length = line.x[-1] * (controls.paper if controls.times else 1)
            st.caption(lesson.text("oom", name=line.name, length=f"{length:,.0f}"))
    unknown = [one for one in (*chosen.shipped, *chosen.own) if study.series(one, ratio=controls.ratio) is None]
    if unknown:
        st.caption(lesson.text("no_ratio", names=", ".join(_name(lesson, one) for one in unknown)))
    if chosen.own:
        st.caption(lesson.text("own", count=len(chosen.own), most=MOST_OWN))
        if any(curve.config.length != trained_at() for curve in chosen.own) and not controls.times:
            st.caption(lesson.text("own.lengths", trained=trained_at()))
    if chosen.other:
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


def table(lesson: Lesson, controls: Controls, chosen: Chosen) -> pd.DataFrame:
    """One row a curve: at L, at 4 L, at 16 L, and where it breaks, here and in the paper."""
    words = lesson.entries("columns")
    theirs = study.paper_breaks(controls.paper)
    rows = []
    for curve in (*chosen.shipped, *chosen.own):
        trained, method = curve.config.length, curve.config.method
        found = study.breaks([curve]).get(method)
        each = curve.each[curve.lengths == trained]
        rows.append(
            {
                words["method"]: _name(lesson, curve),
                words["at"]: value_text(curve.at(trained)),
                words["seeds"]: f"{each.min():.2f} – {each.max():.2f}" if each.size > 1 else "–",
                **{
                    lesson.entry("columns", "times", times=times): value_text(curve.at(times * trained))
                    for times in (NEAR, FAR)
                },
                words["breaks"]: _break(lesson, found) if not curve.missing else words["ends"],
                lesson.entry("columns", "paper", trained=f"{controls.paper:,}"): _break(lesson, theirs.get(method)),
            }
        )
    return pd.DataFrame(rows)


def value_text(number: float | None) -> str:
    return "–" if number is None else f"{number:.2f}"


def _break(lesson: Lesson, found: study.Break | None) -> str:
    if found is None:
        return "–"
    if found.at is None:
        return lesson.entry("columns", "never", most=f"{found.kept:.3g}")
    return lesson.entry("columns", "between", kept=f"{found.kept:.3g}", at=f"{found.at:.3g}")


def numbers(lesson: Lesson, controls: Controls, chosen: Chosen) -> None:
    """The table under the charts."""
    frame = table(lesson, controls, chosen)
    with st.expander(lesson.label("table"), icon=":material/table:"):
        st.dataframe(frame, hide_index=True)
        page.download(lambda: frame.to_csv(index=False), name="extrapolation.csv", key="ext_table_csv")
