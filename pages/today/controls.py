"""The controls of the lesson on ALiBi today: which entries of the timeline to show, and which question is open."""

from alibi_viz.lessons import Lesson
from alibi_viz.ui.controls import state, widgets
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.stage import sections_param
from pages.today.study import BOTH, KINDS, Controls

SHOW = Param("today_show", "choice", BOTH, choices=(BOTH, *KINDS))
QUESTIONS = ("good", "users", "rope", "long", "left")
OPEN = sections_param("today", *QUESTIONS, "decays", "entries")
PARAMS = (SHOW, OPEN)


def read() -> Controls:
    """The control as it is now."""
    return Controls(state.read(SHOW))


def show(lesson: Lesson) -> None:
    """The widget beside the timeline."""
    widgets.show(SHOW, lesson)
