"""What the sentences of the T5 lab say of its buckets."""

from dataclasses import dataclass

from alibi_viz.ui.format import format_number
from pages.lab_t5.study import Result

MOST_LISTED = 12  # buckets


@dataclass(frozen=True)
class Facts:
    buckets: int
    train_length: int  # tokens
    max_distance: int
    farthest: int  # largest distance on the chart
    last_start: int  # distance at which the last bucket begins
    needed: int  # tokens of a text that reaches it
    count: int  # buckets that training never uses
    listed: str  # their numbers
    side: int  # buckets for the past
    exact: int  # of these, those of one distance


def facts_of(result: Result) -> Facts:
    chosen, untrained = result.controls, result.untrained
    side = chosen.buckets // 2 if chosen.bidirectional else chosen.buckets
    return Facts(
        buckets=chosen.buckets,
        train_length=chosen.train_length,
        max_distance=chosen.max_distance,
        farthest=chosen.farthest,
        last_start=result.last_start,
        needed=result.last_start + 1,
        count=len(untrained),
        listed=", ".join(map(str, untrained[:MOST_LISTED])) + (" …" if len(untrained) > MOST_LISTED else ""),
        side=side,
        exact=side // 2,
    )


@dataclass(frozen=True)
class Bias:
    """The bias of one head at initialization."""

    head: int
    low: str
    high: str


def bias_of(result: Result) -> Bias:
    low, high = (format_number(float(end)) for end in (result.bias.min(), result.bias.max()))
    return Bias(result.controls.head, low, high)
