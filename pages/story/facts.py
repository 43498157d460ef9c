"""What the notes of the scenes say, and the worksheet of the story."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from alibi_viz.charts.lines import Line
from alibi_viz.positions.alibi import half_weight_distance
from alibi_viz.results import measured
from alibi_viz.results.pretrained import SEEDS
from alibi_viz.ui.controls.method_pills import TITLES, titles
from alibi_viz.ui.format import format_number, format_slope
from pages.story import study
from pages.story.study import QUERIES, SHOWN, TIMES, Orders, Profile

TRAINED = 64  # tokens of the training square


@dataclass(frozen=True)
class Difference:
    difference: str  # largest, between the weights of the two orders


def difference_of(orders: Orders) -> Difference:
    return Difference(format_number(orders.difference))


@dataclass(frozen=True)
class Slope:
    slope: str
    ten: str  # what a key ten tokens back loses
    half: str  # tokens that halve a weight


def slope_of(slope: float) -> Slope:
    half = half_weight_distance(slope) if slope else np.inf
    return Slope(format_number(slope), format_number(10 * slope), format_number(half))


@dataclass(frozen=True)
class HeadSlopes:
    heads: int
    steepest: str  # slopes
    gentlest: str
    half: str  # tokens that halve a weight in the steepest head
    far: str  # and in the gentlest


def slopes_of(slopes: Sequence[float]) -> HeadSlopes:
    ends = max(slopes), min(slopes)
    halves = (format_number(half_weight_distance(slope)) for slope in ends)
    return HeadSlopes(len(slopes), *map(format_slope, ends), *halves)


@dataclass(frozen=True)
class Square:
    n: int  # tokens
    same: str  # largest difference in the training square
    trained: int = TRAINED


@dataclass(frozen=True)
class Shifts:
    """Share of the weight of each method that moves to another distance."""

    alibi_shift: float
    sinusoidal_shift: float
    rope_shift: float
    times: int = TIMES
    queries: int = QUERIES
    seed: int = SEEDS[0]


def shifts_of(profiles: Sequence[Profile]) -> Shifts:
    shifts = {profile.method: profile.shift for profile in profiles}
    return Shifts(shifts["alibi"], shifts["sinusoidal"], shifts["rope"])


@dataclass(frozen=True)
class Beyond:
    """Which methods break, and where. Lengths in bytes."""

    listed: str
    never: str
    longest: int
    length: int  # of the training
    broken: float = measured.WORSE
    seeds: int = len(SEEDS)


def beyond() -> Beyond:
    breaks, longest = study.breaks(), int(study.lines("nonoverlapping", SHOWN, rise=True)[0].x[-1])
    order = sorted(breaks, key=lambda method: breaks[method])
    listed = ", ".join(f"{TITLES[method]} ({breaks[method]:g} L)" for method in order if np.isfinite(breaks[method]))
    never = titles(method for method in order if not np.isfinite(breaks[method]))
    return Beyond(listed, never, longest, measured.shipped()[0].config.length)


@dataclass(frozen=True)
class Ends:
    """ALiBi's perplexity in one kind of windows."""

    at: float  # L
    far: float


@dataclass(frozen=True)
class BothWindows:
    length: int  # L, bytes
    longest: int
    nonoverlapping: Ends
    sliding: Ends


def windows_of(lines: Mapping[measured.Protocol, Line]) -> BothWindows:
    plain, sliding = lines["nonoverlapping"], lines["sliding"]
    both = (Ends(float(line.y[0]), float(line.y[-1])) for line in (plain, sliding))
    return BothWindows(int(sliding.x[0]), int(sliding.x[-1]), *both)


@dataclass(frozen=True)
class Unseen:
    unseen: str  # largest difference between the weights of two orders, without a mask
