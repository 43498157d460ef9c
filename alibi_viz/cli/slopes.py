"""The command line: `python -m alibi_viz slopes 12`.

Notable choices:
- A wrong argument gives one line on standard error and exit status 2: no traceback and no box. So the app
  runs with `standalone_mode=False`, and `main` turns errors into that line.
- `--json` prints one JSON object, for other programs; an infinite distance is null there.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from alibi_viz import __version__
from alibi_viz.cli import runs as cli_runs
from alibi_viz.positions.alibi import distance_holding, half_weight_distance, slope_exponents, slope_families, slopes

MAX_HEADS = 1024  # far above any real model; keeps a slip of the keyboard from filling the screen

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@dataclass(frozen=True)
class SlopeRow:
    """One head of the table. Distances are in tokens; None where they are infinite or past counting."""

    head: int
    slope: float
    exponent: str
    half_weight_distance: float | None
    distance_90: int | None
    family: int | None


def slope_rows(heads: int, rule: str = "paper", max_bias: float = 8.0) -> list[SlopeRow]:
    """The table of `slopes`, one row a head; the family is None for rules that have only one.

    Raises:
        ValueError: for heads outside 1..MAX_HEADS, an unknown rule, or a bad max_bias.
    """
    if not 1 <= heads <= MAX_HEADS:
        raise ValueError(f"The number of heads must be between 1 and {MAX_HEADS}, not {heads}.")
    exponents = slope_exponents(heads, rule, max_bias)
    families: Sequence[int | None] = slope_families(heads) if rule == "paper" else [None] * heads
    return [
        _row(head, slope, exponent, family)
        for head, (slope, exponent, family) in enumerate(
            zip(slopes(heads, rule, max_bias), exponents, families, strict=True), start=1
        )
    ]


def _row(head: int, slope: float, exponent: Fraction, family: int | None) -> SlopeRow:
    half, most = half_weight_distance(slope), distance_holding(slope, 0.9)
    return SlopeRow(
        head=head,
        slope=slope,
        exponent=str(exponent),
        half_weight_distance=half if math.isfinite(half) else None,
        distance_90=int(most) if most < 2**53 else None,
        family=family,
    )


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """How a Transformer knows where its tokens are: ALiBi and its rivals."""


# Unknown options count as arguments, so that -3 is refused as a number and not as an option.
@app.command("slopes", context_settings={"ignore_unknown_options": True})
def slopes_command(
    heads: Annotated[int, typer.Argument(help=f"Number of heads, 1 to {MAX_HEADS}.")],
    rule: Annotated[str, typer.Option(help="paper, plain or blog.")] = "paper",
    max_bias: Annotated[float, typer.Option(help="Exponent of the last head (8 in the paper).")] = 8.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Print the ALiBi slope of every head."""
    rows = slope_rows(heads, rule, max_bias)
    if as_json:
        result = {"heads": heads, "rule": rule, "max_bias": max_bias, "slopes": [asdict(row) for row in rows]}
        typer.echo(json.dumps(result, allow_nan=False))
    else:
        Console().print(_table(rows, f"ALiBi slopes, {heads} heads, rule: {rule}"))


cli_runs.register(app)


def _table(rows: Sequence[SlopeRow], title: str) -> Table:
    table = Table(title=title, caption="Distances in tokens, for equal content and an endless past.")
    for column in ("head", "slope", "exact", "weight halves at", "90% of weight within", "family"):
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(
            str(row.head),
            f"{row.slope:.6g}",
            f"2^-{row.exponent}" if "/" not in row.exponent else f"2^-({row.exponent})",
            _number(row.half_weight_distance),
            _number(row.distance_90),
            {None: "", 0: "power of two", 1: "interleaved"}[row.family],
        )
    return table


def _number(value: float | None) -> str:
    if value is None:
        return "no limit"
    return f"{value:.4g}" if isinstance(value, float) or value >= 10**9 else str(value)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line with `arguments` (those of the process if None) and return the exit status."""
    try:
        result: Any = app(args=None if arguments is None else list(arguments), standalone_mode=False)
    except Exception as error:
        message = _one_line(error)
        if message is None:
            raise
        print(f"Error: {message}", file=sys.stderr)
        return 2
    return result if isinstance(result, int) else 0


def _one_line(error: Exception) -> str | None:
    """The error in one line, if it is the caller's and not ours."""
    # Known by its method: typer carries its own copy of click in some releases and not in others.
    describe = getattr(error, "format_message", None)
    if describe is not None:
        return " ".join(str(describe()).split()) or "a command is missing; try --help."
    return str(error) if isinstance(error, ValueError) else None
