"""What the clocks show, as dataclasses, and how they become one message of bytes (pictures/message.py)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, Unpack

import numpy as np

from alibi_viz.charts.palette import LOOKS, UNTRAINED
from alibi_viz.lessons import load
from alibi_viz.pictures.message import Array, Arrays, Follow, check, follows, join

MAX_DIALS = 128


@dataclass(frozen=True)
class Dials:
    """One dial a pair of dimensions [P]. The hand of a dial stands at `hands` full turns, counted from 12 o'clock."""

    turns: Array  # a token
    hands: Array  # at the position
    trained: Array  # the largest share of a turn in training; from 1 on every angle was seen, below it a dial is dashed
    names: tuple[str, ...]  # of the dials, under the cursor
    captions: tuple[str, ...]  # below them


@dataclass(frozen=True)
class Position(Follow):
    """The dragged value is the position."""

    form: Literal["position"] = "position"


class Options(TypedDict, total=False):
    """What stands around the dials."""

    legend: Mapping[str, str]  # "of_training", "past", "part" and "below" -> what each means
    alt: str  # the picture in words, for screen readers
    follows: Sequence[Position]  # the drag sliders whose values the browser previews
    size: Literal["normal", "stage"]
    filename: str


def pack(dials: Dials, *, look: str, key: str = "", **options: Unpack[Options]) -> bytes:
    """The clocks in the look of a method. Raises ValueError with a sentence when they cannot be shown."""
    count, arrays = len(dials.names), Arrays()
    check(0 < count <= MAX_DIALS, f"there is room for 1 to {MAX_DIALS} dials, not {count}")
    numbers = {name: np.asarray(getattr(dials, name), dtype=np.float64) for name in ("turns", "hands", "trained")}
    fits = all(array.shape == (count,) for array in numbers.values()) and len(dials.captions) == count
    check(fits, "every dial needs a name, a caption and its numbers")
    hand = LOOKS[look]
    header: dict[str, Any] = {"size": "normal", "filename": "clocks", "legend": {}, "alt": ""}
    header |= {**options, "key": key}
    header |= {
        "dials": {**vars(dials), **{name: arrays.add(array, name) for name, array in numbers.items()}},
        "colours": {"light": [hand.light, UNTRAINED.light], "dark": [hand.dark, UNTRAINED.dark]},
        "follows": follows(options.get("follows", ())),
        "words": load("words").entries("picture") | load("words").entries("clocks"),
    }
    return join(header, arrays)
