"""Models that write on, a column each, as one message of bytes. Positions count a text's bytes from its prompt on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from alibi_viz.charts.palette import LOOKS
from alibi_viz.pictures.hands.message import Hands
from alibi_viz.pictures.message import Array
from alibi_viz.pictures.message import pack as pack_message


@dataclass(frozen=True)
class Column:
    """What one model has written so far.

    text: uint8 [T], the prompt included. words: float32 [W, 3], for each whole word that the model wrote its first byte,
    the byte after it, and 1 if the training text knows it. characters: uint8 [T], of each byte how many bytes the character
    takes that begins there; 0 inside one; 255: no UTF-8.
    """

    method: str  # a row of the palette
    name: str
    text: Array
    words: Array
    characters: Array
    done: bool
    problem: str  # why nothing more comes, in one sentence
    place: int  # readers whose turn comes first


@dataclass(frozen=True)
class Message:
    """The columns, under their hands. Bytes of the prompt, of a whole text, and of a training window; the share of known
    words in real text. is_han: the models write Han characters and kana, so that characters are counted too.

    The hands' values have `write_at`: the byte that is shown, 0 while the picture plays.
    """

    key: str
    hands: Hands
    columns: Sequence[Column]
    prompt: int
    end: int
    train_length: int
    real: float
    is_han: bool
    words: Mapping[str, str]
    alt: str
    filename: str
    problem: str = ""  # in place of the picture
    size: Literal["stage"] = "stage"

    @property
    def answered(self) -> list[str]:
        return self.hands.without(*(hand.key for hand in self.hands.hands))


def pack(message: Message) -> bytes:
    columns = [
        {
            **vars(column),
            "text": np.asarray(column.text, dtype=np.uint8),
            "words": np.asarray(column.words, dtype=np.float32),
            "characters": np.asarray(column.characters, dtype=np.uint8),
            "light": LOOKS[column.method].light,
            "dark": LOOKS[column.method].dark,
        }
        for column in message.columns
    ]
    return pack_message({**vars(message), "columns": columns})
