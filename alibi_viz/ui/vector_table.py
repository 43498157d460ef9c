"""What two lessons share: a table of vectors as a matrix."""

import numpy as np

from alibi_viz.lessons import Lesson
from alibi_viz.pictures.matrix_view.message import Axis, Colours, Options, Panel, Readout


def vector_table(
    text: Lesson, values: np.ndarray, edge: float, filename: str, *, title: str = "", start: int = 0
) -> tuple[Panel, Options]:
    """Positions run to the right, as on charts; dimensions run down.

    values: float32 [positions, dimensions], -inf where a position has no vector (the lesson's `masked` of its table
    `readout` says so); edge: the colours run from -edge to edge; start: the first position.
    """
    panel = Panel(title, np.ascontiguousarray(values.T), Colours("content", (-edge, edge)), key="number")
    words, rows = text.entries("readout"), Axis(name=text.label("dimension"))
    readout = Readout(words["allowed"], words.get("masked", ""), words["empty"])
    cols = Axis(start, name=text.label("position"))
    return panel, Options(rows=rows, cols=cols, readout=readout, size="large", fills=True, filename=filename)
