"""What `slopes`, `check` and `inspect` print, for a person and for CI.

Exit status of the last two: 0 all is well; 1 a known mistake, or nothing that this app knows; 2 it cannot be read.
"""

import json
import math
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from alibi_viz import library
from alibi_viz.checks import unicode_text
from alibi_viz.cli import MOST_HEADS
from alibi_viz.files import read_named
from alibi_viz.lessons import load
from alibi_viz.lessons.numbers import format_slope
from alibi_viz.pitfalls.reading import ENDINGS, MOST_BYTES, read_array, read_mask
from alibi_viz.pitfalls.verdict import Check
from alibi_viz.rules import distance_holding, half_weight_distance, slope_exponents, slope_families, slopes
from alibi_viz.user_input import strip_control_characters

STDIN = "-"


def slope_rows(heads: int, rule: str = "code", max_bias: float = 8.0) -> list[dict[str, Any]]:
    """One row a head. Distances are in tokens, None where they are infinite or past counting; so is the family of a rule
    that has only one.

    Raises ValueError for heads outside 1..MOST_HEADS, an unknown rule, or a bad max_bias.
    """
    if not 1 <= heads <= MOST_HEADS:
        raise ValueError(f"The number of heads must be between 1 and {MOST_HEADS}, not {heads}.")
    exponents = slope_exponents(heads, rule, max_bias)
    families: Sequence[int | None] = slope_families(heads) if rule == "code" else [None] * heads
    rows = []
    for head, slope in enumerate(slopes(heads, rule, max_bias)):
        half, reach = half_weight_distance(slope), distance_holding(slope, 0.9)
        row: dict[str, Any] = {"head": head + 1, "slope": slope, "exponent": str(exponents[head])}
        row["half_weight_distance"] = half if math.isfinite(half) else None
        row["distance_90"] = int(reach) if reach < 2**53 else None
        rows.append(row | {"family": families[head]})
    return rows


def print_slopes(rows: Sequence[Mapping[str, Any]], title: str) -> None:
    table = Table(title=title, caption="Distances in tokens, for equal content and an endless past.")
    for column in ("head", "slope", "exact", "weight halves at", "90% of weight within", "family"):
        table.add_column(column, justify="right")
    for row in rows:
        exact = f"2^-{row['exponent']}" if "/" not in row["exponent"] else f"2^-({row['exponent']})"
        family = {None: "", 0: "power of two", 1: "interleaved"}[row["family"]]
        distances = (_distance(row["half_weight_distance"]), _distance(row["distance_90"]))
        table.add_row(str(row["head"]), f"{row['slope']:.6g}", exact, *distances, family)
    Console().print(table)


def _distance(value: float | None) -> str:
    if value is None:
        return "no limit"
    return f"{value:.4g}" if isinstance(value, float) or value >= 10**9 else str(value)


def check(source: str, *, as_json: bool, mask: Path | None, **declared: Any) -> int:
    allowed = None if mask is None else read_mask(mask.name, read_named(mask, MOST_BYTES))
    return _print_check(library.check(_values(source), mask=allowed, **declared), as_json=as_json)


def check_model(folder: Path, *, as_json: bool, causal: bool | None, **declared: Any) -> int:
    from alibi_viz import check_model as probe  # with torch, which no other command of the core needs
    from alibi_viz.checkpoints import local

    found = probe(local.open_folder(folder), causal=causal is not False, **declared)
    return _print_check(found, as_json=as_json)


def _print_check(found: Check, *, as_json: bool) -> int:
    if as_json:
        _print_json(found.to_dict())
    else:
        _print(found.verdict, {"": list(found.sentences)})
    return 0 if found.status == "clean" else 1


def _values(source: str) -> str | np.ndarray:
    """A typed list, or the array of a file. Raises ValueError with one sentence."""
    data = sys.stdin.buffer.read(MOST_BYTES + 1) if source == STDIN else read_named(Path(source), MOST_BYTES)
    if source.rpartition(".")[2].lower() in ENDINGS:
        return read_array(source, data)
    try:
        return unicode_text(data[:MOST_BYTES].decode("utf-8-sig"), "The list")
    except UnicodeError:
        raise ValueError("A list of slopes must be text in UTF-8.") from None


def inspect(config: Path, *, as_json: bool) -> int:
    model = library.inspect(config)
    rows = model.facts()
    if as_json:
        _print_json(rows)
    else:
        labels = load("models").entries("facts")
        rows = {name: value for name, value in rows.items() if value not in (None, [])} | {"method": model.title}
        _print("", {labels.get(name, name): value for name, value in rows.items()})
    return 0 if model.known else 1


def _print_json(facts: Mapping[str, Any]) -> None:
    """One line. Control characters of a file, which a terminal may take for commands, are escaped, also those above 127."""
    text = json.dumps(facts, allow_nan=False, ensure_ascii=False)
    print(re.sub("[\x7f-\x9f]", lambda match: f"\\u{ord(match[0]):04x}", text))


def _print(title: str, rows: Mapping[str, Any]) -> None:
    """A table, without control characters."""
    table = Table(title=title or None, show_header=False)
    for name, value in rows.items():
        if isinstance(value, list) and name:
            listed = ", ".join(format_slope(x) if isinstance(x, float) else str(x) for x in value)
            table.add_row(name, strip_control_characters(listed))
        else:
            for line in value if isinstance(value, list) else [value]:
                table.add_row(*((name,) if name else ()), strip_control_characters(str(line)))
    Console(markup=False).print(table)
