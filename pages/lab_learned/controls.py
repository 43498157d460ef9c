"""The controls of the lab of learned positions: its parameters, the widgets that set them, and how they are read."""

from alibi_viz.lessons import Lesson
from alibi_viz.ui.controls import state, widgets
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.page import Presets
from alibi_viz.ui.stage import sections_param
from pages.lab_learned.study import LARGEST, Controls

ROWS = Param("table_rows", "int", 128, low=1, high=LARGEST, widget="drag")
WIDTH = Param("table_width", "int", 64, low=1, high=LARGEST, widget="drag")
POSITION = Param("tried", "int", 128, low=0, high=1_048_576)
SEED = Param("seed", "int", 0, low=0, high=9_999)
SET = (ROWS, WIDTH, POSITION, SEED)
OPEN = sections_param("lab_learned", "neighbors", "start", "code")
PARAMS = (*SET, OPEN)
DEFAULTS = {param.key: param.default for param in SET}
TRY: Presets = {
    "last": DEFAULTS | {"tried": 127},
    "next": DEFAULTS,
    "far": DEFAULTS | {"tried": 1_000_000},
    "start": DEFAULTS | {"lab_learned_open": "start"},
}


def read() -> Controls:
    """The controls as they are now."""
    return Controls(*map(state.read, SET))


def show(lesson: Lesson) -> None:
    """In sight: the position to ask for."""
    widgets.show(POSITION, lesson)


def show_start(lesson: Lesson) -> None:
    """The size of the table before training, and the seed of its numbers."""
    widgets.columns(lesson, [ROWS], [WIDTH], [SEED], gap="medium")
