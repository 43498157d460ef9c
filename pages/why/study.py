"""Why it breaks: trained models read otherwise; shapes of a penalty; and what single heads, far keys and stretched
positions do.

Notable choices:
- What is compared is compared by the one rule (`results.comparison`), and the causes follow from its verdicts.
- A cause is what brings the perplexity back: distances clamped, or keys thinned. Whether more keys cost something is asked
  at distances that the model knows.
- A point along a window is BLOCK neighbouring positions: none has positions on both sides of L.
- What was measured of single models is of the first seed. A method is stretched by its own `longer_options`: no weight
  changes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
import pandas as pd

from alibi_viz.charts.lines import Line
from alibi_viz.lm.readings import READINGS, Reading
from alibi_viz.positions import title_of
from alibi_viz.results import pretrained, table
from alibi_viz.results.comparison import Difference, Verdict, at_length, difference
from alibi_viz.results.trained import shipped

FIRST = pretrained.SEEDS[0]
BLOCK = 16  # positions of a point
WINDOW = 512  # of these positions
ABLATED = ("alibi", "rope")  # of which the heads are taken away
HIDDEN = ("alibi", "rope", "t5", "none", "sinusoidal")  # of which far keys are hidden
Cause = Literal["holds", "open", "distances", "both", "keys", "neither", "unclamped", "position"]
#: The two by two: by whether distances are clamped and keys thinned.
CELLS: dict[tuple[bool, bool], Reading] = {
    (False, False): "all",
    (True, False): "clamped",
    (False, True): "thinned",
    (True, True): "thinned_clamped",
}
COLUMNS: tuple[Reading, ...] = (*CELLS.values(), "near")


@dataclass(frozen=True)
class Cell:
    """A method with one reading."""

    perplexity: float  # per byte
    above: Difference  # its loss less that at L, of the same predictions
    same: bool  # clamping changes nothing


@lru_cache(maxsize=8)
def cells(length: int) -> dict[str, dict[Reading, Cell]]:
    """By method, for those that can read so far: its readings in windows of `length`, as far as they are defined."""
    found = {}
    for method, own in table.readings().groupby("method", observed=True):
        at, by_reading = trained(own), dict(iter(at_length(own, length).groupby("reading")))
        if by_reading:
            found[str(method)] = {name: _cell(by_reading[name], at) for name in READINGS if name in by_reading}
    return found


def _cell(rows: pd.DataFrame, at: pd.DataFrame) -> Cell:
    """rows: the one of a reading; at: that at the training length."""
    return Cell(float(np.exp(rows.loss.iloc[0])), difference(rows, at), bool(rows.same.iloc[0]))


def trained(own: pd.DataFrame) -> pd.DataFrame:
    """Of one method's readings that at its training length."""
    return own[own.length == own.train_length]


def at_trained(method: str) -> float:
    """Its perplexity at L, of the same predictions."""
    rows = table.readings()
    return float(np.exp(trained(rows[rows.method == method]).loss.iloc[0]))


def ends_at(method: str) -> int:
    """Where the distances end that a method tells apart, if clamping changes nothing of it; 0: it tells none apart."""
    position = shipped(method).position
    ends = (getattr(position, name, None) for name in ("last_bucket_start", "rel_extent", "window"))
    return next((int(at) for at in ends if at is not None), 0)


def as_table() -> pd.DataFrame:
    """All cells, with what they are above L: nats per word, and the ends of the interval."""
    rows = [
        {"method": title_of(method), "window": length, "reading": reading, "perplexity": cell.perplexity}
        | {"above L": cell.above.mean, "low": cell.above.low, "high": cell.above.high}
        for length in sorted({*table.readings().length})[1:]
        for method, of_method in cells(length).items()
        for reading, cell in of_method.items()
    ]
    return pd.DataFrame(rows)


@lru_cache(maxsize=256)
def compared(method: str, length: int, one: Reading, other: Reading) -> Verdict:
    """What the rule says of one reading beside another."""
    rows = table.readings()
    of_reading = dict(iter(at_length(rows[rows.method == method], length).groupby("reading")))
    return difference(of_reading[one], of_reading[other]).verdict


def cause(method: str, length: int) -> Cause:
    """What breaks it in windows of `length`, by the one rule."""
    of_method = cells(length)[method]
    broken = of_method["all"].above
    if broken.verdict != "worse":
        return "holds" if broken.holds else "open"
    if "clamped" not in of_method:
        return "unclamped"
    if compared(method, length, "all", "clamped") == "worse":
        if of_method["near"].above.verdict == "worse":
            return "position"
        return "both" if compared(method, length, "clamped", "thinned_clamped") == "worse" else "distances"
    helps = compared(method, length, "all", "thinned") == "worse"
    return "keys" if helps and of_method["thinned"].above.holds else "neither"


@dataclass(frozen=True)
class Penalty:
    """A shape of the penalty, with its strength: perplexities by training lengths, means of the seeds."""

    shape: str
    strength: float
    perplexities: dict[float, float]
    rise: Difference  # from L to the longest window

    @property
    def name(self) -> str:
        """Of the lesson's table."""
        return f"{self.shape}_{self.strength:g}".replace(".", "_")


@lru_cache(maxsize=1)
def penalties() -> list[Penalty]:
    rows, found = table.penalties(), []
    lengths = sorted(rows.length.unique())
    for (shape, strength), own in rows.groupby(["shape", "strength"], sort=False):
        means = np.exp(own.groupby("length").loss.mean())
        rise = difference(at_length(own, lengths[-1]), at_length(own, lengths[0]))
        found.append(Penalty(str(shape), float(strength), {n / lengths[0]: float(means[n]) for n in lengths}, rise))
    return sorted(found, key=lambda one: one.shape == "none")  # it stands last


def by_position(methods: Sequence[str]) -> list[Line]:
    """Perplexity along windows of WINDOW bytes, all seeds, a point for each BLOCK positions; of those that read so far."""
    rows = table.by_position(WINDOW)
    rows = rows[rows.method.isin(methods)]
    rows = rows.assign(middle=(rows.position - 1) // BLOCK * BLOCK + (BLOCK + 1) / 2, perplexity=rows.loss)
    means = np.exp(rows.groupby(["method", "middle"], observed=True).loss.mean())
    return [
        Line(str(method), title_of(str(method)), own.index.get_level_values("middle").to_numpy(), own.to_numpy())
        for method, own in means.groupby("method", observed=True)
    ]


def hidden(train_length: int) -> list[Line]:
    """Perplexity in windows of L against the distance beyond which keys are hidden."""
    rows = table.measurements("windows")
    return table.lines(rows[(rows.length == train_length) & rows.method.isin(HIDDEN)], "window")


def without_heads(train_length: int) -> dict[str, np.ndarray]:
    """By method: by what share perplexity at L rises without each head, float64 [layers, heads]."""
    rises, rows = {}, table.measurements("windows")
    for method in ABLATED:
        whole = rows[(rows.method == method) & (rows.length == train_length) & (rows.window == train_length)].loss
        record = pretrained.load(method, FIRST)
        rises[method] = np.expm1(np.array(record["without_heads"]) - whole.iloc[0])
    return rises


def depth() -> dict[int, Line]:
    """By layers: the perplexity of the models without positions against the sliding window."""
    rows = pd.concat([table.losses("depth"), table.losses()])
    rows = rows[(rows.method == "none") & (rows.protocol == "sliding") & (rows.seed == FIRST)]
    return {int(str(layers)): table.lines(of_depth)[0] for layers, of_depth in rows.groupby("layers")}


def stretched() -> dict[tuple[str, str], Line]:
    """By method and way (“trained”: as it is): perplexity at `times` L of the model that was stretched so many times."""
    longer, plain = table.measurements("longer"), table.losses()
    longer = longer[longer.length == longer.times * longer.train_length]
    plain = plain[(plain.protocol == "nonoverlapping") & (plain.seed == FIRST) & plain.method.isin(longer.method)]
    plain = plain.assign(times=plain.length // plain.train_length, way="trained")
    plain = plain[(plain.length % plain.train_length == 0) & plain.times.isin(longer.times)]
    lines = {}
    for (method, way), rows in pd.concat([plain, longer]).groupby(["method", "way"], observed=True, sort=False):
        (line,) = table.lines(rows, "times")
        lines[str(method), str(way)] = replace(line, hollow=way != "trained")
    return lines
