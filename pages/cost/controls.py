"""The controls of the Cost lesson: its parameters, the widgets that set them, and how they are read."""

from alibi_viz.cost.cases import LENGTHS, PASSES
from alibi_viz.lessons import Lesson
from alibi_viz.ui.controls import state, widgets
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.page import Presets
from alibi_viz.ui.stage import sections_param
from pages.cost.study import KINDS, LONGEST, Controls

SHOW = Param("cost_show", "choice", "size", choices=("size", "time"))
HEADS = Param("heads", "int", 8, low=1, high=128, widget="drag")
TOKENS = Param("cost_n", "int", 65_536, low=64, high=LONGEST, widget="log_drag")
WHAT = Param("cost_what", "choice", "ways", choices=KINDS)
PASS = Param("cost_pass", "choice", "backward", choices=PASSES)
OWN_WHAT = Param("cost_own_what", "choice", "ways", choices=(*KINDS, "flex"))
OWN_PASS = Param("cost_own_pass", "choice", "forward", choices=PASSES)
OWN_LONGEST = Param("cost_longest", "choice", "1024", choices=tuple(str(n) for n in LENGTHS if n >= 512))
OPEN = sections_param("cost", "here", "paper", "table", "code")
PARAMS = (SHOW, HEADS, TOKENS, WHAT, PASS, OWN_WHAT, OWN_PASS, OWN_LONGEST, OPEN)
TRY: Presets = {
    "size": {"cost_show": "size", "heads": 8, "cost_n": 65_536},
    "ways": {"cost_show": "time", "cost_what": "ways", "cost_pass": "backward"},
    "methods": {"cost_show": "time", "cost_what": "methods", "cost_pass": "backward"},
    "decode": {"cost_show": "time", "cost_what": "methods", "cost_pass": "decode"},
    "bloom": {"cost_show": "size", "heads": 112, "cost_n": 2048},
}


def read() -> Controls:
    """The controls as they are now."""
    return Controls(*(state.read(param) for param in (SHOW, HEADS, TOKENS, WHAT, PASS)))


def show(lesson: Lesson) -> None:
    """The picture, and the controls that change it."""
    if widgets.show(SHOW, lesson) == "size":
        widgets.drag(HEADS, lesson)
        widgets.drag(TOKENS, lesson)
    else:
        widgets.show(WHAT, lesson)
        widgets.show(PASS, lesson)
