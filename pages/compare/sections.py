"""The Compare lesson's sections: controls, one call, a figure or a table, words."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from alibi_viz.charts.lines import Line
from alibi_viz.content import synthetic
from alibi_viz.content.synthetic import Setting
from alibi_viz.lessons import Lesson
from alibi_viz.positions import METHODS
from alibi_viz.ui import page
from alibi_viz.ui.controls import widgets
from alibi_viz.ui.controls.content import is_trained
from alibi_viz.ui.controls.method_pills import TITLES
from alibi_viz.ui.format import MINUS, format_bytes, format_difference
from pages.compare import charts, controls, counted, distance, pictures, study
from pages.compare.facts import Counted, Reach, Shift
from pages.compare.pictures import legend, problems, table
from pages.compare.study import Controls

QUERY, KEY = 24, 16  # the pair of positions that the shift test moves
OUTPUT = 10.0  # the scale of an output: its rounding is below `distance.ROUNDING`


def contents(lesson: Lesson, chosen: Controls) -> dict[str, Callable[[], object]]:
    """The sections of the page, by name, and what each shows."""
    shown = {"matrices": _matrices, "numbers": _numbers, "reach": reach, "tests": _tests}
    shown |= {"facts": all_facts, "code": _formulas}
    return {name: partial(_or_its_problem, section, lesson, chosen) for name, section in shown.items()}


def _or_its_problem(section: Callable[[Lesson, Controls], None], lesson: Lesson, chosen: Controls) -> None:
    """The section, or a sentence about what the reader has to change."""
    try:
        section(lesson, chosen)
    except ValueError as error:
        page.problem(error)


def _matrices(lesson: Lesson, chosen: Controls) -> None:
    controls.show_text(lesson)
    chosen = controls.read()  # the controls above have now checked what they show
    if is_trained():
        pictures.trained_models(lesson, chosen, study.read(chosen))
    else:
        pictures.methods(lesson, chosen, study.study(chosen))


def _numbers(lesson: Lesson, chosen: Controls) -> None:
    """Where they come from, and those of the picture as a table."""
    pictures.numbers(lesson, chosen)
    page.prose(lesson, "trained")

    def csv() -> pd.DataFrame:
        names, curves = legend(lesson, chosen), distance.curves(chosen, *controls.axis())
        points = [(names[c.method], *point) for c in curves for point in zip(c.distances, c.added, strict=True)]
        return pd.DataFrame(points, columns=[lesson.entry("columns", name) for name in ("method", "distance", "added")])

    page.download_csv(csv, name="score-against-distance.csv", key="curves_csv")


def _tests(lesson: Lesson, chosen: Controls) -> None:
    shift_test(lesson, chosen)
    order_test(lesson, chosen)


def _formulas(lesson: Lesson, chosen: Controls) -> None:
    """The formula of each method, and the code that computes it."""
    page.prose(lesson, "formulas")
    for name in chosen.methods:
        page.prose(lesson, f"formula.{name}")
    page.code(synthetic.attend, *(METHODS[name] for name in chosen.methods if name != "none"))


def reach(lesson: Lesson, chosen: Controls) -> None:
    share, past = widgets.row(lesson, controls.SHARE, controls.PAST)
    reaches, names = distance.reach(chosen.methods, chosen.setting, past), legend(lesson, chosen)
    column, heads = controls.SHARE.choices.index(share), chosen.setting.heads
    # Distance 0 has no position on a log axis; the keys 0..D are D + 1 tokens.
    x = np.arange(1, heads + 1)
    lines = [Line(reach.name, names[reach.name], x, reach.tokens[:, column] + 1) for reach in reaches]
    own = {TITLES[reach.name]: int(reach.tokens[chosen.head - 1, column]) + 1 for reach in reaches}
    tokens = ", ".join(f"{title} {count:,}" for title, count in own.items())
    alt = lesson.label("alt_reach", share=share, head=chosen.head, tokens=tokens)
    labels = lesson.entries("chart")
    figure = charts.reach(lines, labels, dark=page.dark(), heads=heads, chosen=chosen.head, past=past)
    page.chart(figure, key="reach", alt=alt, name="reach")
    problems(lesson, {reach.name: reach.problem for reach in reaches})
    page.prose(lesson, "reach", Reach(share, past))


def shift_test(lesson: Lesson, chosen: Controls) -> None:
    page.heading(lesson.label("shift_test"))
    shift = widgets.drag(controls.SHIFT, lesson)
    rows = distance.shifted(chosen, QUERY, KEY, shift)
    columns = {
        "method": [TITLES[row.method] for row in rows],
        "before": [_score(row.before) for row in rows],
        "after": [_score(row.after) for row in rows],
        "change": [_change(row.change, row.before) for row in rows],
    }
    table(lesson, columns)
    problems(lesson, {row.method: row.problem for row in rows})
    page.prose(lesson, "shift", Shift(QUERY, KEY, QUERY + shift, KEY + shift))


def _score(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}".replace("-", MINUS)


def _change(value: float | None, scale: float | None) -> str:
    """As text, so that zero reads as 0."""
    return "–" if value is None else format_difference(value, max(abs(scale or 0.0), 1.0))


def order_test(lesson: Lesson, chosen: Controls) -> None:
    page.heading(lesson.label("order_test"))
    rows, labels = distance.reordered(chosen), lesson.entries("columns")
    notices = {True: labels["yes"], False: labels["no"]}
    columns = {
        "method": [TITLES[row.method] for row in rows],
        "output": [_change(row.change, OUTPUT) for row in rows],
        "notices": ["–" if row.change is None else notices[row.change > distance.ROUNDING] for row in rows],
    }
    table(lesson, columns)
    problems(lesson, {row.method: row.problem for row in rows})
    page.prose(lesson, "order")


def all_facts(lesson: Lesson, chosen: Controls) -> None:
    """What is counted and tried on each method; the last columns only when the time is measured."""
    n, measure = widgets.row(lesson, controls.FACTS_N, controls.MEASURE)
    rows = counted.facts(chosen.methods, chosen.setting, n)
    labels, acts = lesson.entries("columns"), lesson.entries("acts")
    columns = {
        "method": [TITLES[row.method] for row in rows],
        "acts": [acts[row.acts_on] for row in rows],
        "learned": [f"{row.parameters:,}" for row in rows],
        "state": [format_bytes(row.state) for row in rows],
        "new": [f"{row.new:,}" for row in rows],
        "beyond": [labels["no"] if row.refusal else labels["yes"] for row in rows],
    }
    if measure:
        timings = _timings(chosen.methods, chosen.setting, n)
        columns["milliseconds"] = [f"{timings[row.method].milliseconds:.2f}" for row in rows]
        columns["ratio"] = [f"{timings[row.method].ratio:.2f}" for row in rows]
    frame = table(lesson, columns)
    page.download_csv(lambda: frame, name="position-methods.csv", key="facts_csv")
    problems(lesson, {row.method: row.refusal for row in rows})
    page.prose(lesson, "facts", Counted(n, chosen.setting.device))


@st.cache_data(max_entries=32, show_spinner=False)
def _timings(methods: tuple[str, ...], setting: Setting, n: int) -> dict[str, counted.Timing]:
    """Measured once for each choice, not at every rerun."""
    return counted.timings(methods, setting, n)
