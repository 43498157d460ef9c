"""The controls of the RoPE lab: its parameters, the widgets that set them, and how they are read."""

from alibi_viz.lessons import Lesson, load
from alibi_viz.positions.rotary import SCALINGS
from alibi_viz.ui.controls import state, widgets
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.page import Presets
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.stage import sections_param
from pages.lab_rope.study import Controls

HEAD_DIM = Param("rope_dim", "int", 32, low=2, high=128, step=2, widget="drag")
BASE = Param("rope_base", "int", 10_000, low=2, high=5_000_000, widget="log_drag")
SCALING = Param("scaling", "choice", "none", choices=SCALINGS, widget="pick")
FACTOR = Param("factor", "float", 8.0, low=1.0, high=128.0, step=0.5, width=150)
TRAIN_LENGTH = Param("rope_trained", "int", 2048, low=1, high=131_072, width=170)
POSITION = Param("position", "int", 40, low=0, high=16_384, widget="drag")
FARTHEST = Param("rope_farthest", "int", 4096, low=16, high=65_536, widget="log_drag")
OPEN = sections_param("lab_rope", "wavelengths", "score", "forms", "code")
CLOCKS = (HEAD_DIM, BASE, SCALING, FACTOR, TRAIN_LENGTH, POSITION, FARTHEST)
PARAMS = (*CLOCKS, OPEN)
DEFAULTS = {param.key: param.default for param in CLOCKS}
TRY: Presets = {
    "plain": DEFAULTS,
    "linear": DEFAULTS | {"scaling": "linear"},
    "dynamic": DEFAULTS | {"scaling": "dynamic", "position": 16_384},
    "yarn": DEFAULTS | {"scaling": "yarn", "rope_dim": 64},
    "llama": DEFAULTS | {"scaling": "llama3", "rope_dim": 128, "rope_base": 500_000, "rope_trained": 8192},
}
CHANNEL = "position"  # joins the slider and the clocks inside the browser


def read() -> Controls:
    """The controls as they are now. An odd head size counts as the even one below it."""
    return Controls(state.read(HEAD_DIM) // 2 * 2, *map(state.read, CLOCKS[1:]))


def show(lesson: Lesson) -> None:
    """The slider that turns the clocks."""
    widgets.drag(POSITION, lesson, channel=CHANNEL)


def show_more(lesson: Lesson) -> None:
    """What is behind “More”; the farthest distance has its slider at its chart."""
    for param in (SCALING, HEAD_DIM, BASE):
        widgets.show(param, lesson)
    widgets.row(lesson, FACTOR, TRAIN_LENGTH)
    navigation.link("models", load("words").label("open_model"))
