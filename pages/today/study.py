"""Where ALiBi is now: position methods and the models that use them, and the decays of methods that came after ALiBi.

Notable choices:
- Every entry of the timeline names its source, and what of it was read. A method stands at the month of its paper's arXiv
  number. A model stands at the month of its release, or of its paper where the release is not dated: never after the paper.
- The file is a selection, so nothing here counts its entries. Methods that this app does not compute are “contextual”, if
  the text decides what a position is worth, or “other”.
- “Now” is the day when entries of the file were last added or corrected: it stands in the file, and moves with it.
- Lightning attention and RetNet have no softmax: there the factor multiplies a product. The gates of the Forgetting
  Transformer depend on the text: those here are of a shipped model, in one head, over held-out text (`tools.facts`).
"""

import functools
import json
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from alibi_viz.charts.lines import letters_wide
from alibi_viz.results.facts import load_facts
from alibi_viz.rules import slopes

FILE = Path(__file__).with_name("timeline.json")
METHOD, MODEL = KINDS = ("method", "model")
CONTEXTUAL, OTHER = "contextual", "other"  # methods that are no key of palette.LOOKS
#: What of a source was read. A summary is somebody else's; code is that of an installed library.
READ = ("paper", "abstract", "summary", "card", "page", "code")
#: Lane -> the methods in it.
LANES: dict[str, tuple[str, ...]] = {name: (name,) for name in ("learned", "sinusoidal", "t5", "rope", "alibi")}
LANES |= {CONTEXTUAL: (CONTEXTUAL,), "others": ("kerple", "sandwich", "fire", OTHER), "none": ("none",)}
START = 2017.0  # of the axis, in years
PHONE, WALL = 257, 600  # pixels of the axis: on a phone, on a page of the site; on a wall, for type of the same size

HEADS, SHOWN = 8, (1, 4, 8)  # of ALiBi
LAYER = 0.5  # how deep a lightning layer lies, from 0 (the first) to 1: its slopes are ALiBi's times 1 less this
RETNET = (1, 8)  # heads of eight; head h, counted from 1, forgets 2^(-4 - h) at each token (the paper: 2^-5, 2^-6, ...)


@functools.cache
def file() -> dict[str, Any]:
    """looked_at: the day when entries were last added or corrected. library: its version then, and which of its model
    types have ALiBi in their code. entries: of the timeline."""
    return dict(json.loads(FILE.read_text(encoding="utf-8")))


def looked_at() -> date:
    return date.fromisoformat(file()["looked_at"])


@functools.cache
def timeline() -> pd.DataFrame:
    """All entries, by date: id (its key in text.md), date (2021-08), name, method (a key of palette.LOOKS, CONTEXTUAL or
    OTHER), kind (of KINDS), source, its url, and what of it was read (of READ); whether it is shown in the picture, which
    has no room for all names; and its year, in the middle of the month."""
    entries = pd.DataFrame([{"shown": True, **entry} for entry in file()["entries"]])
    return entries.assign(year=[int(date[:4]) + (int(date[5:]) - 0.5) / 12 for date in entries["date"]])


END = looked_at().year + 1.25  # of the axis: the year to its end, and half a mark
MARK, LETTER = 6, 5.4  # pixels: half a mark, and a letter
CAPITAL = 0.45  # letters: by so much a capital is wider


def lane(names: Iterable[str], years: Iterable[float], axis: float) -> tuple[np.ndarray, list[str]]:
    """The row of each entry in its lane, and the side of its mark that the name is on, so that no name covers another on
    an axis of so many pixels. The entries are by date.

    Most entries of a lane stand close together, so names point outwards where there is room: those of the first entries to
    the left, of the others to the right. Which entry is the first of the others: what takes the fewest rows.
    """
    entries = list(zip(names, years, strict=True))
    return min(
        (_placed(entries, turn, (END - START) / axis) for turn in range(len(entries) + 1)),
        key=lambda placed: placed[0].max(),
    )


def _placed(entries: list[tuple[str, float]], turn: int, pixel: float) -> tuple[np.ndarray, list[str]]:
    """Names on the right from entry `turn` on. From the left, each entry goes to the first row that has room; the rows then
    stand by the dates of their first entries. pixel: in years."""
    spans, chosen, mark = [], [], MARK * pixel
    for number, (name, year) in enumerate(entries):
        length = mark + LETTER * pixel * (letters_wide(name) + 1 + CAPITAL * sum(map(str.isupper, name)))
        fits = {"left": year - length >= START, "right": year + length <= END}
        side = "right" if fits["right"] and (number >= turn or not fits["left"]) else "left"
        spans.append((year - mark, year + length) if side == "right" else (year - length, year + mark))
        chosen.append(side)
    rows, ends = np.zeros(len(entries), int), list[float]()  # ends: of each row, in years
    for number in sorted(range(len(entries)), key=spans.__getitem__):
        start, end = spans[number]
        row = next((row for row, taken in enumerate(ends) if taken <= start), len(ends))
        ends[row:] = [end, *ends[row + 1 :]]
        rows[number] = row
    first = np.unique(rows, return_index=True)[1]  # of each row, the entry with the earliest date
    return first.argsort().argsort()[rows], chosen


def decays() -> tuple[np.ndarray, dict[str, list[np.ndarray]]]:
    """Distances, those that the trained gates were summed over, and by family the factor of a key there, one array a
    head. It is 1 at distance 0."""
    chosen, taken = [slopes(HEADS)[head - 1] for head in SHOWN], load_facts("heirs")["taken"]
    distances = np.array([float(distance) for distance in taken])
    return distances, {
        "alibi": [np.exp(-slope * distances) for slope in chosen],
        "lightning": [np.exp(-slope * (1 - LAYER) * distances) for slope in chosen],
        "retnet": [(1 - 2.0 ** (-4 - head)) ** distances for head in RETNET],
        "forgetting": [np.exp(-np.array(list(taken.values())))],
    }
