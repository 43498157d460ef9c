"""One measured figure, its limit, and how both are printed."""

from __future__ import annotations

import json
import platform
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

OUT = Path("out")


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


def show(figures: list[Figure]) -> None:
    """Print the table."""
    table = Table(title=f"{platform.machine()}, torch {torch.__version__}, {torch.get_num_threads()} thread(s)")
    for heading in ("Figure", "Value", "Limit", "", "Note"):
        table.add_column(heading, justify="right" if heading in ("Value", "Limit") else "left", overflow="fold")
    for figure in figures:
        sign = "≥" if figure.at_least else "≤"
        limit = "" if figure.limit is None else f"{sign} {figure.limit:g}"
        table.add_row(figure.name, f"{figure.value:.4g} {figure.unit}", limit, figure.verdict, figure.note)
    Console(width=150).print(table)


def write(figures: list[Figure]) -> None:
    """Write out/bench.json."""
    OUT.mkdir(exist_ok=True)
    text = json.dumps([{**asdict(figure), "verdict": figure.verdict} for figure in figures], indent=1)
    (OUT / "bench.json").write_text(text + "\n", encoding="utf-8")
