"""What the notes of the scenes say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from alibi_viz.charts.lines import Line
from alibi_viz.lessons import Lesson
from alibi_viz.positions.alibi import half_weight_distance
from alibi_viz.results import measured
from alibi_viz.results.pretrained import METHODS, SEEDS
from alibi_viz.ui.controls.method_pills import TITLES, titles
from alibi_viz.ui.format import format_number, format_share, format_slope
from pages.story import study
from pages.story.study import FAR, QUERIES, SHOWN, TIMES, TRAINED, Orders, Profile

NEAR = 64  # bytes: beyond them ALiBi's keys are hidden
NOTHING = 0.001  # a smaller share of the weight is next to nothing


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
class Growth:
    """The bias at a length, and where weight goes in a text of FAR · L: shares of the last query's beyond L."""

    n: int  # tokens
    same: str  # largest difference between the bias of the trained distances at L and at n
    steepest: str  # slopes
    gentlest: str
    steep: str  # shares, for equal content
    gentle: str
    trained_steep: str  # shares, of the trained model
    trained_gentle: str
    length: int = TRAINED
    far: int = FAR


def _share(lesson: Lesson, share: float) -> str:
    """In percent; of one that nobody could see, that it is smaller."""
    return format_share(share) if share >= NOTHING else lesson.label("under", share=format_share(NOTHING))


def growth_of(lesson: Lesson, slopes: Sequence[float], tokens: int) -> Growth:
    ends, same = (max(slopes), min(slopes)), 0.0
    for slope in ends:
        short, long = (study.last_query(slope, length).bias[0] for length in (TRAINED, tokens))
        same = max(same, float(np.abs(short - long[-TRAINED:]).max()))
    computed, of_model = (study.beyond(slope) for slope in ends), study.trained_beyond() or (np.nan, np.nan)
    steep, gentle, trained_steep, trained_gentle = (_share(lesson, share) for share in (*computed, *of_model))
    steepest, gentlest = map(format_slope, ends)
    shares = steep, gentle, trained_steep, trained_gentle
    return Growth(tokens, format_number(same), steepest, gentlest, *shares)


@dataclass(frozen=True)
class Shifts:
    """How much of the weight of each method moves to another distance, and which methods break at that length."""

    moved: str  # each with its share
    broken: str  # methods
    less: str  # a method
    less_rise: float  # of its loss, nats per word
    more: str  # one of which more weight moves, and the loss rises less
    more_rise: float
    times: int = TIMES
    queries: int = QUERIES
    seed: int = SEEDS[0]
    worse: float = measured.WORSE


def shifts_of(lesson: Lesson, profiles: Sequence[Profile]) -> Shifts:
    shifts, rises = {profile.method: profile.shift for profile in profiles}, study.rises_at(TIMES)
    moved = ", ".join(f"{TITLES[method]} {format_share(shift)}" for method, shift in shifts.items())
    broken = titles(method for method in shifts if rises[method] > measured.WORSE) or lesson.label("no_method")
    less, more = exception(shifts, rises)
    return Shifts(moved, broken, TITLES[less], rises[less], TITLES[more], rises[more])


def exception(shifts: Mapping[str, float], rises: Mapping[str, float]) -> tuple[str, str]:
    """A method, and one of which more weight moves and whose loss rises less: the two whose rises are farthest apart.

    Raises ValueError if there is no such pair.
    """
    pairs = [(a, b) for a in shifts for b in shifts if rises[a] > rises[b] and shifts[a] < shifts[b]]
    return max(pairs, key=lambda pair: rises[pair[0]] - rises[pair[1]])


@dataclass(frozen=True)
class Beyond:
    """Which of all methods break, and where; which hold; which cannot read on. Lengths in bytes."""

    listed: str
    never: str
    unread: str
    alibi: float  # its loss at the longest above that at L, nats per word
    longest: int
    length: int  # of the training
    far: str  # the longest in training lengths
    table: str  # perplexities at L and at the longest, a line a method, in Markdown
    broken: float = measured.WORSE
    seeds: int = len(SEEDS)


def beyond(lesson: Lesson) -> Beyond:
    breaks, curves = study.breaks(METHODS), study.of_shipped(SHOWN)
    length = next(iter(curves.values())).config.length
    longest = min(int(curve.lengths[-1]) for curve in curves.values())
    order = sorted(breaks, key=lambda method: breaks[method])
    listed = ", ".join(f"{TITLES[method]} ({breaks[method]:g} L)" for method in order if np.isfinite(breaks[method]))
    never = titles(method for method in order if not np.isfinite(breaks[method]))
    unread = titles(method for method in METHODS if method not in breaks)
    none = lesson.label("no_method")
    rows = [f"| {TITLES[m]} | {curve.at(length):.2f} | {curve.at(longest):.2f} |" for m, curve in curves.items()]
    groups = (listed or none, never or none, unread or none)
    return Beyond(*groups, curves["alibi"].rise_at(longest), longest, length, f"{longest / length:g}", "\n".join(rows))


@dataclass(frozen=True)
class Change:
    """ALiBi’s loss in one kind of windows, nats per word above that in nonoverlapping windows of L."""

    at: float  # at L
    far: float  # at the longest
    by: float  # far less at


@dataclass(frozen=True)
class BothWindows:
    length: int  # L, bytes
    longest: int
    nonoverlapping: Change
    sliding: Change


def windows_of(lines: Mapping[measured.Protocol, Line]) -> BothWindows:
    plain, sliding = lines["nonoverlapping"], lines["sliding"]
    ends = ((float(line.y[0]), float(line.y[-1])) for line in (plain, sliding))
    return BothWindows(int(sliding.x[0]), int(sliding.x[-1]), *(Change(at, far, far - at) for at, far in ends))


@dataclass(frozen=True)
class Recap:
    """What ALiBi does, and beside it what that does not prove."""

    change: float  # ALiBi's loss at the longest above that at L, nats per word
    rope_hidden: float  # RoPE at `times` L with the keys beyond L hidden, nats per byte
    rope_usual: float  # and at L
    alibi_hidden: float  # ALiBi at L: what hiding the keys beyond `near` bytes costs
    best: str  # the method of the lowest perplexity at L
    best_at: str  # that perplexity, and ALiBi's
    alibi_at: str
    first: str  # of the methods that recall a far key, those that are right most often
    first_share: str
    alibi_share: str
    table: str  # a line a method, in Markdown
    gentle: str  # weight of the gentlest trained head beyond L
    length: int
    longest: int
    far: str
    times: int = TIMES
    near: int = NEAR


def recap(lesson: Lesson) -> Recap:
    curves, (shares, recalling), all_of_it = study.of_shipped(SHOWN), study.recalled(), beyond(lesson)
    alibi, longest = curves["alibi"], all_of_it.longest
    at = {method: curve.at(curve.config.length) or np.nan for method, curve in curves.items()}
    best, most = min(at, key=lambda method: at[method]), max(shares[method] for method in recalling)
    rows = [
        f"| {TITLES[m]} | {at[m]:.2f} | {curve.at(longest):.2f} | {format_share(shares[m]) if m in shares else '–'} |"
        for m, curve in curves.items()
    ]
    gentle, length = (study.trained_beyond() or (np.nan, np.nan))[1], all_of_it.length
    at_length, rope_far = measured.hidden("alibi", length), measured.hidden("rope", TIMES * length)
    return Recap(
        change=alibi.rise_at(longest),
        rope_hidden=rope_far[length],
        rope_usual=measured.hidden("rope", length)[length],
        alibi_hidden=at_length[NEAR] - at_length[length],
        best=TITLES[best],
        best_at=f"{at[best]:.2f}",
        alibi_at=f"{at['alibi']:.2f}",
        first=titles(method for method in recalling if shares[method] == most),
        first_share=format_share(most),
        alibi_share=format_share(shares["alibi"]),
        table="\n".join(rows),
        gentle=format_share(gentle),
        length=length,
        longest=longest,
        far=all_of_it.far,
    )
