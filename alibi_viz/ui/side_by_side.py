"""Square matrices of the same tokens side by side, with one cursor and the square of the training length."""

from __future__ import annotations

from collections.abc import Sequence

from alibi_viz.lessons import Lesson
from alibi_viz.ui.components.matrix_view import Axis, Event, Mark, Panel, Readout, matrix_view


def side_by_side(
    lesson: Lesson, panels: Sequence[Panel], tokens: Sequence[str], trained: int | None, *, key: str, filename: str
) -> Event:
    """One panel a method. tokens: a label each; trained: the training length, marked where the text is longer, or None."""
    labels, mark = tuple(tokens), []
    if trained is not None and trained < len(labels):
        mark = [Mark(0, 0, trained, trained, lesson.label("mark", length=trained))]
    return matrix_view(
        panels,
        key=key,
        rows=Axis(count=len(labels), labels=labels, name=lesson.label("query")),
        cols=Axis(count=len(labels), labels=labels, name=lesson.label("key")),
        marks=mark,
        readout=readout(lesson, panels),
        filename=filename,
    )


def readout(lesson: Lesson, panels: Sequence[Panel]) -> Readout:
    """One sentence about a cell, with the number of every method in it."""
    every = "; ".join(f"{panel.title} {{{panel.key}}}" for panel in panels)
    return Readout(
        allowed=lesson.text("readout.allowed").replace("{every}", every),
        masked=lesson.text("readout.masked"),
        empty=lesson.text("readout.empty"),
    )
