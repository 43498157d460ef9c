"""How far stacked layers reach: each layer adds its distances to those of the layers below.

For equal content a head moves d tokens back with the chance (1 − e^(−m)) e^(−m d). The distances of layers add, so their
distribution is that of one layer, convolved with itself; the product of Fourier transforms.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from alibi_viz.charts.lines import Line, on_log_axis
from alibi_viz.lessons import Lesson
from alibi_viz.results import measured
from alibi_viz.ui import page
from pages.slopes.facts import SHARE, Depths

LAYERS = (1, 2, 4, 8, 12, 16, 24)
LONGEST = 2**20  # distances; the sum of the gentlest heads of all layers must fit


@dataclass(frozen=True)
class Reach:
    """Tokens that hold SHARE of what reaches the last layer, by the number of layers."""

    all_heads: tuple[int, ...]  # one head after the other, each as likely
    gentlest: tuple[int, ...]  # the gentlest head in every layer


@lru_cache(maxsize=32)
def reach(slopes: tuple[float, ...]) -> Reach | None:
    """None where a slope is zero or negative, or so gentle that the sums leave the longest distance."""
    gentlest = min(slopes)
    if gentlest <= 0 or 2 * LAYERS[-1] / gentlest > LONGEST:
        return None
    size = 2 ** int(np.ceil(np.log2(4 * LAYERS[-1] / gentlest)))
    every = np.mean([_chances(slope, size) for slope in slopes], axis=0)
    return Reach(_quantiles(every), _quantiles(_chances(gentlest, size)))


def _chances(slope: float, size: int) -> np.ndarray:
    """Of each distance, for one head: float64 [size]."""
    return -np.expm1(-slope) * np.exp(-slope * np.arange(size))


def _quantiles(chances: np.ndarray) -> tuple[int, ...]:
    """Of the sum of so many independent distances."""
    transform = np.fft.rfft(chances, 2 * len(chances))
    sums = (np.fft.irfft(transform**layers)[: len(chances)].cumsum() for layers in LAYERS)
    return tuple(int(np.searchsorted(total, SHARE)) + 1 for total in sums)


def facts_of(found: Reach) -> Depths:
    run = next(run for run in measured.shipped() if run.config.method == "alibi")
    within = {context: loss for context, loss in run.contexts if context <= run.config.length}
    enough = min(within.values()) + measured.WORSE / (run.bytes_per_word or 1.0)
    used = next((c for c, loss in within.items() if loss <= enough), 0)
    ends = found.all_heads[0], found.all_heads[-1], found.gentlest[-1]
    return Depths(*ends, LAYERS[-1], str(used or "–"), run.config.layers)


def show(lesson: Lesson, slopes: tuple[float, ...]) -> None:
    """The picture, and what it shows and does not show."""
    found = reach(slopes)
    if found is None:
        page.prose(lesson, "depth.none")
        return
    labels, facts = lesson.entries("chart"), facts_of(found)
    lines = [
        Line("alibi", labels["depth_all"], np.array(LAYERS), np.array(found.all_heads, dtype=np.float64)),
        Line(
            "alibi", labels["depth_gentlest"], np.array(LAYERS), np.array(found.gentlest, dtype=np.float64), hollow=True
        ),
    ]
    axes = {"x": labels["layers"], "y": labels["tokens"], "hover": labels["hover_depth"]}
    figure = on_log_axis(lines, axes, dark=page.dark())
    page.chart(figure, key="slopes_depth", alt=lesson.label("alt_depth", facts), name="reach-by-depth")
    page.prose(lesson, "depth", facts)
