"""The controls of the T5 lab: its parameters, the widgets that set them, and how they are read."""

from alibi_viz.lessons import Lesson
from alibi_viz.ui.controls import state, widgets
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.page import Presets
from alibi_viz.ui.stage import sections_param
from pages.lab_t5.study import HEADS, Controls

TRAIN_LENGTH = Param("t5_trained", "int", 64, low=1, high=2048, widget="log_drag")
BUCKETS = Param("buckets", "int", 32, low=2, high=128, widget="drag")
MAX_DISTANCE = Param("max_distance", "int", 128, low=2, high=2048, widget="log_drag")
TWO_SIDED = Param("two_sided", "flag", False)
FARTHEST = Param("t5_shown", "int", 256, low=8, high=2048, widget="log_drag")
HEAD = Param("t5_head", "int", 1, low=1, high=HEADS, width=150)
SEED = Param("seed", "int", 0, low=0, high=9_999, width=150)
OPEN = sections_param("lab_t5", "bias", "code")
STAIRCASE = (TRAIN_LENGTH, BUCKETS, MAX_DISTANCE, TWO_SIDED, FARTHEST, HEAD, SEED)
PARAMS = (*STAIRCASE, OPEN)
DEFAULTS = {param.key: param.default for param in STAIRCASE}
TRY: Presets = {
    "short": DEFAULTS,
    "enough": DEFAULTS | {"t5_trained": 128},
    "fit": DEFAULTS | {"max_distance": 32},
    "encoder": DEFAULTS | {"two_sided": True},
    "few": DEFAULTS | {"buckets": 8},
}


def read() -> Controls:
    """The controls as they are now."""
    return Controls(*map(state.read, (BUCKETS, MAX_DISTANCE, TWO_SIDED, TRAIN_LENGTH, FARTHEST, HEAD, SEED)))


def show_more(lesson: Lesson) -> None:
    """What is behind “More”; head and seed stand at the chart of the bias."""
    for param in (BUCKETS, MAX_DISTANCE, FARTHEST, TWO_SIDED):
        widgets.show(param, lesson)
