"""What the sentences of the Sources lesson say of the comparisons that are shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from alibi_viz.results import published
from alibi_viz.ui.format import format_number
from pages.sources.study import EPSILON, Check


@dataclass(frozen=True)
class Facts:
    count: int  # comparisons
    exact: int  # of these, without any difference
    largest: str  # difference
    largest_name: str
    epsilon: str = format_number(EPSILON)


def facts_of(found: Sequence[Check], names: Mapping[str, str]) -> Facts:
    """names: check -> for the reader. found: the largest difference first."""
    return Facts(
        count=len(found),
        exact=sum(check.difference == 0 for check in found),
        largest=format_number(found[0].difference, 2),
        largest_name=names[found[0].check],
    )


@dataclass(frozen=True)
class Said:
    """The paper's numbers in the verdicts. Models trained at `short` words or tokens."""

    alibi_speed: int  # words a second in training
    sinusoidal_speed: int
    large_best: float  # perplexity of the largest model at `large_best_at` tokens
    large_far: float
    sliding_short: float  # perplexity in sliding windows of `short` words
    sliding_far: float
    short: int = 512
    far: int = 3072
    large_best_at: int = 1024
    large_far_at: int = 2048


def said_of() -> Said:
    speed = partial(published.find, "table1_speed_memory", train_length=Said.short)
    large = published.find("table12_1p3B_equal_updates", model=f"ALiBi, L = {Said.short}")
    sliding = published.row("table15_sliding_alibi", str(Said.short))
    return Said(
        *(speed(method=name)["train_wps"] for name in ("ALiBi", "Sinusoidal")),
        *(large[f"ppl_{length}"] for length in (Said.large_best_at, Said.large_far_at)),
        *(sliding[length] for length in (Said.short, Said.far)),
    )
