"""The controls of the sinusoidal lab: its parameters, the widgets that set them, and how they are read."""

from dataclasses import replace

from alibi_viz.lessons import Lesson
from alibi_viz.ui.controls import state, widgets
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.page import Presets
from alibi_viz.ui.stage import sections_param
from pages.lab_sinusoidal.study import LONGEST, WIDEST, Controls

POSITIONS = Param("waves_n", "int", 128, low=2, high=LONGEST, widget="drag")
WIDTH = Param("waves_width", "int", 64, low=2, high=WIDEST, step=2, widget="drag")
BASE = Param("wave_base", "int", 10_000, low=2, high=1_000_000, widget="log_drag")
PAIR = Param("pair", "int", 4, low=0, high=WIDEST // 2 - 1, widget="drag")
SET = (POSITIONS, WIDTH, BASE, PAIR)
OPEN = sections_param("lab_sinusoidal", "waves", "table", "numbers", "code")
PARAMS = (*SET, OPEN)
DEFAULTS = {param.key: param.default for param in SET}
TRY: Presets = {
    "one": DEFAULTS | {"waves_width": 2, "pair": 0},
    "paper": DEFAULTS | {"waves_width": 512, "pair": 64},
    "short": DEFAULTS | {"wave_base": 100},
    "fast": DEFAULTS | {"pair": 0},
    "slow": DEFAULTS | {"pair": 31},
}


def pair_within(width: int) -> Param:
    """A pair of the width. A slider needs two ends: where there is one pair it ends at 1, and `read` takes 1 as 0."""
    last = max(width // 2 - 1, 1)
    return replace(PAIR, high=last, default=min(4, last))


def read() -> Controls:
    """The controls as they are now. An odd width counts as the even one below it."""
    width = state.read(WIDTH) // 2 * 2
    pair = min(state.read(pair_within(width)), width // 2 - 1)
    return Controls(state.read(POSITIONS), width, state.read(BASE), pair)


def show(lesson: Lesson) -> None:
    """In sight: how many waves there are, and which of them is drawn alone."""
    width = widgets.show(WIDTH, lesson)
    widgets.show(pair_within(width), lesson)


def show_more(lesson: Lesson) -> None:
    """Behind “More”: how many positions, and the base of the wavelengths."""
    for param in (POSITIONS, BASE):
        widgets.show(param, lesson)
