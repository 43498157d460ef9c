"""The Bias page's matrices: numbers of the study into panels, and the reader's zoom back into the page's window."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from alibi_viz.lessons import Lesson
from alibi_viz.ui import page
from alibi_viz.ui.components.matrix_view import Axis, Event, Mark, Model, Panel, Readout, matrix_view
from alibi_viz.ui.components.matrix_view.message import Quantity, Scale, Size, Stage
from alibi_viz.ui.controls import rerun
from alibi_viz.ui.format import format_number
from pages.bias import study as study

COLOURS = ("softmax range", "whole range")
VISIBLE = 10.0  # e^-10: less than 1/20,000 of the largest weight


def thumbnails(lesson: Lesson, controls: study.Controls, result: study.Result, colours: str) -> Event:
    """Every head, small; a click opens it large."""
    here = result.thumb_window
    panels = [
        _panel(lesson.label("thumb", head=h + 1), v, controls, colours, "thumb") for h, v in enumerate(result.thumbs)
    ]
    return matrix_view(
        panels,
        key="bias_thumbs",
        rows=Axis(here.row, here.step, here.count, name=lesson.label("query")),
        cols=Axis(here.col, here.step, here.count, name=lesson.label("key")),
        mode="pick",
        picked=controls.head - 1,
        filename=f"alibi-bias-{controls.heads}-heads",
        on_change=_picked,
    )


def large(lesson: Lesson, controls: study.Controls, result: study.Result, colours: str) -> Event:
    """One head, with the square of the training length, jump and zoom."""
    here = result.window
    drawn = lesson.label("every") if here.step == 1 else lesson.label("step", step=f"{here.step:,}")
    panel = _panel("", result.values, controls, colours, "large", caption=drawn)
    trained = min(controls.trained, controls.n)
    mark = Mark(0, 0, trained, trained, lesson.label("mark", length=f"{trained:,}"))
    return matrix_view(
        [panel],
        key="bias_large",
        rows=Axis(here.row, here.step, here.count, name=lesson.label("query")),
        cols=Axis(here.col, here.step, here.count, name=lesson.label("key")),
        models=[model(controls, result)],
        marks=[mark] if trained < controls.n else [],
        readout=readout(lesson, controls),
        zoomable=True,
        filename=f"alibi-bias-head-{controls.head}",
        on_change=_zoomed,
    )


def model(controls: study.Controls, result: study.Result) -> Model:
    """The arithmetic of one head, so that the browser can name the exact number of every cell."""
    return Model(
        content=None,
        slope=result.slope,
        future_slope=result.future_slope if controls.form == "two-sided" else None,
        form=study.FORMS[controls.form],  # type: ignore[arg-type]
        strength=1.0,
        causal=controls.causal,
        total=controls.n,
    )


def readout(lesson: Lesson, controls: study.Controls) -> Readout:
    kind = "after" if controls.after else "key_only" if controls.form == "key only" else "bias"
    future = kind if kind != "bias" else "future"
    return Readout(
        allowed=lesson.text(f"readout.{kind}"),
        masked=lesson.text("readout.masked"),
        empty=lesson.text("readout.empty"),
        ahead=lesson.text(f"readout.{future}"),
    )


def _panel(
    title: str, values: np.ndarray, controls: study.Controls, colours: str, size: Size, caption: str = ""
) -> Panel:
    """One matrix with its colours. The stage lets the browser compute exact cells."""
    stage: Stage = "weights" if controls.after else "bias"
    scale: Scale = "sqrt" if controls.after else "linear"
    quantity, domain = _colours(values, controls, colours)
    return Panel(
        title,
        values,
        quantity,
        domain,
        caption,
        model=0 if size == "large" else None,
        stage=stage,
        key=stage,
        scale=scale,
        size=size,
    )


def _colours(values: np.ndarray, controls: study.Controls, colours: str) -> tuple[Quantity, tuple[float, float]]:
    """The colour map and its ends. The formula without a mask rewards the future, so it needs two colours."""
    if controls.after:
        return "weight", (0.0, 1.0)
    finite = values[np.isfinite(values)]
    if not finite.size:  # all of it too far away for float16
        return "bias", (-VISIBLE, 0.0)
    low, high = float(finite.min()), float(finite.max())
    both = controls.form == "distance" and not controls.causal
    if colours == "whole range":
        edge = max(abs(low), abs(high), 1e-6)
        return ("content", (-edge, edge)) if both else ("bias", (min(low, high - 1e-6), high))
    if both:
        return "content", (-VISIBLE, VISIBLE)
    return ("bias", (high - VISIBLE, high)) if controls.form == "key only" else ("bias", (-VISIBLE, 0.0))


def _picked() -> None:
    """A thumbnail was chosen."""
    chosen = st.session_state["bias_thumbs"].get("picked")
    if isinstance(chosen, int) and 0 <= chosen < 128:
        st.session_state["head"] = chosen + 1
        rerun.request()


def _zoomed() -> None:
    """The reader asked for a closer (factor above 1), a wider, or the whole window (0): [row, col, factor]."""
    rerun.request()
    asked = st.session_state["bias_large"].get("zoom")
    if not isinstance(asked, list | tuple) or len(asked) != 3:
        return
    n = int(st.session_state.get("n", 128))
    row, col, factor = (float(x) for x in asked)
    if factor == 0:
        st.session_state.update(row=0, col=0, span=0)
        return
    span = int(min(max((st.session_state.get("span") or n) / factor, 8), n))
    st.session_state["span"] = 0 if span >= n else span
    for key, middle in (("row", row), ("col", col)):
        st.session_state[key] = int(min(max(middle - span / 2, 0), max(n - span, 0)))


def compared_text(result: dict[str, float]) -> str:
    """“key only 0, symmetric 0.22”."""
    return ", ".join(f"{form} **{format_number(value)}**" for form, value in result.items())


def formats(lesson: Lesson, controls: study.Controls, result: study.Result) -> pd.DataFrame:
    """How many distances each number format tells apart, and its largest error."""
    words = lesson.entries("columns")
    measured = {name: study.precision(result.slope, controls.n, name) for name in study.DTYPES}
    return pd.DataFrame(
        {
            words["dtype"]: list(measured),
            words["distinct"]: [distinct for distinct, _ in measured.values()],
            words["error"]: [error for _, error in measured.values()],
        }
    )


def csv(controls: study.Controls, result: study.Result) -> str:
    """The cells on the screen; the first row and column name the tokens."""
    cols = result.window.cols().tolist()
    rows = ([i, *values] for i, values in zip(result.window.rows().tolist(), result.values.tolist(), strict=True))
    return page.csv_text(["query \\ key", *cols], rows)
