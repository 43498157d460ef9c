"""More experiments with the shipped models: more steps, other training lengths, more layers, and positions stretched.

Notable choices:
- Runs of fewer or more steps are whole trainings with a schedule of their own, not points on the way of a longer one.
- All runs of the training lengths read the same number of bytes, in batches of the same size. They have one seed, so they
  are compared with the first seed at L.
- A method is stretched by its own `longer_options`: no weight changes.
"""

from collections.abc import Mapping
from functools import lru_cache
from math import exp, nan
from typing import Any

import numpy as np

from alibi_viz.charts.lines import Line
from alibi_viz.lm.corpus import python_text
from alibi_viz.lm.ngram import ngram_loss
from alibi_viz.lm.order import settled_pairs
from alibi_viz.positions import METHODS
from alibi_viz.results import measured, pretrained, published
from alibi_viz.results.measured import MeasuredRun, RunCurve

ORDER = 4  # of the n-gram model: three bytes of context
FIRST = pretrained.SEEDS[0]
COMPARED = ("alibi", "sinusoidal")  # trained at several lengths
PAPER_TABLE = "table5_alibi_train_by_eval"
PAPER_ROWS = (64, 128, 256, 512, 1024, 3072)  # training lengths of ALiBi in the paper's Table 5 that are drawn
LARGER = (512, 1024, 2048)  # tokens: training lengths and windows of the paper's largest models


@lru_cache(maxsize=1)
def ngram() -> float:
    """Perplexity per byte of the n-gram model on the held-out text."""
    corpus = python_text()
    return exp(ngram_loss(corpus.train, corpus.held_out, ORDER))


@lru_cache(maxsize=1)
def steps() -> tuple[Line, ...]:
    """Perplexity in sliding windows of L against the steps of training, first seed: method by method."""
    runs = [run for kind in ("live", "text", "twice") for run in measured.shipped(kind) if run.config.seed == FIRST]
    lines = []
    for method in pretrained.METHODS:
        of_method = {run.config.steps: _at_train_length(run) for run in runs if run.config.method == method}
        x, y = np.array(sorted(of_method.items()), dtype=np.float64).T
        lines.append(Line(method, METHODS[method].title, x, y))
    return tuple(lines)


def settled() -> list[tuple[str, str]]:
    """Pairs of the leading methods, the better one first, whose order at L is the same in all seeds and at both steps."""
    records = [record for kind in ("text", "twice") for record in pretrained.load_all(kind)]
    return settled_pairs([record for record in records if record["config"]["method"] in pretrained.MAIN])


def _at_train_length(run: MeasuredRun) -> float:
    point = run.at(run.config.length, "sliding")
    return float("nan") if point is None or point.perplexity is None else point.perplexity


def at_lengths() -> dict[str, dict[int, RunCurve]]:
    """method -> training length -> its curve over the same windows, shortest training first."""
    runs = [run for kind in ("lengths", "text") for run in measured.shipped(kind) if run.config.seed == FIRST]
    curves = measured.curves(runs)
    found = {(curve.config.method, curve.config.length): curve for curve in curves}
    return {
        method: {length: found[method, length] for other, length in sorted(found) if other == method}
        for method in COMPARED
    }


def short_and_long(trained: Mapping[str, Mapping[int, RunCurve]]) -> list[Line]:
    """As the paper draws it: ALiBi trained at each length and tested beyond; sinusoidal at its own training lengths."""
    lines = []
    for length, curve in trained["alibi"].items():
        keep = np.isin(curve.lengths, [2**power for power in range(6, 12)]) & (curve.lengths >= length)
        lines.append(Line("alibi", f"L = {length}", curve.lengths[keep], curve.mean[keep]))
    own = {length: curve.at(length) for length, curve in trained["sinusoidal"].items()}
    x, y = np.array(list(own)), np.array(list(own.values()), dtype=np.float64)
    return [*lines, Line("sinusoidal", METHODS["sinusoidal"].title, x, y)]


def paper_short_and_long() -> list[Line]:
    """The same from the paper's Table 5, perplexity per word as published."""
    rows = [("alibi", f"L = {length}", str(length)) for length in PAPER_ROWS]
    rows.append(("sinusoidal", METHODS["sinusoidal"].title, "Sinusoidal"))
    return [Line(method, title, *_points(published.row(PAPER_TABLE, name))) for method, title, name in rows]


def _points(by_length: Mapping[int, float]) -> tuple[np.ndarray, np.ndarray]:
    return np.array(list(by_length)), np.array(list(by_length.values()), dtype=np.float64)


def step_bytes() -> int:
    """Bytes that a step of training reads, at every training length."""
    config = measured.shipped()[0].config
    return config.batch * config.length


def paper_costs() -> list[tuple[str, Mapping[str, Any]]]:
    """The paper's Table 1 for the compared methods: (ours, row), shortest training length first."""
    rows = published.load()["table1_speed_memory"]["rows"]
    pairs = [(method, row) for row in rows for method in COMPARED if METHODS[method].title == row["method"]]
    return sorted(pairs, key=lambda pair: pair[1]["train_length"])


def larger() -> list[dict[str, Any]]:
    """The paper's Tables 12 and 11: models of 1.3 billion parameters. A row that stands in both, once."""
    equal, time = (
        published.load()[table]["rows"] for table in ("table12_1p3B_equal_updates", "table11_1p3B_equal_time")
    )
    known = {(row["model"], row["updates"]) for row in equal}
    return [*equal, *(row for row in time if (row["model"], row["updates"]) not in known)]


def depth() -> tuple[Line, ...]:
    """The models without positions, by their layers: perplexity by sliding window, first seed."""
    plain = [run for run in measured.shipped() if run.config.method == "none" and run.config.seed == FIRST]
    curves = measured.curves([*plain, *measured.shipped("depth")], "sliding")
    order = sorted(curves, key=lambda curve: curve.config.layers)
    return tuple(
        Line("none", str(curve.config.layers), curve.lengths, curve.mean, hollow=curve.config.layers > 2)
        for curve in order
    )


@lru_cache(maxsize=1)
def stretched() -> tuple[Line, ...]:
    """Perplexity of the trained models at `times` L, as they are and stretched `times` in each way; first seed.

    A line's name is the method and the way ("" as trained), with a slash between.
    """
    lines = []
    for run in measured.shipped():
        if not run.stretched:
            continue
        method, length, times = run.config.method, run.config.length, sorted({entry.times for entry in run.stretched})
        plain = {n: point.perplexity or nan for n in times if (point := run.at(n * length))}
        ways = {way: at_far(run, way) for way in dict.fromkeys(entry.way for entry in run.stretched)}
        lines += [
            Line(method, f"{method}/{way}", np.array(list(values)), np.array(list(values.values())), hollow=bool(way))
            for way, values in ({"": plain} | ways).items()
        ]
    return tuple(lines)


def at_far(run: MeasuredRun, way: str) -> dict[int, float]:
    """Perplexity by the training lengths that the model was stretched to, in windows so long."""
    found = [entry for entry in run.stretched if entry.way == way and entry.length > run.config.length]
    return {entry.times: entry.perplexity for entry in found}


def at_train_length(run: MeasuredRun, way: str) -> dict[int, float]:
    """The same models in windows of L: what the change costs there."""
    found = [entry for entry in run.stretched if entry.way == way and entry.length == run.config.length]
    return {entry.times: entry.perplexity for entry in found}
