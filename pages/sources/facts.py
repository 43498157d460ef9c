"""What the sentences of the Sources lesson say of the comparisons that are shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from alibi_viz.ui.format import format_number
from pages.sources.study import EPSILON, Check, checks


@dataclass(frozen=True)
class Facts:
    count: int  # comparisons
    exact: int  # of these, without any difference
    largest: str  # difference
    largest_name: str
    allowed: str  # by its test
    versions: str  # of all packages
    epsilon: str = format_number(EPSILON)


def facts_of(found: Sequence[Check], names: Mapping[str, str]) -> Facts:
    """names: check -> for the reader. found: the largest difference first."""
    return Facts(
        count=len(found),
        exact=sum(check.difference == 0 for check in found),
        largest=format_number(found[0].difference, 2),
        largest_name=names[found[0].check],
        allowed=format_number(found[0].bound, 2),
        versions=", ".join(sorted({f"{check.package} {check.version}" for check in checks()})),
    )
