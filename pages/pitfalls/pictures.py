"""The two pictures of the stage: A and B, with one cursor. Which is the mistake is said only when it is revealed."""

from alibi_viz.lessons import Lesson
from alibi_viz.ui.components.matrix_view import Axis, Colours, Panel, Readout, matrix_view
from pages.pitfalls.facts import Cells
from pages.pitfalls.study import Result

SIDES = ("a", "b")


def title(lesson: Lesson, result: Result, side: int, *, revealed: bool) -> str:
    """The name of a picture."""
    if not revealed:
        return lesson.label(SIDES[side])
    return lesson.label(f"{SIDES[side]}_{'wrong' if result.wrong_first == (side == 0) else 'right'}")


def pair(lesson: Lesson, result: Result, *, revealed: bool) -> None:
    """Both versions over the same cells, in the order that the seed decides."""
    pictures, name = result.measured.pictures, result.controls.pitfall
    values = (pictures.wrong, pictures.right) if result.wrong_first else (pictures.right, pictures.wrong)
    # On a linear scale the small weights of far keys would all look alike.
    colours = Colours(pictures.quantity, pictures.domain, "sqrt" if pictures.quantity == "weight" else "linear")
    panels = [
        Panel(title(lesson, result, side, revealed=revealed), matrix, colours, key=SIDES[side])
        for side, matrix in enumerate(values)
    ]
    row, col = (names.get(name, names["other"]) for names in map(lesson.entries, ("rows", "cols")))
    rows, cols = Axis(start=pictures.row, name=row), Axis(start=pictures.col, step=pictures.step, name=col)
    cells = Cells(rows.name, cols.name)
    readout = Readout(*(lesson.text(f"readout.{cell}", cells) for cell in ("cell", "hidden", "empty")))
    matrix_view(
        panels, key="pitfall_pair", rows=rows, cols=cols, readout=readout, size="stage", filename=f"pitfall-{name}"
    )
