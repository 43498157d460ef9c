"""What lessons share of matrices: their sides, a table of vectors, and what stands in place of one that cannot be shown."""

from typing import Any

import numpy as np

from alibi_viz.lessons import Lesson, problems
from alibi_viz.pictures.hands.message import Hands
from alibi_viz.pictures.matrices.message import Axis, Colours, Message, Panel, Readout, Sentence, View
from alibi_viz.ui.components.hands import matrices


def sides(text: Lesson, row: int = 0, col: int = 0, **both: Any) -> tuple[Axis, Axis]:
    """Queries run down, keys to the right. row, col: the first of them; both: what else is true of both axes."""
    return Axis(row, name=text.label("query"), **both), Axis(col, name=text.label("key"), **both)


def vector_table(
    text: Lesson, values: np.ndarray, edge: float, filename: str, *, title: str = "", start: int = 0
) -> View:
    """Positions run to the right, as on charts; dimensions run down.

    values: float32 [positions, dimensions], -inf where a position has no vector (the lesson's `masked` of its table
    `readout` says so); edge: the colours run from -edge to edge; start: the first position.
    """
    panel = Panel(title, np.ascontiguousarray(values.T), Colours("content", (-edge, edge)), key="number")
    words, rows = text.entries("readout"), Axis(name=text.label("dimension"))
    readout = Readout(words["allowed"], words.get("masked", ""), words["empty"])
    cols = Axis(start, name=text.label("position"))
    return View([panel], rows, cols, readout=readout, size="large", fills=True, filename=filename)


def refuse(key: str, hands: Hands, error: Exception) -> None:
    """The hands, and what the reader has to change, in place of the picture."""
    matrices(Message(key, hands, [], Sentence("", {}), problem=problems.say(error)))
