"""Which sentences the Extrapolation lesson says of the shipped runs, by the controls.

A claim is a section of the lesson and the facts that fill it. The runs are files: what a sentence says beyond its numbers
("late and steeply") is asserted by the tests on them, and changes with them.
"""

from alibi_viz.results.measured import Protocol
from pages.extrapolation import experiment_facts
from pages.extrapolation.facts import facts_of, paper_of

Claim = tuple[str, object]


def seen(protocol: Protocol) -> list[Claim]:
    """Who is best at L, and whether ALiBi gets worse beyond it."""
    return [(section, facts_of(protocol)) for section in ("seen.best", "seen.beyond")]


def details(protocol: Protocol) -> list[Claim]:
    """Where each method breaks, how far the seeds differ, and what ALiBi's gain beyond L is."""
    sections = ("seen.good", "seen.breaks", "seen.learned", "seen.spread", "seen.limit")
    return [(section, facts_of(protocol)) for section in sections]


def compared(paper_length: int) -> list[Claim]:
    """The order of the breaks, the rises at FAR training lengths, and ALiBi's rank at L, there and here."""
    facts, shorter = paper_of(paper_length)
    return [
        *((section, facts) for section in ("seen.paper", "seen.rank", "seen.rises")),
        *(("seen.rises_ends", last) for last in shorter),
    ]


def note(protocol: Protocol) -> Claim:
    """The picture in two sentences: ALiBi far beyond L, and who breaks first."""
    return "note", facts_of(protocol)


def short_and_long() -> list[Claim]:
    """ALiBi trained short and tested long, beside sinusoidal positions trained long, and beside ALiBi trained long."""
    return [
        ("lengths.here", experiment_facts.short_and_long()),
        ("lengths.paper", experiment_facts.paper_short_and_long()),
    ]


def stretched() -> list[Claim]:
    """The stretched models at NEAR and FAR training lengths, best first; and ALiBi beside its trained slopes."""
    return [(section, experiment_facts.stretched()) for section in ("stretched.rope", "stretched.alibi")]
