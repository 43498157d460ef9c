"""What the labs share: a table of vectors as a matrix."""

from __future__ import annotations

import numpy as np

from alibi_viz.lessons import Lesson
from alibi_viz.ui.components.matrix_view import Axis, Event, Panel, Readout, matrix_view
from alibi_viz.ui.side_by_side import side_by_side
from pages.lab_alibi.study import Shape


def table(lesson: Lesson, values: np.ndarray, ends: tuple[float, float], *, key: str, filename: str) -> Event:
    """Positions run to the right, as on the charts; dimensions run down.

    values: float32 [positions, dimensions].
    """
    positions, dimensions = values.shape
    panel = Panel("", np.ascontiguousarray(values.T), "content", ends, key="number", size="large")
    return matrix_view(
        [panel],
        key=key,
        rows=Axis(count=dimensions, name=lesson.label("dimension")),
        cols=Axis(count=positions, name=lesson.label("position")),
        readout=Readout(
            allowed=lesson.text("readout.allowed"),
            masked=lesson.text("readout.allowed"),
            empty=lesson.text("readout.empty"),
        ),
        filename=filename,
    )


def shapes(lesson: Lesson, tokens: tuple[str, ...], found: list[Shape], head: int) -> Event:
    """The weights of every shape of ALiBi's penalty, one cursor."""
    names = lesson.entries("shapes")
    panels = [
        Panel(
            names[shape.name],
            shape.weights,
            "weight",
            (0.0, 1.0),
            lesson.label("holds", tokens=f"{int(shape.reach.tokens[head - 1, 1]) + 1:,}"),
            key=shape.name,
            scale="sqrt",
        )
        for shape in found
    ]
    return side_by_side(lesson, panels, tokens, None, key="alibi_shapes", filename=f"alibi-shapes-head-{head}")
