"""Where ALiBi is now: position methods and models that use them, from a file in which every entry names its source.

Notable choices:
- A method stands at the month of its paper's arXiv number, which is checked. A model stands at the month of its release,
  or of its paper where the release is not dated: never after the paper.
- Methods that this app does not compute are “other”.
- The file is a selection, so nothing here counts its entries.
"""

import functools
import json
import re
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

from alibi_viz.charts.palette import LOOKS

FILE = Path(__file__).with_name("timeline.json")
OTHER = "other"  # a method that is not a key of palette.LOOKS
KINDS, BOTH = (METHOD := "method", "model"), "both"
FIRST, LAST = 2017, 2025  # years
ARXIV = re.compile(r"https://arxiv\.org/abs/(\d\d)(\d\d)\.\d{5}")
L, FAR = 512, 3072  # words: the paper's training length, and its longest window


@dataclass(frozen=True)
class Entry:
    """A method, or a model that uses one."""

    date: str  # year and month: 2021-08
    name: str
    method: str  # a key of palette.LOOKS, or OTHER
    kind: str  # one of KINDS
    what: str
    source: str
    url: str

    @property
    def year(self) -> float:
        """The middle of its month, in years."""
        year, month = map(int, self.date.split("-"))
        return year + (month - 0.5) / 12


@dataclass(frozen=True)
class Controls:
    show: str = BOTH  # or one of KINDS


@dataclass(frozen=True)
class Result:
    entries: tuple[Entry, ...]  # those to show, by date
    alibi_models: tuple[Entry, ...]  # all of them, by date
    newer: tuple[Entry, ...]  # models after the newest of them, by date


def study(controls: Controls) -> Result:
    """The entries that are asked for."""
    entries = timeline()
    chosen = tuple(entry for entry in entries if controls.show in (BOTH, entry.kind))
    models = tuple(entry for entry in entries if entry.kind == "model")
    alibi = tuple(entry for entry in models if entry.method == "alibi")
    newer = tuple(entry for entry in models if entry.date > alibi[-1].date)
    return Result(chosen, alibi, newer)


@functools.cache
def timeline() -> tuple[Entry, ...]:
    """All entries, by date. Raises ValueError for an entry that `check` refuses."""
    return check([Entry(**row) for row in json.loads(FILE.read_text(encoding="utf-8"))])


def check(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The same entries. Raises ValueError for the first that is incomplete, unknown, outside the years or out of order."""
    for before, entry in zip((None, *entries), entries, strict=False):
        paper = ARXIV.fullmatch(entry.url)
        written = f"20{paper[1]}-{paper[2]}" if paper else entry.date
        problems = {
            "has an empty field": not all(text.strip() for text in astuple(entry)),
            "has no date of these years": not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", entry.date)
            or not FIRST <= int(entry.date[:4]) <= LAST,
            "has an unknown method": entry.method not in (*LOOKS, OTHER),
            "is neither a method nor a model": entry.kind not in KINDS,
            "has no address": not entry.url.startswith("https://"),
            "is not at the month of its arXiv number": entry.kind == METHOD and entry.date != written,
            "is later than its paper": entry.date > written,
            "is out of order": before is not None and (before.date, before.name) >= (entry.date, entry.name),
        }
        for problem, holds in problems.items():
            if holds:
                raise ValueError(f"The timeline's entry “{entry.name}” {problem}.")
    return tuple(entries)
