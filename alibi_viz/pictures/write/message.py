"""Models that write on, a column each, as one message of bytes. Places count a text's bytes from its prompt on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from alibi_viz.charts.palette import LOOKS
from alibi_viz.pictures.hands.message import Hands
from alibi_viz.pictures.message import Array
from alibi_viz.pictures.message import pack as pack_message


@dataclass(frozen=True)
class Model:
    """One that can write: a column, if it is chosen and of the language of the text.

    weights: where a browser finds it. most: bytes of its longest text; 0: its positions do not end. problem: why it ends
    there.
    """

    method: str  # a row of the palette
    name: str
    language: str
    weights: str
    most: int = 0
    problem: str = ""


@dataclass(frozen=True)
class Text:
    """A text as far as Python has it: the browser writes on from there.

    text: uint8 [T], the prompt included. words: float32 [W, 3], for each whole word that the model wrote its first byte,
    the byte after it, and 1 if the training text knows it. characters: uint8 [T], of each byte how many bytes the character
    takes that begins there; 0 inside one; 255: no UTF-8.
    """

    weights: str  # of its model
    text: Array
    words: Array
    characters: Array


@dataclass(frozen=True)
class Language:
    """What models have learned. is_han: it is of Han characters and kana, so that characters are counted too.

    known: where a browser finds the words that they have learned. real: the share of known words in real text.
    """

    known: str
    real: float
    is_han: bool


@dataclass(frozen=True)
class Message:
    """The models and their texts, under the hands, which say what is written: browser and Python take it from there.

    The hands' values have `write_seed`, and `write_at`, the byte that is shown, 0 while the picture plays; where they do
    not say a prompt, a length or a temperature, these hold. choices: a name for what the texts follow from; the browser
    reports them with it. reader: the reader's language. held_out: the longest beginning of text that no model has learned.
    carried: what goes into a file of the picture (`ui.exporting`): the models of the language that is shown, and its words.
    words: of every language; lines that end with `_han` are for texts of Han characters and kana.
    """

    key: str
    hands: Hands
    models: Sequence[Model]
    texts: Sequence[Text]
    choices: str
    prompt: Array  # uint8 [T]
    length: int
    temperature: float
    held_out: Array  # uint8 [T]
    reader: str
    languages: Mapping[str, Language]
    carried: Sequence[str]
    train_length: int
    words: Mapping[str, str]
    alt: str
    filename: str
    problem: str = ""  # in place of the picture
    size: Literal["stage"] = "stage"

    @property
    def answered(self) -> list[str]:
        return self.hands.without()


def pack(message: Message) -> bytes:
    def as_bytes(array: Array) -> np.ndarray:
        return np.asarray(array, dtype=np.uint8)

    models = [
        {**vars(model), "light": LOOKS[model.method].light, "dark": LOOKS[model.method].dark}
        for model in message.models
    ]
    texts = [
        {
            "weights": text.weights,
            "text": as_bytes(text.text),
            "words": np.asarray(text.words, dtype=np.float32),
            "characters": as_bytes(text.characters),
        }
        for text in message.texts
    ]
    sides = {"prompt": as_bytes(message.prompt), "held_out": as_bytes(message.held_out)}
    return pack_message({**vars(message), **sides, "models": models, "texts": texts})
