"""The controls of the Sources lesson: which references to show, and which section is open."""

from alibi_viz.lessons import Lesson
from alibi_viz.ui.controls import state, widgets
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.stage import sections_param
from pages.sources.study import ALL, PACKAGES, Controls

PACKAGE = Param("sources_package", "choice", ALL, choices=(ALL, *PACKAGES), widget="pick")
OPEN = sections_param("sources", "said", "methods", "published", "models", "checks", "runs", "cite")
PARAMS = (PACKAGE, OPEN)


def read() -> Controls:
    """The control as it is now."""
    return Controls(state.read(PACKAGE))


def show(lesson: Lesson) -> None:
    """The widget beside the picture."""
    widgets.show(PACKAGE, lesson)
