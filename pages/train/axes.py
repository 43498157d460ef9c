"""The axes of the picture: of the loss during training, and of how a model does beyond its training length.

Notable choices:
- They stay while the curves grow, or move in steps: a picture that changes every second must not wander.
- The curve view draws new points in place. Plotly builds a chart anew, and leaves its place empty meanwhile.
"""

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10

import numpy as np

from alibi_viz.charts.lines import Line
from alibi_viz.pictures.curve_view.message import Axis

LOWEST, HIGHEST = 2.0, 300.0  # perplexities of bytes: a good small model, and worse than guessing (256)
TICKS = (2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200, 300)
Labels = Mapping[str, str]


def losses(labels: Labels, steps: int) -> tuple[Axis, Axis]:
    """Training loss against steps."""
    most = max(steps, 1)
    apart = next(digit * 10**power for power in range(9) for digit in (1, 2, 5) if most <= 6 * digit * 10**power)
    x = Axis(labels["step"], 0, most, tuple(range(0, most + 1, apart)), whole=True)
    return x, Axis(labels["loss"], 0, 7, tuple(range(8)))


def lengths(
    lines: Sequence[Line], labels: Labels, *, seen: Sequence[float], train_length: int, is_recall: bool
) -> tuple[Axis, Axis]:
    """Perplexity against window length, both logarithmic; for recall the accuracy in percent against distance.

    seen: perplexities that keep their room on the axis.
    """
    longest = max((float(line.x.max()) for line in lines if len(line.x)), default=0.0)
    ticks = [train_length * 2.0**n for n in range(-1, 5) if train_length * 2**n <= max(longest, 4 * train_length)]
    name = labels["distance" if is_recall else "length"]
    x = Axis(name, ticks[0] * 0.9, ticks[-1] * 1.1, tuple(ticks), log=True, whole=True)
    if is_recall:
        return x, Axis(labels["share"], 0, 100, (0, 20, 40, 60, 80, 100))
    low, high = _span(lines, seen)
    return x, Axis(labels["perplexity"], low, high, tuple(tick for tick in TICKS if low <= tick <= high), log=True)


def _span(lines: Sequence[Line], seen: Sequence[float]) -> tuple[float, float]:
    """Ends of the perplexity axis, in steps of a quarter of a decade: they stay while the curves move a little."""
    values = np.clip(np.concatenate([np.array(seen), *(line.y for line in lines)]), LOWEST, HIGHEST)
    if not len(values):
        return 3.0, 30.0
    return 10 ** (floor(log10(values.min()) * 4 - 0.2) / 4), 10 ** (ceil(log10(values.max()) * 4 + 0.2) / 4)
