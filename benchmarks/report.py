"""One measured figure, its limit, what it was before, and how these are printed.

`last.json` has the figures of the last release, and the milliseconds that a bare page took on its machine. Times of two
machines are compared by that page.
"""

import json
import platform
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

OUT = Path("out") / "bench.json"
LAST = Path(__file__).with_name("last.json")
BARE = "a bare page, opened again"
TIMES = ("ms", "s")


@dataclass(frozen=True)
class Figure:
    """`limit` is the largest allowed value, or the smallest if `at_least`; None where a figure is only told."""

    name: str
    value: float
    unit: str
    limit: float | None = None
    at_least: bool = False
    note: str = ""

    @property
    def verdict(self) -> str:
        if self.limit is None:
            return ""
        kept = self.value >= self.limit if self.at_least else self.value <= self.limit
        return "kept" if kept else "MISSED"


def last(unit: float) -> dict[str, float]:
    """The figures of the last release, times as this machine would have them. unit: milliseconds of a bare page here."""
    figures = json.loads(LAST.read_text(encoding="utf-8")) if LAST.exists() else []
    then = next((one["value"] for one in figures if one["name"] == BARE), unit)
    return {one["name"]: one["value"] * (unit / then if one["unit"] in TIMES else 1) for one in figures}


def show(figures: list[Figure], unit: float) -> None:
    """Print the table. unit: milliseconds of a bare page."""
    before = last(unit)
    table = Table(title=f"{platform.machine()}, torch {torch.__version__}, {torch.get_num_threads()} thread(s)")
    for heading in ("Figure", "Value", "Last", "Limit", "", "Note"):
        table.add_column(heading, justify="right" if heading in ("Value", "Last", "Limit") else "left", overflow="fold")
    for figure in figures:
        sign = "≥" if figure.at_least else "≤"
        limit = "" if figure.limit is None else f"{sign} {figure.limit:g}"
        was = f"{before[figure.name]:.4g}" if figure.name in before else ""
        table.add_row(figure.name, f"{figure.value:.4g} {figure.unit}", was, limit, figure.verdict, figure.note)
    Console(width=150).print(table)


def write(figures: list[Figure]) -> None:
    """Write out/bench.json."""
    OUT.parent.mkdir(exist_ok=True)
    text = json.dumps([{**asdict(figure), "verdict": figure.verdict} for figure in figures], indent=1)
    OUT.write_text(text + "\n", encoding="utf-8")


def keep() -> None:
    """What was measured now is the last release's."""
    LAST.write_text(OUT.read_text(encoding="utf-8"), encoding="utf-8")
