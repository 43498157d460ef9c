"""The measured chart, the published one beside it, notes on their lines, and the table."""

from collections.abc import Iterator, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from alibi_viz.charts.lines import Line
from alibi_viz.lessons import Lesson
from alibi_viz.results import measured
from alibi_viz.results.measured import RunCurve
from alibi_viz.ui import page
from alibi_viz.ui.controls import widgets
from alibi_viz.ui.controls.method_pills import TITLES
from alibi_viz.ui.format import escape_markdown
from pages.extrapolation import charts, controls, study
from pages.extrapolation.facts import End, units
from pages.extrapolation.study import FAR, NEAR, TRAIN_LENGTH, Result

HEIGHT = 430
LETTER = 6  # pixels of a letter in a table: the first column is as wide as its longest name


def show(lesson: Lesson, result: Result) -> None:
    """Ours on the left, the paper's on the right."""
    widgets.choice(controls.PAPER_LENGTH, lesson)
    for column, label in zip(st.columns(2, gap="medium"), ("here", "published"), strict=True):
        with column:
            st.markdown(f"**{lesson.label(label)}**")
            chart(lesson, result, label, height=HEIGHT)
            lines, name = (result.ours, "perplexity-against-length") if label == "here" else (result.paper, "paper")
            page.download_rows(lesson, points(lines), name=name, key=f"ext_{label}_csv")
    page.prose(lesson, "pair.difference" if result.controls.difference else "pair", units("nonoverlapping"))
    for line in result.paper:
        if line.ends:
            length = line.x[-1] * (result.controls.paper if result.controls.times else 1)
            st.caption(lesson.text("oom", End(line.name, length)))


def chart(lesson: Lesson, result: Result, label: str, *, height: int | None = None) -> None:
    """One of the two charts, "here" or "published". height: None for the stage."""
    chosen, ours = result.controls, label == "here"
    lines, train_length, unit = (result.ours, TRAIN_LENGTH, "bytes") if ours else (result.paper, chosen.paper, "words")
    labels = chart_labels(lesson, train_length, times=chosen.times)
    labels["x"] = labels["x_times" if chosen.times else f"x_{unit}"]
    labels["y"] = labels["y_difference" if chosen.difference else f"y_{unit}"]
    mark = 1 if chosen.times else train_length
    log = (chosen.log[0], chosen.log[1] and not chosen.difference)  # a difference can be below zero
    figure = charts.curves(lines, labels, train_length=mark, log=log, height=height, dark=page.dark())
    at = " · ".join(f"{line.name} {line.y[-1]:.2f}" for line in lines)
    name = "perplexity-against-length" if ours else f"press-2022-L-{chosen.paper}"
    alt = lesson.label("alt", what=lesson.label(label), y=labels["y"], ends=at)
    page.chart(figure, key=f"ext_{label}{'_pair' if height else ''}", alt=alt, name=name)


def points(lines: Sequence[Line]) -> list[dict[str, object]]:
    """The points of curves for a CSV."""
    columns = ("method", "length", "value", "low", "high")
    return [dict(zip(columns, (line.name, line.x, line.y, *line.span), strict=True)) for line in lines]


def chart_labels(lesson: Lesson, train_length: int, *, times: bool = False) -> dict[str, str]:
    """The labels of a chart, with its training length put in. times: the axis counts training lengths, of whatever L."""
    mark = lesson.entry("chart", "train_length_times" if times else "train_length", length=train_length)
    return lesson.entries("chart") | {"train_length": mark}


def ends(lesson: Lesson, result: Result) -> Iterator[str]:
    """Why the line of a method that cannot go on ends."""
    for curve in result.curves:
        if study.ends(curve) and curve.missing:
            reason = escape_markdown(next(iter(curve.missing.values())))
            yield lesson.text("learned", End(TITLES[curve.config.method], reason=reason))


def numbers(lesson: Lesson, result: Result) -> None:
    """The table of all curves, and the points of ours."""
    frame = table(lesson, result)
    first = frame.columns[0]
    wide = {first: st.column_config.TextColumn(width=24 + LETTER * int(frame[first].str.len().max()))}
    st.dataframe(frame, hide_index=True, column_config=wide)
    page.download_csv(lambda: frame, name="extrapolation.csv", key="ext_table_csv")


def table(lesson: Lesson, result: Result) -> pd.DataFrame:
    """One row a curve: at L, at 4 L, at 16 L, and where it breaks, here and in the paper."""
    return pd.DataFrame([_row(lesson, result.controls.paper, curve) for curve in result.curves])


def _row(lesson: Lesson, paper_length: int, curve: RunCurve) -> dict[str, str]:
    columns, method = partial(lesson.entry, "columns"), curve.config.method
    at_length = curve.per_seed[curve.lengths == curve.config.length]
    means = {times: curve.at(times * curve.config.length) for times in (1, NEAR, FAR)}
    values = {times: "–" if mean is None else f"{mean:.2f}" for times, mean in means.items()}
    theirs = study.paper_breaks(paper_length).get(method)
    ours = None if study.ends(curve) else _break(lesson, study.breaks([curve]).get(method))
    return {
        columns("method"): TITLES[method],
        columns("at"): values[1],
        columns("seeds"): f"{at_length.min():.2f} – {at_length.max():.2f}" if at_length.size > 1 else "–",
        columns("times", times=NEAR): values[NEAR],
        columns("times", times=FAR): values[FAR],
        columns("breaks", worse=measured.WORSE): ours or columns("ends"),
        columns("paper", train_length=paper_length): _break(lesson, theirs),
    }


def _break(lesson: Lesson, first: study.Break | None) -> str:
    """Between which two measured windows it breaks, in training lengths."""
    if first is None:
        return "–"
    return lesson.entry("columns", "never" if first.at is None else "between", first)
