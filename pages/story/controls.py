"""The controls of the story: the scene, and one number or one or two choices in some of the scenes."""

from alibi_viz.ui.controls import state
from alibi_viz.ui.controls.params import Param

SCENES = ("order", "mask", "penalty", "family", "matrix", "softmax", "result", "limitation", "recap")
SCENE = Param("scene", "int", 1, low=1, high=len(SCENES), history=True)
SENTENCE = Param("story_sentence", "choice", "dogs", choices=("dogs", "cat"))
ORDER = Param("story_order", "choice", "own", choices=("own", "first"))
STEEP = Param("story_slope", "float", 0.25, low=0.0, high=1.0, step=0.01, widget="drag")
HEADS = Param("story_heads", "int", 8, low=1, high=32, widget="drag")
TIMES = Param("story_times", "choice", "1", choices=("1", "2", "4", "8", "16"))
PARAMS = (SCENE, SENTENCE, ORDER, STEEP, HEADS, TIMES)


def scene() -> str:
    """The name of the scene that is shown."""
    return SCENES[state.read(SCENE) - 1]


def turn(by: int) -> None:
    """Callback: so many scenes on, or back; the first and the last hold."""
    state.assign({SCENE.key: min(max(state.read(SCENE) + by, 1), len(SCENES))})
