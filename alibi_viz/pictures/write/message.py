"""Models that write on, a column each, as one message of bytes. Places count a text's bytes from its prompt on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from alibi_viz.pictures.hands.message import Picture
from alibi_viz.pictures.message import Array


@dataclass(frozen=True)
class Model:
    """One that can write: a column, if it is chosen and of the language of the text.

    weights: where a browser finds it. most: bytes of its longest text; 0: its positions do not end. problem: why it ends
    there.
    """

    method: str  # a row of the palette
    name: str
    colours: tuple[str, str]  # on a light page, and on a dark one
    language: str
    weights: str
    most: int = 0
    problem: str = ""


@dataclass(frozen=True)
class Text:
    """A text as far as Python has it: the browser writes on from there.

    text: uint8 [T], the prompt included. words: float32 [W, 3], for each whole word that the model wrote its first byte,
    the byte after it, and 1 if the training text knows it.
    """

    weights: str  # of its model
    text: Array
    words: Array


@dataclass(frozen=True)
class Language:
    """What models have learned. is_han: it is of Han characters and kana, so that characters are counted too.

    known: where a browser finds the words that they have learned. real: the share of known words in real text.
    """

    known: str
    real: float
    is_han: bool


@dataclass(frozen=True)
class Message(Picture):
    """The models and their texts, under the hands, which say what is written: browser and Python take it from there.

    The hands' values have `write_seed`, and `write_at`, the byte that is shown, 0 while the picture plays; where they do
    not say a prompt, a length or a temperature, these hold. choices: a name for what the texts follow from; the browser
    reports them with it. reader: the reader's language. held_out: the longest beginning of text that no model has learned.
    carried: what goes into a file of the picture (`ui.exporting`): the models of the language that is shown, and its words.
    words: of every language; lines that end with `_han` are for texts of Han characters and kana.
    """

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
