"""The table of slopes: `python -m alibi_viz slopes 12`, as one JSON object with `--json`."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from alibi_viz.positions.alibi import distance_holding, half_weight_distance, slope_exponents, slope_families, slopes

MAX_HEADS = 1024  # far above any real model; keeps a slip of the keyboard from filling the screen


@dataclass(frozen=True)
class SlopeRow:
    """One head of the table. Distances are in tokens; None (null in JSON) where they are infinite or past counting."""

    head: int
    slope: float
    exponent: str
    half_weight_distance: float | None
    distance_90: int | None
    family: int | None


def slope_rows(heads: int, rule: str = "paper", max_bias: float = 8.0) -> list[SlopeRow]:
    """The table of `slopes`, one row a head; the family is None for rules that have only one.

    Raises ValueError for heads outside 1..MAX_HEADS, an unknown rule, or a bad max_bias.
    """
    if not 1 <= heads <= MAX_HEADS:
        raise ValueError(f"The number of heads must be between 1 and {MAX_HEADS}, not {heads}.")
    exponents = slope_exponents(heads, rule, max_bias)
    families: Sequence[int | None] = slope_families(heads) if rule == "paper" else [None] * heads
    rows = []
    for head, slope in enumerate(slopes(heads, rule, max_bias)):
        half, reach = half_weight_distance(slope), distance_holding(slope, 0.9)
        distances = (half if math.isfinite(half) else None, int(reach) if reach < 2**53 else None)
        rows.append(SlopeRow(head + 1, slope, str(exponents[head]), *distances, families[head]))
    return rows


def slopes_command(
    heads: Annotated[int, typer.Argument(help=f"Number of heads, 1 to {MAX_HEADS}.")],
    rule: Annotated[str, typer.Option(help="paper, plain or blog.")] = "paper",
    max_bias: Annotated[float, typer.Option(help="Exponent of the gentlest head (8 in the paper).")] = 8.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Print the ALiBi slope of every head."""
    rows = slope_rows(heads, rule, max_bias)
    if as_json:
        result = {"heads": heads, "rule": rule, "max_bias": max_bias, "slopes": [asdict(row) for row in rows]}
        typer.echo(json.dumps(result, allow_nan=False))
        return
    caption = "Distances in tokens, for equal content and an endless past."
    table = Table(title=f"ALiBi slopes, {heads} heads, rule: {rule}", caption=caption)
    for column in ("head", "slope", "exact", "weight halves at", "90% of weight within", "family"):
        table.add_column(column, justify="right")
    for row in rows:
        exact = f"2^-{row.exponent}" if "/" not in row.exponent else f"2^-({row.exponent})"
        family = {None: "", 0: "power of two", 1: "interleaved"}[row.family]
        distances = (_number(row.half_weight_distance), _number(row.distance_90))
        table.add_row(str(row.head), f"{row.slope:.6g}", exact, *distances, family)
    Console().print(table)


def _number(value: float | None) -> str:
    if value is None:
        return "no limit"
    return f"{value:.4g}" if isinstance(value, float) or value >= 10**9 else str(value)
