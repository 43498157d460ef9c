"""The Bias page's matrices: the numbers of the study as panels."""

import math
from functools import partial

import numpy as np

from alibi_viz.lessons import Lesson
from alibi_viz.ui.components.matrix_view import Axis, Colours, Mark, Model, Panel, Readout, matrix_view
from alibi_viz.ui.components.matrix_view.message import Options
from alibi_viz.ui.controls import widgets
from pages.bias import controls
from pages.bias.study import FORMS, FUTURE_SHARE, Controls, Result, Window

VISIBLE = 10.0  # e^-10: less than 1/20,000 of the largest weight
THUMBS, LARGE = "bias_thumbs", "bias_large"  # keys of the views


def thumbnails(lesson: Lesson, result: Result) -> None:
    """Every head, small; a click opens it large."""
    chosen, heads = result.controls, enumerate(result.thumbs, start=1)
    panels = [_panel(lesson.label("thumb", head=head), values, chosen) for head, values in heads]
    options = Options(picked=chosen.head - 1, filename=f"alibi-bias-{chosen.heads}-heads")
    follow = partial(widgets.follow_pick, controls.HEAD, THUMBS)
    matrix_view(panels, key=THUMBS, on_change=follow, **(options | _axes(lesson, result.thumb_window)))


def large(lesson: Lesson, result: Result) -> None:
    """One head, with the square of the training length, jump and zoom."""
    chosen, step, length = result.controls, result.window.step, result.controls.train_length
    slope, form = float(np.float32(result.slope)), FORMS[chosen.form]  # float32, as the attention has it
    model = Model(None, slope, slope * FUTURE_SHARE, form, causal=chosen.causal, total=chosen.n, dtype=chosen.dtype)
    caption = lesson.label("every") if step == 1 else lesson.label("step", step=step)
    marks = [Mark(0, 0, length, length, lesson.label("mark", length=length))] if length < chosen.n else []
    lost = "overflow" if math.isinf(result.largest_error) else "after"
    past = lost if chosen.after else "key_only" if chosen.form == "key only" else "bias"
    future = "future" if past == "bias" else past
    readout = Readout(*(lesson.text(f"readout.{part}") for part in (past, "masked", "empty", future)))
    name = f"alibi-bias-head-{chosen.head}"
    options = Options(marks=marks, readout=readout, size="large", zoomable=True, filename=name)
    panel, follow = _panel("", result.values, chosen, caption, model), partial(controls.follow_zoom, LARGE)
    matrix_view([panel], key=LARGE, on_change=follow, **(options | _axes(lesson, result.window)))


def _axes(lesson: Lesson, window: Window) -> Options:
    rows = Axis(start=window.row, step=window.step, name=lesson.label("query"))
    return {"rows": rows, "cols": Axis(start=window.col, step=window.step, name=lesson.label("key"))}


def _panel(title: str, values: np.ndarray, chosen: Controls, caption: str = "", model: Model | None = None) -> Panel:
    """One matrix with its colors. The stage says which number of a cell the browser computes."""
    return Panel(title, values, _colors(values, chosen), caption, model, "weights" if chosen.after else "bias")


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
