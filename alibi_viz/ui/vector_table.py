"""What the labs share: a table of vectors as a matrix."""

from typing import Unpack

import numpy as np

from alibi_viz.lessons import Lesson
from alibi_viz.pictures.matrix_view.message import Options
from alibi_viz.ui.components.matrix_view import Axis, Colours, Panel, Readout, matrix_view


def vector_table(
    lesson: Lesson,
    values: np.ndarray,
    edge: float,
    *,
    key: str,
    title: str = "",
    start: int = 0,
    **options: Unpack[Options],
) -> None:
    """Positions run to the right, as on the charts; dimensions run down.

    values: float32 [positions, dimensions], -inf where a position has no vector (the lesson's `readout.masked` says so);
    edge: the colors run from -edge to edge; start: the first position.
    """
    panel = Panel(title, np.ascontiguousarray(values.T), Colours("content", (-edge, edge)), key="number")
    options["rows"], options["cols"] = Axis(name=lesson.label("dimension")), Axis(start, name=lesson.label("position"))
    masked = "readout.masked" if "readout.masked" in lesson else "readout.allowed"
    options["readout"] = Readout(*map(lesson.text, ("readout.allowed", masked, "readout.empty")))
    options.setdefault("size", "large")
    options["fills"] = True
    matrix_view([panel], key=key, **options)
