"""The Compare page's parts: the choice of methods, the matrices with one cursor, and the tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
import streamlit as st

from alibi_viz import synthetic, trained_tables
from alibi_viz.lessons import Lesson
from alibi_viz.positions import METHODS
from alibi_viz.ui.components.matrix_view import Event, Panel
from alibi_viz.ui.components.matrix_view.message import Quantity, Scale
from alibi_viz.ui.controls.method_pills import TITLES, method_pills
from alibi_viz.ui.controls.params import Param, printable
from alibi_viz.ui.format import MINUS, escape_markdown, format_bytes, format_number
from alibi_viz.ui.side_by_side import side_by_side
from pages.compare import distance as distance
from pages.compare import facts as compare_facts
from pages.compare import study as study

DEFAULT = ("none", "sinusoidal", "rope", "t5", "alibi", "fire")
STAGES = ("weights", "scores", "added")
NOTHING = "nothing"
ENDS: dict[str, tuple[Quantity, tuple[float, float], Scale]] = {
    "weights": ("weight", (0.0, 1.0), "sqrt"),
    "scores": ("scores", (-8.0, 8.0), "linear"),
    "added": ("scores", (-8.0, 8.0), "linear"),
    "difference": ("scores", (-0.5, 0.5), "linear"),  # of two weights
}


def methods(param: Param, lesson: Lesson) -> tuple[str, ...]:
    """Two to six methods, in the registry's order. Says so when the URL or the reader asks for something else.

    param: a text, the methods' keys with commas between them, so that a link is short and needs no translation.
    """
    known, unknown = method_pills(param, lesson)
    used = allowed(known)
    if unknown:
        st.info(lesson.text("methods.unknown", given=printable(", ".join(unknown))))
    if len(known) < study.FEWEST:
        st.info(lesson.text("methods.few", used=_listed(used)))
    elif len(known) > study.MOST:
        st.info(lesson.text("methods.many", used=_listed(used)))
    return used


def allowed(names: Iterable[str]) -> tuple[str, ...]:
    """The nearest allowed choice: at most six, and ALiBi and no positions added until there are two."""
    chosen = [name for name in METHODS if name in set(names)][: study.MOST]
    for partner in ("alibi", "none"):
        if len(chosen) < study.FEWEST and partner not in chosen:
            chosen.append(partner)
    return tuple(name for name in METHODS if name in chosen)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(TITLES[name] for name in names)


def matrices(
    lesson: Lesson, controls: study.Controls, result: Sequence[study.Shown], stage: str, against: str
) -> Event:
    """One matrix a method, one colour scale, one cursor; the picture itself, or its difference from one method.

    The method that is subtracted keeps its own picture: a panel of zeros would say nothing.
    """
    reference = next((one for one in result if one.name == against), None)
    panels = [_panel(lesson, one, stage, reference, controls.setting) for one in result]
    name = f"compare-{stage}-head-{controls.head}"
    tokens, trained = controls.tokens, controls.setting.trained
    return side_by_side(lesson, panels, tokens, trained, key="compare_matrices", filename=name)


def colour(lesson: Lesson, stage: str, subtracted: bool = False) -> None:
    """Under weights: how a colour follows from a number."""
    if stage == "weights":
        st.caption(lesson.text("colour.difference" if subtracted else "colour.weights"))


def _panel(
    lesson: Lesson, one: study.Shown, stage: str, reference: study.Shown | None, setting: synthetic.Setting
) -> Panel:
    """One method's picture, or its difference from the reference."""
    title, picture, kind = one.title, getattr(one, stage), stage
    if reference is not None and reference is not one:
        title = f"{one.title} {MINUS} {reference.title}"
        picture = study.difference(picture, getattr(reference, stage))
        kind = "difference" if stage == "weights" else stage
    quantity, ends, scale = ENDS[kind]
    return Panel(title, picture, quantity, ends, caption(lesson, one, setting), key=one.name, scale=scale)


def caption(lesson: Lesson, one: study.Shown, setting: synthetic.Setting) -> str:
    """What a reader must know about the numbers of a method: fresh or trained, or at an end."""
    parts = [_origin(lesson, one.name, setting)] if one.learned else []
    if one.problem:
        parts.append(lesson.label("ends", known=one.known))
    return " · ".join(parts)


def titles(lesson: Lesson, chosen: study.Controls) -> dict[str, str]:
    """The name of every chosen method for a legend, with a word about where learned numbers come from."""
    learned = {name: synthetic.count_parameters(synthetic.built(name, chosen.setting)) for name in chosen.methods}
    return {
        name: f"{TITLES[name]} ({_origin(lesson, name, chosen.setting)})" if n else TITLES[name]
        for name, n in learned.items()
    }


def _origin(lesson: Lesson, name: str, setting: synthetic.Setting) -> str:
    """Where a method's learned numbers come from, in a few words."""
    run = trained_tables.shipped(name) if synthetic.uses_trained(name, setting) else None
    if run is None:
        return lesson.label("fresh")
    return lesson.label("trained_at", length=run.config.length, seed=run.config.seed)


def numbers(lesson: Lesson, chosen: study.Controls) -> None:
    """Under the matrices, when trained numbers are asked for: what they are, and why a method stays fresh."""
    if chosen.setting.weights != "trained":
        return
    for name in chosen.methods:
        if not synthetic.count_parameters(synthetic.built(name, chosen.setting)):
            continue
        run, reason = trained_tables.shipped(name), synthetic.misfit(name, chosen.setting)
        shape = {key: getattr(run.config, key) for key in ("length", "width", "heads", "layers", "seed")} if run else {}
        now = {"now_heads": chosen.setting.heads, "now_width": chosen.setting.width}
        used = {"now_length": chosen.setting.trained, "method": TITLES[name]}
        section = f"unfit.{reason}" if reason else f"fit.{name}"
        st.caption(lesson.text(section, **(shape | now | used)))


def problems(lesson: Lesson, found: Mapping[str, str]) -> None:
    """The sentence of every method that could not answer, under the figure where it is missing."""
    for name, problem in found.items():
        if problem:
            st.caption(lesson.text("refused", method=TITLES[name], problem=escape_markdown(problem)))


def shift_table(lesson: Lesson, rows: Sequence[distance.Shift]) -> pd.DataFrame:
    """Score, moved score and change as text, so that an exact zero reads as 0."""
    words = lesson.entries("columns")
    return pd.DataFrame(
        {
            words["method"]: [TITLES[row.name] for row in rows],
            words["before"]: [_score(row.before) for row in rows],
            words["after"]: [_score(row.after) for row in rows],
            words["change"]: [_change(row.change) for row in rows],
        }
    )


def order_table(lesson: Lesson, rows: Sequence[distance.Order]) -> pd.DataFrame:
    words = lesson.entries("columns")
    return pd.DataFrame(
        {
            words["method"]: [TITLES[row.name] for row in rows],
            words["output"]: [_change(row.change) for row in rows],
            words["notices"]: [_notices(words, row.change) for row in rows],
        }
    )


ROUNDING = 1e-5  # a change below this is float32's rounding, not order


def _notices(words: Mapping[str, str], change: float) -> str:
    if math.isnan(change):
        return "–"
    return words["yes"] if change > ROUNDING else words["no"]


def _score(value: float | None) -> str:
    return "–" if value is None or math.isnan(value) else f"{value:.4f}".replace("-", MINUS)


def _change(value: float | None) -> str:
    return "–" if value is None or math.isnan(value) else format_number(value)


def facts_table(
    lesson: Lesson, rows: Sequence[compare_facts.Facts], timed: Mapping[str, compare_facts.Timing] | None
) -> pd.DataFrame:
    """One row a method; the last columns only when they have been measured."""
    words, acts = lesson.entries("columns"), lesson.entries("acts")
    frame = {
        words["method"]: [row.title for row in rows],
        words["acts"]: [acts[row.acts_on] for row in rows],
        words["learned"]: [f"{row.learned:,}" for row in rows],
        words["state"]: [format_bytes(row.state) for row in rows],
        words["work"]: [f"{row.work:,}" for row in rows],
        words["beyond"]: [words["yes"] if row.beyond else words["no"] for row in rows],
    }
    if timed is not None:
        frame[words["milliseconds"]] = [f"{timed[row.name].milliseconds:.2f}" for row in rows]
        frame[words["ratio"]] = [f"{timed[row.name].ratio:.2f}" for row in rows]
    return pd.DataFrame(frame)


@st.cache_data(max_entries=32, show_spinner=False)
def timings(names: tuple[str, ...], setting: synthetic.Setting, n: int) -> dict[str, compare_facts.Timing]:
    """Measured once for each choice, not at every rerun."""
    return compare_facts.timings(names, setting, n)


def far_weight(one: study.Shown) -> float:
    """Share of the last placed token's weight that goes to keys in the first half of the text."""
    row = one.weights[one.known - 1, : one.known]
    return float(np.where(np.isfinite(row), row, 0)[: one.known // 2].sum())
