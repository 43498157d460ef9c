"""The controls of the lab of learned positions: its parameters, the widgets that set them, and how they are read."""

from alibi_viz.lessons import Lesson
from alibi_viz.ui.controls import state, widgets
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.page import Presets
from alibi_viz.ui.stage import sections_param
from pages.lab_learned.study import LARGEST, Controls

ROWS = Param("table_rows", "int", 64, low=1, high=LARGEST, widget="drag")
WIDTH = Param("table_width", "int", 64, low=1, high=LARGEST, widget="drag")
POSITION = Param("tried", "int", 64, low=0, high=1_048_576)
SEED = Param("seed", "int", 0, low=0, high=9_999)
SET = (ROWS, WIDTH, POSITION, SEED)
OPEN = sections_param("lab_learned", "neighbors", "code")
PARAMS = (*SET, OPEN)
DEFAULTS = {param.key: param.default for param in SET}
TRY: Presets = {
    "last": DEFAULTS | {"tried": 63},
    "next": DEFAULTS,
    "far": DEFAULTS | {"tried": 1_000_000},
    "longer": DEFAULTS | {"table_rows": 512, "tried": 64},
}


def read() -> Controls:
    """The controls as they are now."""
    return Controls(*map(state.read, SET))


def show(lesson: Lesson) -> None:
    """In sight: how long the table is, and the position to ask for."""
    for param in (ROWS, POSITION):
        widgets.show(param, lesson)


def show_more(lesson: Lesson) -> None:
    """Behind “More”: the width of the vectors, and the seed."""
    for param in (WIDTH, SEED):
        widgets.show(param, lesson)
