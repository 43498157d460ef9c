"""Why it breaks: perplexity at each position of a window, and what single heads, far keys and stretched positions do.

Notable choices:
- A point of a line is BLOCK neighbouring positions, in windows of every length: none has positions on both sides of L. In
  windows of 512 bytes a block of one seed is 2,048 predictions, and its perplexity wavers by about 10 %.
- One rule says where a method leaves its level (`course`), and it reads the points that are drawn. ABOVE is more than they
  waver; that they stay above, for LEAST positions at least, keeps a single high point from counting.
- What was measured of single models is of the first seed. A method is stretched by its own `longer_options`: no weight
  changes.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from alibi_viz.charts.lines import Line
from alibi_viz.lessons.languages import kept_by_language
from alibi_viz.positions import title_of
from alibi_viz.results import pretrained, table

FIRST = pretrained.SEEDS[0]
BLOCK = 16  # positions of a point
ABOVE = 0.25  # a method has left its level where its perplexity stays more than so far above it
LEAST = 64  # positions that it stays there
ABLATED = ("alibi", "rope")  # of which the heads are taken away
HIDDEN = ("alibi", "rope", "t5", "none", "sinusoidal")  # of which far keys are hidden


@dataclass(frozen=True)
class Course:
    """How the perplexity of one method goes on along a window, per byte: e to the mean loss of windows and seeds."""

    line: Line  # a point for each BLOCK positions, at their middle; positions count from 1
    level: float  # of the second half of L
    leaves: int | None  # the point from which on it stays above its level; None: it does not leave it

    @property
    def position(self) -> int:
        """The first position of that point."""
        return BLOCK * (self.leaves or 0) + 1

    @property
    def then(self) -> float:
        """The perplexity of that point."""
        return float(self.line.y[self.leaves or 0])


def by_position(methods: tuple[str, ...], window: int, train_length: int) -> list[Course]:
    """Of the methods that can read windows so long."""
    return [course for course in _of_every_method(window, train_length) if course.line.method in methods]


@kept_by_language(8)
def _of_every_method(window: int, train_length: int) -> list[Course]:
    means = table.by_position(window).groupby(["method", "position"], observed=True).loss.mean()
    return [
        course(str(method), loss.droplevel("method").to_numpy(), train_length)
        for method, loss in means.groupby("method", observed=True)
    ]


def course(method: str, loss: np.ndarray, train_length: int) -> Course:
    """loss: [window], nats per byte; its length and train_length are multiples of BLOCK.

    A method leaves its level at the first point beyond L from which on every one is more than ABOVE higher, if these are
    LEAST positions at least.
    """
    x, y = (values.reshape(-1, BLOCK).mean(1) for values in (np.arange(1, len(loss) + 1.0), loss))
    level, beyond = float(loss[train_length // 2 : train_length].mean()), y[train_length // BLOCK :]
    within = np.flatnonzero(beyond - level <= np.log1p(ABOVE))
    first = int(within[-1]) + 1 if len(within) else 0
    leaves = train_length // BLOCK + first if (len(beyond) - first) * BLOCK >= LEAST else None
    return Course(Line(method, title_of(method), x, np.exp(y)), float(np.exp(level)), leaves)


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
