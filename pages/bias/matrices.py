"""The Bias page's matrices: the numbers of the study as panels."""

import numpy as np

from alibi_viz.lessons import Lesson
from alibi_viz.ui.components.matrix_view import Axis, Colours, Mark, Model, Panel, Readout, matrix_view
from alibi_viz.ui.controls import widgets
from pages.bias import controls
from pages.bias.study import FORMS, Controls, Result, Window

VISIBLE = 10.0  # e^-10: less than 1/20,000 of the largest weight
THUMBS, LARGE = "bias_thumbs", "bias_large"  # keys of the views


def thumbnails(lesson: Lesson, result: Result) -> None:
    """Every head, small; a click opens it large."""
    chosen, (rows, cols) = result.controls, _axes(lesson, result.thumb_window)
    heads = enumerate(result.thumbs, start=1)
    matrix_view(
        [_panel(lesson.label("thumb", head=head), values, chosen) for head, values in heads],
        key=THUMBS,
        rows=rows,
        cols=cols,
        picked=chosen.head - 1,
        filename=f"alibi-bias-{chosen.heads}-heads",
        on_change=lambda: widgets.follow_pick(controls.HEAD, THUMBS),
    )


def large(lesson: Lesson, result: Result) -> None:
    """One head, with the square of the training length, jump and zoom."""
    chosen, step, (rows, cols) = result.controls, result.window.step, _axes(lesson, result.window)
    length = chosen.train_length
    caption = lesson.label("every") if step == 1 else lesson.label("step", step=f"{step:,}")
    marks = [Mark(0, 0, length, length, lesson.label("mark", length=f"{length:,}"))] if length < chosen.n else []
    matrix_view(
        [_panel("", result.values, chosen, caption, _model(result))],
        key=LARGE,
        rows=rows,
        cols=cols,
        marks=marks,
        readout=_readout(lesson, chosen),
        size="large",
        zoomable=True,
        filename=f"alibi-bias-head-{chosen.head}",
        on_change=lambda: controls.follow_zoom(LARGE),
    )


def _axes(lesson: Lesson, window: Window) -> tuple[Axis, Axis]:
    """Rows are queries, columns are keys."""
    rows = Axis(start=window.row, step=window.step, name=lesson.label("query"))
    return rows, Axis(start=window.col, step=window.step, name=lesson.label("key"))


def _model(result: Result) -> Model:
    """The arithmetic of one head, so that the browser can name the exact number of every cell."""
    chosen = result.controls
    future = result.future_slope if chosen.form == "two-sided" else None
    form, causal = FORMS[chosen.form], chosen.causal
    return Model(slope=result.slope, future_slope=future, form=form, causal=causal, total=chosen.n)


def _readout(lesson: Lesson, chosen: Controls) -> Readout:
    past = "after" if chosen.after else "key_only" if chosen.form == "key only" else "bias"
    future = "future" if past == "bias" else past
    return Readout(*(lesson.text(f"readout.{part}") for part in (past, "masked", "empty", future)))


def _panel(title: str, values: np.ndarray, chosen: Controls, caption: str = "", model: Model | None = None) -> Panel:
    """One matrix with its colors. The stage says which number of a cell the browser computes."""
    colors, after = _colors(values, chosen), chosen.after
    return Panel(title, values, colors, caption=caption, model=model, stage="weights" if after else "bias")


def _colors(values: np.ndarray, chosen: Controls) -> Colours:
    """The color map and its ends. The formula without a mask rewards the future, so it needs two colors."""
    if chosen.after:
        return Colours("weight", (0.0, 1.0), "sqrt")
    finite = values[np.isfinite(values)]
    # Nothing is finite where every cell is too far away for float16.
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (-VISIBLE, 0.0)
    whole, top = chosen.colors == "whole range", high if chosen.form == "key only" else 0.0
    if chosen.form == "distance" and not chosen.causal:
        edge = max(abs(low), abs(high), 1e-6) if whole else VISIBLE
        return Colours("content", (-edge, edge))
    return Colours("bias", (min(low, high - 1e-6), high) if whole else (top - VISIBLE, top))
