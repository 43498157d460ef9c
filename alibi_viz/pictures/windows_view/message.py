"""What the windows view shows, and how it becomes one message of bytes (pictures/message.py)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, Unpack

import numpy as np

from alibi_viz.charts.palette import DARK, LIGHT
from alibi_viz.lessons import load
from alibi_viz.pictures.message import Array, Arrays, Follow, check, follows, join

MAX_WORDS = 64


@dataclass(frozen=True)
class WindowPlan:
    """Of W words in P windows: what each reads and predicts, and the context of every word but the first."""

    read: Array  # bool [P, W]
    counted: Array  # bool [P, W]
    context: Array  # [W - 1]
    other: Array  # [W - 1]: in the other protocol


@dataclass(frozen=True)
class Settings:
    """What the plan was made with, in words. sliding: the windows overlap; else each begins where the last one ended."""

    window: int
    stride: int
    least: int  # enough context
    sliding: bool


@dataclass(frozen=True)
class Dragged(Follow):
    """The dragged value is one of the settings."""

    form: Literal["window", "stride", "least"]


class Options(TypedDict, total=False):
    """What stands around the picture."""

    names: Mapping[str, str]  # of what is drawn: "enough" "poor" "read" "other" "least" "pass" "context"
    readout: Mapping[str, str]  # what is said of a cell: "enough" "poor" "read" "outside" "context" "empty"
    alt: str  # the picture in words, for screen readers
    follows: Sequence[Dragged]  # the drag sliders whose values the browser previews
    size: Literal["normal", "stage"]
    filename: str


def pack(
    words: Sequence[str], plan: WindowPlan, settings: Settings, *, key: str = "", **options: Unpack[Options]
) -> bytes:
    """Everything one windows view shows. Raises ValueError with a sentence when it cannot be shown."""
    count = len(words)
    check(2 <= count <= MAX_WORDS, f"a windows view shows 2 to {MAX_WORDS} words, not {count}")
    shape = np.shape(plan.read)
    fits = len(shape) == 2 and shape[1] == count and np.shape(plan.counted) == shape
    check(fits and np.shape(plan.context) == np.shape(plan.other) == (count - 1,), "the plan does not fit the words")
    arrays = Arrays()
    kinds = {"read": np.uint8, "counted": np.uint8, "context": np.float32, "other": np.float32}
    header: dict[str, Any] = {"size": "normal", "filename": "windows", **options, "key": key}
    header |= {
        "labels": list(words),
        "settings": settings,
        "plan": {name: arrays.add(np.asarray(getattr(plan, name), dtype=kind), name) for name, kind in kinds.items()},
        "colours": {"light": [LIGHT.accent, LIGHT.second], "dark": [DARK.accent, DARK.second]},
        "follows": follows(options.get("follows", ())),
        "words": load("words").entries("picture") | load("words").entries("windows_view"),
    }
    return join(header, arrays)
