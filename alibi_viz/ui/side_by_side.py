"""Square matrices of the same tokens side by side, with one cursor and the square of the training length."""

from collections.abc import Sequence
from typing import Any

from alibi_viz.lessons import Lesson
from alibi_viz.pictures.matrix_view.message import Size
from alibi_viz.ui.components.matrix_view import Axis, Mark, Panel, Readout, matrix_view


def side_by_side(
    lesson: Lesson,
    panels: Sequence[Panel],
    labels: Sequence[str],
    train_length: int | None,
    *,
    key: str,
    filename: str,
    size: Size = "normal",
) -> None:
    """One panel a method, or a stage. labels: one a token; train_length: marked where the text is longer, or None."""
    mark, axis = [], tuple(labels)
    if train_length is not None and train_length < len(labels):
        mark = [Mark(0, 0, train_length, train_length, lesson.label("mark", length=train_length))]
    every = "; ".join(f"{panel.title} {{{panel.key}}}" for panel in panels)  # the number of every method in the cell
    allowed, masked, empty = (lesson.text(f"readout.{cell}") for cell in ("allowed", "masked", "empty"))
    readout = Readout(allowed.replace("{every}", every), masked, empty)
    rows, cols = (Axis(labels=axis, name=lesson.label(side)) for side in ("query", "key"))
    shown: dict[str, Any] = {"rows": rows, "cols": cols, "marks": mark, "readout": readout, "size": size}
    matrix_view(panels, key=key, filename=filename, **shown)
