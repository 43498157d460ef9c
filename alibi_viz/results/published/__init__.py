"""Numbers from papers, as data files that name their source. Show them as published, never as measured here."""

import functools
import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


@functools.cache
def load(name: str = "press2022") -> dict[str, Any]:
    """A paper's "source", "units", and one entry a table: "what" and "rows". Raises ValueError for no such paper."""
    known = sorted(path.stem for path in FOLDER.glob("*.json") if path.stem != "parity")
    if name not in known:
        raise ValueError(f"There are numbers of {', '.join(known)}, not of {name!r}.")
    return dict(json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")))


def find(table: str, **wanted: object) -> dict[str, Any]:
    """The first row of a table that has these values."""
    return next(dict(entry) for entry in load()[table]["rows"] if wanted.items() <= entry.items())


def row(table: str, name: str) -> dict[int, float]:
    """Window length -> perplexity, of one row of a table by evaluation lengths; lengths without a number are left out."""
    entry = load()[table]
    pairs = zip(entry["eval_lengths"], entry["rows"][name], strict=True)
    return {length: value for length, value in pairs if value is not None}
