"""The control of the lesson on ALiBi today: which entries of the timeline to show."""

from alibi_viz.lessons import Lesson
from alibi_viz.ui.controls import state, widgets
from alibi_viz.ui.controls.params import Param
from pages.today.study import BOTH, KINDS, Controls

SHOW = Param("today_show", "choice", BOTH, choices=(BOTH, *KINDS))
PARAMS = (SHOW,)


def read() -> Controls:
    """The control as it is now."""
    return Controls(state.read(SHOW))


def show(lesson: Lesson) -> None:
    """The widget above the timeline."""
    widgets.show(SHOW, lesson)
