"""The shipped runs as tables, a row for each measurement: ranks, breaks and means are group-bys.

    losses()                    # method, seed, protocol, length, loss, rise, ... of every shipped model of text
    measurements("contexts")    # any other part of the records in the same form

Notable choices:
- Methods are a category in the order of pretrained.METHODS, so every group-by has that order.
- A reader compares perplexities per byte. Seeds are averaged in one way: a perplexity is e to the mean loss, as it is e to
  the mean over the bytes of one run (`means`). No table has a column of perplexities that could be averaged otherwise.
- `rise` is the loss above that of the same run at its own training length L, so its spread is that of the difference. It is
  per word: so e to it is a ratio of perplexities per word, the only number that ours and the paper's have in common.
- A length that a method cannot read has no row.
"""

import json
import math
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import pandas as pd

from alibi_viz.charts.lines import Line
from alibi_viz.lessons import load
from alibi_viz.positions import METHODS, title_of
from alibi_viz.results import pretrained

Protocol = Literal["nonoverlapping", "sliding"]
PROTOCOLS: tuple[Protocol, ...] = ("nonoverlapping", "sliding")
RECALLED = 0.9  # the recall task: right answers, less those that stay when another letter is asked (a guess has 0)
POWERS = {"perplexity": "loss", "ratio": "rise"}  # e to these: per byte; and of the perplexity per word to that at L
RUN = ("method", "seed", "layers", "heads", "steps", "train_length", "bytes_per_word")  # columns of every table


def train_length() -> int:
    """L of the shipped models of text: the bytes that they were trained on at a time."""
    return int(pretrained.load_all()[0]["config"]["length"])


def bytes_per_word() -> float:
    """Of the text that they read, as the paper's text is cut into words."""
    return float(pretrained.load_all()[0]["corpus"]["bytes_per_word"])


@lru_cache(maxsize=16)
def measurements(part: str, kind: pretrained.Kind = "text") -> pd.DataFrame:
    """One part of the records of a set: the columns of RUN, and those of the part's entries (`tools.measures`)."""
    rows: list[dict[str, Any]] = []
    for record in pretrained.load_all(kind):
        config = record["config"]
        run = {name: config.get(name) for name in RUN}
        run |= {"train_length": config["length"], "bytes_per_word": record["corpus"].get("bytes_per_word")}
        run["options"] = ", ".join(f"{name} {value}" for name, value in dict(config["options"]).items())
        rows += [run | entry for entry in record.get(part, ())]
    table = pd.DataFrame(rows)
    table["method"] = pd.Categorical(table["method"], pretrained.METHODS)
    return table


@lru_cache(maxsize=8)
def losses(kind: pretrained.Kind = "text", protocol: Protocol | None = None) -> pd.DataFrame:
    """Loss (nats per byte) by method, seed, protocol and length (bytes), and its rise (nats per word)."""
    if protocol:
        return losses(kind).query("protocol == @protocol")
    table = pd.concat([measurements(protocol, kind).assign(protocol=protocol) for protocol in PROTOCOLS])
    table = table.dropna(subset="loss").drop(columns=["by_position", "missing", "perplexity"], errors="ignore")
    run = ["method", "seed", "layers", "steps", "train_length", "protocol"]
    at_length = table[table.length == table.train_length][[*run, "loss"]]
    table = table.merge(at_length, on=run, how="left", suffixes=("", "_at_length"))
    return table.assign(rise=(table.loss - table.loss_at_length) * table.bytes_per_word)


def readings_of(name: str) -> list[dict[str, Any]]:
    """What was measured of one model (`pretrained.MODELS`) that reads otherwise."""
    entries: list[dict[str, Any]] = json.loads(pretrained.READINGS.read_text(encoding="utf-8"))["methods"][name]
    return entries


@lru_cache(maxsize=1)
def readings() -> pd.DataFrame:
    """The first seed's models read otherwise (`lm.readings`), of the same predictions: the columns of RUN, and `reading`,
    `length`, `loss`, `by_block` and `same`, whether clamping changes nothing: it then has the loss of what it clamps.
    """
    record = json.loads(pretrained.READINGS.read_text(encoding="utf-8"))
    run = {"seed": record["seed"], "train_length": train_length(), "bytes_per_word": bytes_per_word()}
    run["predictions"] = record["predictions"]
    unclamped = {"clamped": "all", "thinned_clamped": "thinned"}
    rows: list[dict[str, Any]] = []
    for method in pretrained.METHODS:
        entries = record["methods"].get(method, [])
        measured = {(entry["length"], entry["reading"]): entry for entry in entries}
        for entry in entries:
            if is_same := "same" in entry:
                entry = measured[entry["length"], unclamped[entry["reading"]]] | {"reading": entry["reading"]}
            rows.append(run | {"method": method, "same": is_same} | entry)
    table = pd.DataFrame(rows)
    return table.assign(method=pd.Categorical(table.method, pretrained.METHODS))


@lru_cache(maxsize=1)
def penalties() -> pd.DataFrame:
    """Short runs whose penalty on far keys has another shape (`tools.penalties`): shape, strength, seed, length, loss."""
    record = json.loads(pretrained.PENALTIES.read_text(encoding="utf-8"))
    run = {"bytes_per_word": bytes_per_word(), "predictions": record["predictions"]}
    return pd.DataFrame(record["rows"]).assign(**run)


@lru_cache(maxsize=8)
def by_position(length: int) -> pd.DataFrame:
    """Loss by method, seed and position in nonoverlapping windows of `length` bytes: at 1 the model has read one byte."""
    table = measurements("nonoverlapping")
    table = table[table.length == length].dropna(subset="by_position")[[*RUN, "predictions", "by_position"]]
    table = table.explode("by_position", ignore_index=True).rename(columns={"by_position": "loss"})
    position = table.groupby(["method", "seed"], observed=True).cumcount() + 1
    return table.assign(loss=table.loss.astype(float), position=position)


def means(table: pd.DataFrame, value: str, *by: str) -> pd.DataFrame:
    """Mean, smallest ("low") and largest ("high") of the seeds, by method and these columns; shortest first.

    value: a column; or a name of POWERS, which is e to its column. Its mean is then e to the mean, the geometric one.
    """
    column = POWERS.get(value, value)
    grouped = table.dropna(subset=column).groupby(["method", *by], observed=True)[column]
    ends = grouped.agg(mean="mean", low="min", high="max")
    return (ends if column == value else np.exp(ends)).reset_index()


def higher(nats_per_word: float) -> tuple[float, float]:
    """What a loss that is so many nats per word higher makes of perplexity: its rise per byte of the shipped models' text,
    and per word. 0.1: 10 % higher."""
    return math.expm1(nats_per_word / bytes_per_word()), math.expm1(nats_per_word)


def lines(table: pd.DataFrame, x: str = "length", value: str = "perplexity") -> list[Line]:
    """A curve for each method: mean, and range of the seeds. Learned positions end where their table does. Beside methods
    of several seeds, one that has a single seed says so in its name."""
    curves, seeds = [], table.groupby("method", observed=True).seed.nunique()
    for method, rows in means(table, value, x).groupby("method", observed=True):
        at, mean, low, high = (rows[column].to_numpy() for column in (x, "mean", "low", "high"))
        look, title = METHODS[str(method)], title_of(str(method))
        name = load("shared").entry("compared", "one_seed", title=title) if seeds[method] < seeds.max() else title
        curves.append(Line(str(method), name, at, mean, low, high, ends=look.has_position_table))
    return curves


def at(table: pd.DataFrame, value: str = "perplexity") -> dict[str, float]:
    """The mean of the seeds by method, where the table has one length alone."""
    return {str(row.method): float(row.mean) for row in means(table, value).itertuples()}
