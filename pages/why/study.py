"""Why it breaks: the loss at each position of a window, and what single heads, far keys and stretched positions do.

Notable choices:
- Loss by position is drawn as means of blocks of neighbouring positions; none has positions on both sides of L.
- What was measured of single models is of the first seed. A method is stretched by its own `longer_options`: no weight
  changes.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd

from alibi_viz.charts.lines import Line
from alibi_viz.positions import METHODS
from alibi_viz.results import pretrained, table

FIRST = pretrained.SEEDS[0]
CHANGE = 0.2  # nats per byte: a smaller change of the loss counts as none
BLOCKS = 64  # points of a line, at most
ABLATED = ("alibi", "rope")  # of which the heads are taken away
HIDDEN = ("alibi", "rope", "t5", "none", "sinusoidal")  # of which far keys are hidden
Course = Literal["jump", "slow", "flat"]  # beyond L: up at L; up later; not up


@dataclass(frozen=True)
class PositionLoss:
    """How the loss of one method goes on, nats per byte, mean of the seeds."""

    line: Line  # against the position, from 1
    before: float  # mean of the second half of L
    after: float  # of as many positions beyond L; NaN in a window that ends there
    last: float  # of the last quarter of the window
    course: Course


def by_position(methods: Iterable[str], window: int, train_length: int) -> list[PositionLoss]:
    """Of the methods that can read windows so long."""
    runs = table.by_position(window)
    means = runs[runs.method.isin(list(methods))].groupby(["method", "position"], observed=True).loss.mean()
    return [
        course(str(method), loss.droplevel("method").to_numpy(), train_length)
        for method, loss in means.groupby("method", observed=True)
    ]


def course(method: str, loss: np.ndarray, train_length: int) -> PositionLoss:
    """loss: [window]."""
    half, block = train_length // 2, max(1, len(loss) // BLOCKS)
    parts = (loss[half:train_length], loss[train_length : train_length + half], loss[-(len(loss) // 4) :])
    before, after, last = (float(part.mean()) if len(part) else np.nan for part in parts)
    where: Course = "jump" if after - before > CHANGE else "flat" if last - before <= CHANGE else "slow"
    x, y = (
        values[: len(loss) // block * block].reshape(-1, block).mean(1)
        for values in (np.arange(1, len(loss) + 1.0), loss)
    )
    return PositionLoss(Line(method, METHODS[method].title, x, y), before, after, last, where)


def hidden(train_length: int) -> list[Line]:
    """Loss in windows of L against the distance beyond which keys are hidden."""
    rows = table.measurements("windows")
    return table.lines(rows[(rows.length == train_length) & rows.method.isin(HIDDEN)], "window")


def without_heads(train_length: int) -> dict[str, np.ndarray]:
    """By method: how much the loss at L rises without each head, float64 [layers, heads]."""
    costs, rows = {}, table.measurements("windows")
    for method in ABLATED:
        whole = rows[(rows.method == method) & (rows.length == train_length) & (rows.window == train_length)].loss
        record = pretrained.load(method, FIRST)
        costs[method] = np.array(record["without_heads"]) - whole.iloc[0]
    return costs


def depth() -> dict[int, Line]:
    """By layers: the loss of the models without positions against the sliding window."""
    rows = pd.concat([table.losses("depth"), table.losses()])
    rows = rows[(rows.method == "none") & (rows.protocol == "sliding") & (rows.seed == FIRST)]
    return {int(str(layers)): table.lines(of_depth)[0] for layers, of_depth in rows.groupby("layers")}


def stretched() -> dict[tuple[str, str], Line]:
    """By method and way (“trained”: as it is): the loss at `times` L of the model that was stretched so many times."""
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
