"""What the labs share: a table of vectors as a matrix."""

import numpy as np

from alibi_viz.lessons import Lesson
from alibi_viz.ui.components.matrix_view import Axis, Colours, Panel, Readout, matrix_view


def vector_table(lesson: Lesson, values: np.ndarray, edge: float, *, key: str, filename: str) -> None:
    """Positions run to the right, as on the charts; dimensions run down.

    values: float32 [positions, dimensions]; edge: the colors run from -edge to edge.
    """
    number, colors = lesson.text("readout.allowed"), Colours("content", (-edge, edge))
    matrix_view(
        [Panel("", np.ascontiguousarray(values.T), colors, key="number")],
        key=key,
        rows=Axis(name=lesson.label("dimension")),
        cols=Axis(name=lesson.label("position")),
        readout=Readout(allowed=number, masked=number, empty=lesson.text("readout.empty")),
        size="large",
        filename=filename,
    )
