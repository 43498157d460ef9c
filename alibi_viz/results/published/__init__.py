"""Numbers from papers, as data files that name their source. Show them as published, never as measured here."""

import functools
import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


@functools.cache
def load() -> dict[str, Any]:
    """The tables of Press et al. 2022: "source", "units", and one entry a table, with "rows"."""
    return dict(json.loads((FOLDER / "press2022.json").read_text(encoding="utf-8")))


def find(table: str, **wanted: object) -> dict[str, Any]:
    """The first row of a table that has these values."""
    return next(dict(entry) for entry in load()[table]["rows"] if wanted.items() <= entry.items())


def row(table: str, name: str) -> dict[int, float]:
    """Window length -> perplexity, of one row of a table by evaluation lengths; lengths without a number are left out."""
    entry = load()[table]
    pairs = zip(entry["eval_lengths"], entry["rows"][name], strict=True)
    return {length: value for length, value in pairs if value is not None}
