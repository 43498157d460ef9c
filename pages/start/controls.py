"""The controls of the Start page: two sentences."""

from alibi_viz.content.words import joined
from alibi_viz.content.words import words as words_of
from alibi_viz.lessons import Lesson
from alibi_viz.ui.components.words import words
from alibi_viz.ui.controls import rerun, state, widgets
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.page import Presets
from alibi_viz.ui.shell.sidebar import chosen_device
from alibi_viz.ui.stage import sections_param
from pages.start.study import Controls

FIRST = Param("first", "text", "the cat chases the mouse", longest=400, widget="line")
SECOND = Param("second", "text", "the mouse chases the cat", longest=400, widget="line")
OPEN = sections_param("start", "outputs", "mask", "map", "code")
PARAMS = (FIRST, SECOND, OPEN)
TRY: Presets = {
    "cats": {"first": FIRST.default, "second": SECOND.default},
    "dogs": {"first": "dog bites man", "second": "man bites dog"},
    "long": {
        "first": "only the old man told the young man that he had lost",
        "second": "the young man told the old man that only he had lost",
    },
    "chinese": {"first": "猫追老鼠", "second": "老鼠追猫"},
    "same": {"first": "we came and we saw", "second": "we came and we saw"},
}


def read() -> Controls:
    """The controls as they are now."""
    return Controls(state.read(FIRST), state.read(SECOND), chosen_device())


def show(lesson: Lesson) -> None:
    """The two sentences; the words of the second can be dragged into another order."""
    for param in (FIRST, SECOND):
        widgets.show(param, lesson)
    words(words_of(state.read(SECOND)), _reorder, key="start_words", label=lesson.label("second"))


def _reorder(order: list[str]) -> None:
    """Callback: the second sentence, in the order of the reader's hand."""
    state.assign({SECOND.key: joined(order)})
    rerun.request()
