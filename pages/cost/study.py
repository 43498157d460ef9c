"""What ALiBi costs: the bytes of its bias (computed), and the times of the shipped measurement, as ratios."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from alibi_viz.cost import shipped
from alibi_viz.cost.cases import BASE, Pass
from alibi_viz.cost.plan import NAMES
from alibi_viz.cost.sizes import FORMS, bias_bytes, cache_bytes
from alibi_viz.cost.timing import CallTimes, Spread
from alibi_viz.results import published

LONGEST = 1_000_000  # tokens
KINDS = ("ways", "methods")
Table = dict[str, dict[int, Spread]]  # case -> tokens -> seconds


@dataclass(frozen=True)
class Controls:
    show: str  # "size" or "time"
    heads: int
    tokens: int
    what: str  # one of KINDS
    kind: Pass


@dataclass(frozen=True)
class Sizes:
    """Bytes by length, arrays [S]."""

    tokens: np.ndarray
    forms: dict[str, np.ndarray]  # FORMS, and "cache": keys and values of one layer
    here: dict[str, int]  # the same at the chosen length


def sizes(heads: int, tokens: int) -> Sizes:
    """The bias of one layer to a million tokens."""
    lengths = np.unique(np.geomspace(64, LONGEST, 61).astype(int))
    forms = {form: np.array([bias_bytes(heads, int(n))[form] for n in lengths], dtype=float) for form in FORMS}
    forms["cache"] = np.array([cache_bytes(heads, int(n)) for n in lengths], dtype=float)
    return Sizes(lengths, forms, bias_bytes(heads, tokens) | {"cache": cache_bytes(heads, tokens)})


def shipped_times(kind: Pass) -> Table:
    return dict(shipped.load()["passes"][kind])


def ratios(table: Table, what: str) -> Table:
    """Time against that of causal attention without positions: case -> tokens -> ratio."""
    base = table.get(BASE, {})
    found: Table = {}
    for name in NAMES[what]:
        rows = {
            tokens: _divided(seconds, base[tokens].median)
            for tokens, seconds in table.get(name, {}).items()
            if tokens in base
        }
        if rows:
            found[name] = dict(sorted(rows.items()))
    return found


def measured_ratios(measured: CallTimes, what: str) -> Table:
    """The same of a measurement in this session, where both were called in turn: round by round."""
    found = {name: [n for n in measured.lengths(name) if (BASE, n) in measured.seconds] for name in NAMES[what]}
    return {name: {n: measured.ratio(name, BASE, n) for n in lengths} for name, lengths in found.items() if lengths}


def _divided(seconds: Spread, by: float) -> Spread:
    return Spread(seconds.median / by, seconds.low / by, seconds.high / by)


def longest_common(table: Table, *names: str) -> int:
    """The largest number of tokens at which all of these were measured."""
    return max(set.intersection(*(set(table[name]) for name in names)))


def paper_table() -> list[dict[str, Any]]:
    """The paper's Table 1: speed and memory of its models."""
    return list(published.load()["table1_speed_memory"]["rows"])
