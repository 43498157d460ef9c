"""What a browser's tab needs to train models: the recipe, the text, and of each method a run that is shipped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from alibi_viz.pictures.hands.message import Picture
from alibi_viz.pictures.message import Array


@dataclass(frozen=True)
class Method:
    """A method that can be trained, and the shipped run of the same recipe."""

    method: str  # a row of the palette
    name: str
    colours: tuple[str, str]  # in a light and a dark theme
    losses: Array  # float32: means of ten steps each
    perplexities: Sequence[float]  # at `times`
    verdict: str  # the name of a sentence in words


@dataclass(frozen=True)
class Message(Picture):
    """The methods, under the hands: train, train_length, train_width, train_seed.

    config: as trainer.js takes it, but for these. max_distance: T5's, by the training length. times: training lengths that
    are read in the test; verdict_at: those of the verdict. bigram: the perplexity that a run must be below. rule:
    `verdictOf`. words: what the picture says.
    """

    methods: Sequence[Method]
    config: Mapping[str, object]
    max_distance: Mapping[str, int]
    train: Array  # uint8
    held_out: Array  # uint8
    times: Sequence[int]
    verdict_at: int
    bigram: float
    bytes_per_word: float
    rule: Mapping[str, float]
    few: int  # steps of the step button
    prompt: str
    temperature: float
    key: str = field(default="train_tab", kw_only=True)
