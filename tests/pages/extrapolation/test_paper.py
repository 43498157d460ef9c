"""Beside the paper: ALiBi's rank at L, and its models of 1.3 billion parameters. From the files, not by the page's code."""

from __future__ import annotations

import json
from math import exp
from statistics import fmean
from typing import Any

import pytest

from alibi_viz.positions import METHODS
from alibi_viz.results import pretrained, published
from tests.pages.apptest import open_page, said, says

TABLES: dict[str, Any] = json.loads((published.FOLDER / "press2022.json").read_text())
RUNS: list[dict[str, Any]] = [json.loads(path.read_text()) for path in (pretrained.FOLDER / "text").glob("*.json")]


def at_length(method: str) -> float:
    """Mean perplexity at L in nonoverlapping windows."""
    runs = [run for run in RUNS if run["config"]["method"] == method]
    entries = [entry for run in runs for entry in run["nonoverlapping"] if entry["length"] == run["config"]["length"]]
    return fmean(exp(entry["loss"]) for entry in entries)


@pytest.mark.parametrize(
    ("length", "table"), [(512, "table2_extrapolation_L512"), (1024, "table3_extrapolation_L1024")]
)
def test_alibi_s_rank_at_the_training_length_is_said_with_its_reason(length: int, table: str) -> None:
    first = TABLES[table]["rows"][0]
    theirs = sorted(("sinusoidal", "rotary", "t5", "alibi"), key=lambda method: first[f"{method}_ppl"])
    ours = sorted(pretrained.METHODS, key=at_length)
    rows = TABLES["table5_alibi_train_by_eval"]
    own = [rows["rows"][str(n)][at] for at, n in enumerate(rows["eval_lengths"])]
    worse = [alibi > other for alibi, other in zip(own, rows["rows"]["Sinusoidal"], strict=True)]
    assert worse == [True, True, *[False] * 6], "behind at the two shortest lengths, and nowhere else"
    (bytes_per_word,) = {run["corpus"]["bytes_per_word"] for run in RUNS}
    ranks = {"rank": theirs.index("alibi") + 1, "rank_here": ours.index("alibi") + 1}
    assert ranks == {"rank": {512: 2, 1024: 1}[length], "rank_here": 9}
    text = said(open_page("extrapolation", extrapolation_open="paper", ext_paper=str(length)))
    best = METHODS[theirs[0]].title
    shown = {"count": 4, "count_here": 10, "words_here": 128 / bytes_per_word, "behind": "64 and 128", "ahead": 256}
    assert says(text, "extrapolation", "seen.rank", best=best, **ranks, **shown)


def test_the_larger_models_are_shown_and_said() -> None:
    at = open_page("extrapolation", extrapolation_open="paper")
    table = next(frame.value for frame in at.dataframe if "Updates" in frame.value)
    assert len(table) == 8, "the two rows that stand in both tables, once"
    equal = {row["model"]: row for row in TABLES["table12_1p3B_equal_updates"]["rows"]}
    time = {row["model"]: row for row in TABLES["table11_1p3B_equal_time"]["rows"]}
    assert all(
        time[name][key] == equal[name][key]
        for name, key in (("ALiBi, L = 512", "ppl_1024"), ("ALiBi, L = 1024", "ppl_2048"))
    )
    short = equal["ALiBi, L = 512"]
    assert short["ppl_1024"] < short["ppl_2048"] < short["ppl_512"], "better, then worse again"
    assert table.iloc[1].tolist() == ["ALiBi, L = 512", "9.79", "9.30", "9.54", "50,000", "5,500"]
    ties = [
        abs(equal[f"ALiBi, L = {n}"][f"ppl_{n}"] - equal[f"Sinusoidal, L = {n}"][f"ppl_{n}"]) for n in (512, 1024, 2048)
    ]
    numbers = {"at_short": short["ppl_512"], "best": short["ppl_1024"], "far": short["ppl_2048"], "tie": max(ties)}
    rivals = {"equal_time": time["ALiBi, L = 1024"]["ppl_2048"], "sinusoidal": time["Sinusoidal, L = 2048"]["ppl_2048"]}
    assert time["ALiBi, L = 1024"]["gpu_hours"] == time["Sinusoidal, L = 2048"]["gpu_hours"]
    assert says(said(at), "extrapolation", "larger", **numbers, **rivals)
