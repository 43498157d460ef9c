"""What the sentences of the Order lesson say of its two sentences."""

from dataclasses import dataclass

import numpy as np

from alibi_viz.results import measured
from alibi_viz.ui.format import escape_markdown, format_difference, format_number
from pages.start.study import WIDTH, Case, Result


@dataclass(frozen=True)
class Facts:
    words: int  # of a sentence
    query: str  # the words between which ALiBi changes the weight most
    key: str
    change: str  # of that weight
    plain_change: str  # the largest change of a weight, without a mask: without positions, and with ALiBi
    alibi_change: str
    plain: str  # the largest difference of an output, likewise
    alibi: str
    plain_masked: str  # the same under the causal mask
    width: int = WIDTH  # numbers that the layer gives out for a word


def facts_of(result: Result) -> Facts:
    query, key = result.most_changed
    plain, alibi = result.cases["plain"], result.cases["alibi"]
    return Facts(
        words=len(result.first),
        query=escape_markdown(result.first[query]),
        key=escape_markdown(result.first[key]),
        change=f"{alibi.change[query, key]:+.3f}".replace("-", "−"),
        plain_change=format_number(plain.largest_change),
        alibi_change=format_number(alibi.largest_change),
        plain=printed(plain),
        alibi=printed(alibi),
        plain_masked=printed(result.cases["plain_masked"]),
    )


def printed(case: Case) -> str:
    """The largest difference of an output, beside the size of the outputs."""
    return format_difference(case.difference, float(np.abs(case.first).max()))


@dataclass(frozen=True)
class Runs:
    """What the shipped runs gave with texts of the training length."""

    length: int  # bytes
    seeds: int
    layers: int
    none: float  # perplexity without positions, and with ALiBi
    alibi: float
    deep_layers: int  # of the deepest model without positions, which has one seed
    deep: float


def runs() -> Runs | None:
    """None where the runs are missing."""
    text = {curve.config.method: curve for curve in measured.curves(measured.shipped())}
    deeper = measured.curves(measured.shipped("depth"))
    if not deeper or not {"none", "alibi"} <= text.keys():
        return None
    deepest = max(deeper, key=lambda curve: curve.config.layers)
    length, seeds, layers = text["none"].config.length, len(text["none"].seeds), text["none"].config.layers
    none, alibi, deep = (curve.at(length) for curve in (text["none"], text["alibi"], deepest))
    if none is None or alibi is None or deep is None:
        return None
    return Runs(length, seeds, layers, none, alibi, deepest.config.layers, deep)
