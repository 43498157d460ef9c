"""What lessons share that take a reader’s text: the parameters of text and content, and of trained models as content."""

from dataclasses import dataclass

from alibi_viz.lessons import load
from alibi_viz.lm.config import TrainConfig
from alibi_viz.positions import METHODS
from alibi_viz.ui.controls.params import Param

TRAINED_MODEL = "trained model"  # a choice of content, beside those of `synthetic`
LONGEST = 20_000  # characters of a text
PASSAGE = (
    "A list is a mutable sequence. The items of a list can be of any type, and the same item can stand in it more than "
    "once. To add an item at the end of a list, call the append method. To remove an item, call the remove method; if the "
    "item is not in the list, a ValueError is raised. The length of a list is given by the built-in function len."
)
LAYER = Param("layer", "choice", "1", choices=tuple(str(layer) for layer in range(1, 13)))


def example(name: str = "sentence") -> str:
    """A text to begin with, in the reader's language."""
    return load("words").entry("examples", name)


@dataclass(frozen=True)
class ModelSizes:
    """What a sentence or a title says of a run's configuration."""

    method: str  # its title
    length: int  # bytes
    layers: int
    heads: int
    width: int
    steps: int
    batch: int  # sequences a step
    seed: int
    corpus: str = ""  # in words


def sizes(config: TrainConfig, corpus: str = "") -> ModelSizes:
    shape = config.length, config.layers, config.heads, config.width
    return ModelSizes(METHODS[config.method].title, *shape, config.steps, config.batch, config.seed, corpus)
