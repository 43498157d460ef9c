"""The result: loss against window of the shipped runs, and the paper's beside it.

Notable choices:
- Ours is loss per byte, the paper's perplexity per word. Both are compared as the loss above that at L, per word: ours
  times the bytes in a word, theirs the logarithm of a ratio of perplexities.
- The paper's tables are read as they are printed. "OOM" (out of memory) is no number, and ends a line.
- Runs of other training lengths read the same number of bytes, in batches of the same size.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from alibi_viz.charts.lines import Line
from alibi_viz.positions import METHODS
from alibi_viz.results import pretrained, published, table
from alibi_viz.results.table import Protocol

PAPER = {512: "table2_extrapolation_L512", 1024: "table3_extrapolation_L1024"}
PAPER_METHODS = {"sinusoidal": "sinusoidal", "rope": "rotary", "t5": "t5", "alibi": "alibi"}  # ours: the paper's word
PAPER_ROWS = (64, 128, 256, 512, 1024, 3072)  # training lengths of the paper's Table 5 that are drawn
TABLE5 = "table5_alibi_train_by_eval"
LARGER = (512, 1024, 2048)  # tokens: windows of the paper's largest models


def runs(methods: Iterable[str], protocol: Protocol) -> pd.DataFrame:
    """The rows of results.table.losses of these methods and windows."""
    every = table.losses()
    return every[(every.protocol == protocol) & every.method.isin(list(methods))]


def rises(methods: Iterable[str]) -> list[Line]:
    """Loss above that at L (nats per word) against length in training lengths, in nonoverlapping windows as the paper's."""
    shown = runs(methods, "nonoverlapping")
    return table.lines(shown.assign(times=shown.length / shown.train_length), "times", "rise")


def paper_rises(methods: Iterable[str], train_length: int) -> list[Line]:
    """The paper's Figure 1 in the same units."""
    lines, rows = [], published.load()[PAPER[train_length]]["rows"]
    for method in methods:
        if column := PAPER_METHODS.get(method):
            pairs = [(row["length"], row[f"{column}_ppl"]) for row in rows]
            numbers = [(length, value) for length, value in pairs if isinstance(value, int | float)]
            x, y = np.array(numbers, dtype=np.float64).T
            rise = np.log(y / y[x == train_length])
            lines.append(Line(method, METHODS[method].title, x / train_length, rise))
    return lines


@lru_cache(maxsize=1)
def short_and_long() -> list[Line]:
    """As the paper draws it: ALiBi trained at each length and tested beyond; sinusoidal at its own training lengths."""
    seed = pretrained.SEEDS[0]
    every = pd.concat([table.losses("lengths"), table.losses()])
    every = every[(every.protocol == "nonoverlapping") & (every.seed == seed)]
    every = every[np.log2(every.length) % 1 == 0]  # windows at which all of them were measured
    alibi = every[(every.method == "alibi") & (every.length >= every.train_length)]
    lines = [
        replace(line, name=f"L = {length}")
        for length, rows in alibi.groupby("train_length")
        for line in table.lines(rows)
    ]
    own = every[(every.method == "sinusoidal") & (every.length == every.train_length)]
    return [*lines, *table.lines(own)]


def paper_short_and_long() -> list[Line]:
    """The same from the paper's Table 5, perplexity per word as published."""
    rows = [("alibi", f"L = {length}", str(length)) for length in PAPER_ROWS]
    rows.append(("sinusoidal", METHODS["sinusoidal"].title, "Sinusoidal"))
    return [
        Line(method, title, *np.array(list(published.row(TABLE5, name).items()), dtype=np.float64).T)
        for method, title, name in rows
    ]


def larger() -> list[dict[str, Any]]:
    """The paper's Tables 12 and 11: models of 1.3 billion parameters. A row that stands in both, once."""
    both = ("table12_1p3B_equal_updates", "table11_1p3B_equal_time")
    rows = {(row["model"], row["updates"]): row for name in reversed(both) for row in published.load()[name]["rows"]}
    order = [(row["model"], row["updates"]) for name in both for row in published.load()[name]["rows"]]
    return [rows[key] for key in dict.fromkeys(order)]
