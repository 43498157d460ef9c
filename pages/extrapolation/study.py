"""The result: perplexity against window of the shipped runs, and the paper's beside it.

Notable choices:
- Ours is perplexity per byte, the paper's per word. Both are compared as the perplexity per word divided by that at L:
  ours is the ratio per byte to the power of the bytes in a word.
- The paper's tables are read as they are printed. "OOM" (out of memory) is no number, and ends a line.
- Runs of other training lengths read the same number of bytes, in batches of the same size.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from alibi_viz.charts.lines import Line
from alibi_viz.lessons.languages import kept_by_language
from alibi_viz.positions import title_of
from alibi_viz.results import pretrained, published, table
from alibi_viz.results.table import Protocol

PAPER = {512: "table2_extrapolation_L512", 1024: "table3_extrapolation_L1024"}
PAPER_METHODS = {"sinusoidal": "sinusoidal", "rope": "rotary", "t5": "t5", "alibi": "alibi"}  # ours: the paper's word
PAPER_ROWS = (64, 128, 256, 512, 1024, 3072)  # training lengths of the paper's Table 5 that are drawn
TABLE5 = "table5_alibi_train_by_eval"
LARGER = (512, 1024, 2048)  # tokens: windows of the paper's largest models


def ratios(methods: Iterable[str]) -> list[Line]:
    """Perplexity per word, divided by that at L, against length in training lengths: nonoverlapping, as the paper's."""
    return [line for line in _ratios() if line.method in methods]


@kept_by_language(2)
def _ratios() -> list[Line]:
    shown = table.losses(protocol="nonoverlapping")
    return table.lines(shown.assign(times=shown.length / shown.train_length), "times", "ratio")


def lines(methods: Iterable[str], protocol: Protocol) -> list[Line]:
    """Perplexity by the length of the window, a curve a method."""
    return [line for line in of_every_method(protocol) if line.method in methods]


@kept_by_language(4)
def of_every_method(protocol: Protocol) -> list[Line]:
    return table.lines(table.losses(protocol=protocol))


def paper_ratios(methods: Iterable[str], train_length: int) -> list[Line]:
    """The paper's Figure 1 in the same units."""
    lines, rows = [], published.load()[PAPER[train_length]]["rows"]
    for method in methods:
        if column := PAPER_METHODS.get(method):
            pairs = [(row["length"], row[f"{column}_ppl"]) for row in rows]
            numbers = [(length, value) for length, value in pairs if isinstance(value, int | float)]
            x, y = np.array(numbers, dtype=np.float64).T
            lines.append(Line(method, title_of(method), x / train_length, y / y[x == train_length]))
    return lines


@kept_by_language(4)
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
    rows = [("alibi", f"L = {length:,}", str(length)) for length in PAPER_ROWS]
    rows.append(("sinusoidal", title_of("sinusoidal"), "Sinusoidal"))
    return [
        Line(method, title, *np.array(list(published.row(TABLE5, name).items()), dtype=np.float64).T)
        for method, title, name in rows
    ]


class Tested(NamedTuple):
    """A row of the paper's Table 6. Lengths in words, perplexities per word."""

    method: str
    trained: int
    tested: int
    valid: float
    test: float


def test_set() -> list[Tested]:
    """Its Table 6: models of WikiText-103 on the validation set and on the test set, in nonoverlapping windows."""
    names = {"Sinusoidal": "sinusoidal", "Rotary": "rope", "T5 Bias": "t5", "ALiBi": "alibi"}
    rows = []
    for row in published.load()["table6_test"]["rows"]:
        name, *lengths = row["model"].split(", ")  # “ALiBi, L = 512, L_{valid} = 3072”; one L is both
        numbers = [int(length.split(" = ")[1]) for length in lengths]
        rows.append(Tested(names[name], numbers[0], numbers[-1], row["valid_ppl"], row["test_ppl"]))
    return rows


def books() -> tuple[list[int], dict[str, list[float | None]]]:
    """Its Table 8, Toronto BookCorpus: lengths of the test windows; and by the training length of ALiBi the perplexity at
    each. Sinusoidal positions are trained at the length of each test.
    """
    entry = published.load()["table8_toronto_books"]
    return entry["eval_lengths"], entry["rows"]


def larger() -> list[dict[str, Any]]:
    """The paper's Tables 12 and 11: models of 1.3 billion parameters. A row that stands in both, once."""
    both = ("table12_1p3B_equal_updates", "table11_1p3B_equal_time")
    rows = {(row["model"], row["updates"]): row for name in reversed(both) for row in published.load()[name]["rows"]}
    order = [(row["model"], row["updates"]) for name in both for row in published.load()[name]["rows"]]
    return [rows[key] for key in dict.fromkeys(order)]
