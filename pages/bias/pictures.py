"""The Bias page's matrices: the numbers of the study as panels."""

import math
from functools import partial

import numpy as np

from alibi_viz.lessons import Lesson
from alibi_viz.pictures.matrix_view.message import Options, Stage
from alibi_viz.ui.components.matrix_view import (
    Axis,
    Colours,
    Heads,
    Length,
    Mark,
    Model,
    Panel,
    Readout,
    matrix_view,
)
from alibi_viz.ui.controls import frame, widgets
from alibi_viz.ui.format import format_slope
from pages.bias import controls, study
from pages.bias.study import FORMS, FUTURE_SHARE, SCREEN, Controls, Result, Window

FEW = 8  # thumbnails that have room in one column
VISIBLE = 10.0  # e^-10: less than 1/20,000 of the largest weight
THUMBS, LARGE = "bias_thumbs", "bias_large"  # keys of the views


def thumbnails(lesson: Lesson, chosen: Controls) -> None:
    """Every head in the window of the stage, small, beside its matrix; a click opens it there."""
    window, heads = study.every_head(chosen)
    # Over its own whole range every head looks the same: then the colours are those of all heads together.
    together = np.stack(heads) if chosen.colors == "whole range" else None
    panels = [
        Panel(lesson.label("thumb", head=head), values, _colors(values if together is None else together, chosen))
        for head, values in enumerate(heads, start=1)
    ]
    options = Options(picked=chosen.head - 1, size="beside", filename=f"alibi-bias-{chosen.heads}-heads")
    follow = partial(widgets.follow_pick, controls.HEAD, THUMBS)
    matrix_view(panels, key=THUMBS, on_change=follow, **(options | _axes(lesson, window)))


def width_beside(heads: int) -> int:
    """Pixels for the thumbnails of so many heads: each can be hit with a finger. Presented, they are seen from afar."""
    if frame.presenting():
        return 262
    return 72 if heads <= FEW else 112 if heads <= 4 * FEW else 128


def large(lesson: Lesson, result: Result, alt: str) -> None:
    """One head, with the square of the training length, jump and zoom. alt: what it shows, for screen readers."""
    panel, options = picture(lesson, result)
    options["alt"] = alt
    matrix_view([panel], key=LARGE, on_change=partial(controls.follow_zoom, LARGE), **options)


def picture(lesson: Lesson, result: Result) -> tuple[Panel, Options]:
    """The head's panel, and what stands around it; the browser previews the number of heads and the length."""
    chosen, step, length = result.controls, result.window.step, result.controls.train_length
    slope, form = float(np.float32(result.slope)), FORMS[chosen.form]  # float32, as the attention has it
    model = Model(
        None, slope, slope * FUTURE_SHARE, form, 1.0, chosen.causal, None, chosen.n, chosen.dtype, head=chosen.head
    )
    caption = "" if step == 1 else lesson.label("step", step=f"{step:,}")
    square = (Mark(0, 0, length, length, lesson.label("mark", length=length)),)
    window = Length(controls.LENGTH_CHANNEL, chosen.n, chosen.row, chosen.col, chosen.span, SCREEN, square)
    options = Options(
        marks=square if length < chosen.n else (), readout=_readout(lesson, result), size="stage", zoomable=True
    )
    title = lesson.label("large", head=chosen.head, slope=format_slope(result.slope))
    # The stage says which number of a cell the browser computes.
    stage: Stage = "weights" if chosen.after else "bias"
    live = lesson.label("large", head="{head}", slope="{slope}"), lesson.label("step", step="{step}")
    panel = Panel(title, result.values, _colors(result.values, chosen), caption, model, stage, "", *live)
    options["follows"] = (Heads(controls.HEADS_CHANNEL, chosen.heads, FUTURE_SHARE), window)
    options |= {"filename": f"alibi-bias-head-{chosen.head}", **_axes(lesson, result.window)}
    return panel, options


def encoder(lesson: Lesson, result: Result) -> None:
    """The symmetric form over a few tokens."""
    tokens = study.GRID**2
    axes = Options(rows=Axis(name=lesson.label("query")), cols=Axis(name=lesson.label("key")))
    _elsewhere(lesson, "encoder", study.encoder(result.slope, tokens), axes)


def image(lesson: Lesson, result: Result) -> None:
    """The patches of a small image."""
    names = tuple(f"{row},{col}" for row in range(study.GRID) for col in range(study.GRID))
    axes = Options(
        rows=Axis(labels=names, name=lesson.label("query")), cols=Axis(labels=names, name=lesson.label("key"))
    )
    _elsewhere(lesson, "image", study.image(result.slope), axes)


def _elsewhere(lesson: Lesson, name: str, values: np.ndarray, axes: Options) -> None:
    panel = Panel(lesson.label(name), values, Colours("bias", (float(values.min()), 0.0)), key="bias")
    readout = Readout(lesson.text(f"readout.{name}"), "", lesson.text("readout.still"))
    options = Options(readout=readout, filename=f"alibi-{name}")
    matrix_view([panel], key=f"bias_{name}", **(axes | options))


def _readout(lesson: Lesson, result: Result) -> Readout:
    """What is said of a cell."""
    chosen = result.controls
    overflows = chosen.after and math.isinf(study.precision(result.slope, chosen.n, chosen.dtype)[1])
    weights = "overflow" if overflows else "after"
    past = weights if chosen.after else "key_only" if chosen.form == "key only" else "bias"
    future = "future" if past == "bias" else past
    empty = "empty" if result.window.count * result.window.step >= chosen.n else "window"
    return Readout(*(lesson.text(f"readout.{part}") for part in (past, "masked", empty, future)))


def _axes(lesson: Lesson, window: Window) -> Options:
    rows = Axis(start=window.row, step=window.step, name=lesson.label("query"))
    return {"rows": rows, "cols": Axis(start=window.col, step=window.step, name=lesson.label("key"))}


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
        return Colours("content", (-edge, edge), follows="whole" if whole else "fixed")
    if whole:
        return Colours("bias", (min(low, high - 1e-6), high), follows="whole")
    return Colours("bias", (top - VISIBLE, top), follows="top" if chosen.form == "key only" else "fixed")
