"""What the labs share: a table of vectors as a matrix."""

import numpy as np

from alibi_viz.lessons import Lesson
from alibi_viz.ui.components.matrix_view import Axis, Colours, Panel, Readout, matrix_view


def vector_table(lesson: Lesson, values: np.ndarray, edge: float, *, key: str, filename: str) -> None:
    """Positions run to the right, as on the charts; dimensions run down.

    values: float32 [positions, dimensions]; edge: the colors run from -edge to edge.
    """
    panel = Panel("", np.ascontiguousarray(values.T), Colours("content", (-edge, edge)), key="number")
    rows, cols = (Axis(name=lesson.label(name)) for name in ("dimension", "position"))
    readout = Readout(*(lesson.text(f"readout.{part}") for part in ("allowed", "allowed", "empty")))
    matrix_view([panel], key=key, rows=rows, cols=cols, readout=readout, size="large", filename=filename)
