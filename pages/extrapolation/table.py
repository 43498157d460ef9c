"""The Extrapolation page's table, “numbers of this chart”: one row a curve, and where each breaks.

Notable choices:
- “Ends at L” is said of a method that cannot go on. Where only the reader's text is too short, the break is told as far as
  it was measured, and the shortest window that did not fit stands in a column of its own.
- The paper's column is for the shipped runs: its models are not the reader's.
"""

from __future__ import annotations

import pandas as pd
import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.measured import Curve
from alibi_viz.ui import page
from pages.extrapolation import study as study
from pages.extrapolation.result import Chosen, Controls, curve_name

NEAR, FAR = 4, 16  # training lengths that the table and the words speak of
LETTER = 6  # pixels of a letter in a table: the first column is as wide as its longest name


def table(lesson: Lesson, controls: Controls, chosen: Chosen) -> pd.DataFrame:
    """One row a curve: at L, at 4 L, at 16 L, and where it breaks, here and in the paper."""
    curves = (*chosen.shipped, *chosen.own)
    frame = pd.DataFrame([_row(lesson, controls, curve) for curve in curves])
    short = [study.too_short_from(curve) for curve in curves]
    if any(short):
        frame[lesson.entry("columns", "short")] = ["–" if one is None else f"{one:,}" for one in short]
    return frame


def _row(lesson: Lesson, controls: Controls, curve: Curve) -> dict[str, str]:
    words = lesson.entries("columns")
    trained, method = curve.config.length, curve.config.method
    each = curve.per_seed[curve.lengths == trained]
    theirs = study.paper_breaks(controls.paper).get(method) if curve.origin == "shipped" else None
    row = {
        words["method"]: curve_name(curve),
        words["at"]: value_text(curve.at(trained)),
        words["seeds"]: f"{each.min():.2f} – {each.max():.2f}" if each.size > 1 else "–",
    }
    for times in (NEAR, FAR):
        row[lesson.entry("columns", "times", times=times)] = value_text(curve.at(times * trained))
    row[words["breaks"]] = words["ends"] if study.ends(curve) else break_text(lesson, study.breaks([curve]).get(method))
    row[lesson.entry("columns", "paper", trained=f"{controls.paper:,}")] = break_text(lesson, theirs)
    return row


def value_text(number: float | None) -> str:
    """Two places, or a dash."""
    return "–" if number is None else f"{number:.2f}"


def break_text(lesson: Lesson, found: study.Break | None) -> str:
    """Between which two measured windows it breaks, in training lengths."""
    if found is None:
        return "–"
    if found.at is None:
        return lesson.entry("columns", "never", most=f"{found.kept:.3g}")
    return lesson.entry("columns", "between", kept=f"{found.kept:.3g}", at=f"{found.at:.3g}")


def numbers(lesson: Lesson, controls: Controls, chosen: Chosen) -> None:
    """The table under the charts."""
    frame = table(lesson, controls, chosen)
    with st.expander(lesson.label("table"), icon=":material/table:"):
        first = frame.columns[0]
        width = 24 + LETTER * max(len(name) for name in frame[first])
        wide = {first: st.column_config.TextColumn(width=width)}
        st.dataframe(frame, hide_index=True, column_config=wide)
        page.download(lambda: frame.to_csv(index=False), name="extrapolation.csv", key="ext_table_csv")
