"""The cells of a matrix that a question is about: outlined while it is asked, and the right ones named after it."""

from collections.abc import Sequence

from alibi_viz.ui import predict
from alibi_viz.ui.components.matrix_view import Mark

LEAST = 24  # of a matrix's side: a cell that is smaller gets an outline of this size around it


def of(
    question: predict.Question | None, cells: Sequence[tuple[int, int]], span: int, *, covered: bool = False
) -> tuple[Mark, ...]:
    """Outlines of the cells (query, key), in the order of the question's first options; nothing where it is not asked.

    span: tokens on a side of the picture. covered: the cells themselves are not in sight before the answer.
    """
    if question is None or not predict.is_asked(question):
        return ()
    wide, several = max(1, span // LEAST), len(cells) > 1
    marks = []
    for number, (query, key) in enumerate(cells):
        right = ", ".join(question.options[option] for option in question.right)
        label = question.options[number] if several else ""
        if predict.is_revealed(question):
            chosen = not several or number in question.right or min(question.right) >= len(cells)
            label = f"✓ {label or right}" if chosen else label
        row, col = max(query - wide // 2, 0), max(key - wide // 2, 0)
        marks.append(Mark(row, col, row + wide, col + wide, label, covered and predict.is_open(question)))
    return tuple(marks)
