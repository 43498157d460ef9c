"""The controls of the lesson “use”: its parameters, the widgets that set them, and how they are read."""

from alibi_viz.lessons import Lesson
from alibi_viz.ui.controls import state, widgets
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.page import Presets
from alibi_viz.ui.stage import sections_param
from pages.use.study import VIEWS, Controls

SHOW = Param("use_show", "choice", "steps", choices=VIEWS)
HEADS = Param("use_heads", "choice", "8", choices=("8", "4"))
TOKENS = Param("use_tokens", "int", 32_768, low=1, high=1_048_576, widget="log_drag")
OPEN = sections_param("use", "source", "memory", "padding", "transformers", "kernels", "run")
PARAMS = (SHOW, HEADS, TOKENS, OPEN)
TRY: Presets = {
    "steps": {"use_show": "steps"},
    "seconds": {"use_show": "seconds"},
    "beyond": {"use_show": "beyond"},
    "four": {"use_show": "beyond", "use_heads": "4"},
}


def read() -> Controls:
    """The controls as they are now."""
    return Controls(state.read(SHOW), int(state.read(HEADS)))


def show_more(lesson: Lesson) -> None:
    """What is behind “More”."""
    widgets.choice(SHOW, lesson)
    widgets.choice(HEADS, lesson)
