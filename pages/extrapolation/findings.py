"""Which sentences of the Extrapolation lesson hold for the shipped runs.

A claim is a section of the lesson and the facts that fill it. What a sentence says beyond its numbers ("late and steeply")
is asserted by the tests on the shipped runs.
"""

from alibi_viz.results import measured
from alibi_viz.results.measured import Protocol
from alibi_viz.ui.controls.method_pills import TITLES
from pages.extrapolation import experiment_facts, study
from pages.extrapolation.facts import Pair, facts_of, orders_of, paper_of
from pages.extrapolation.study import shipped_curves

Claim = tuple[str, object]
_DETAILS = ("seen.good", "seen.breaks", "seen.learned", "seen.spread", "seen.limit")


def seen(protocol: Protocol) -> list[Claim]:
    """Who is best at L, and whether ALiBi gets worse beyond it."""
    facts = facts_of(protocol)
    return [("seen.best_alibi" if facts.rank == 1 else "seen.best", facts), ("seen.beyond", facts)]


def details(protocol: Protocol) -> list[Claim]:
    """Where each method breaks, how far the seeds differ, and what ALiBi's gain beyond L is."""
    return [(section, facts_of(protocol)) for section in _DETAILS]


def compared(paper_length: int) -> list[list[Claim]]:
    """Paragraphs that compare with the paper."""
    return [*(_paper_order(paper_length, kind) for kind in measured.PROTOCOLS), _paper_values(paper_length)]


def note(protocol: Protocol) -> Claim:
    """The picture in two sentences: ALiBi far beyond L, and who breaks first."""
    facts = facts_of(protocol)
    return "note" if facts.broken else "note.none", facts


def _paper_order(paper_length: int, protocol: Protocol) -> list[Claim]:
    """Which breaks come in the paper's order, which cannot be told, and which do not."""
    ours, theirs = study.breaks(shipped_curves(protocol).values()), study.paper_breaks(paper_length)
    order = study.agreement(ours, theirs)
    facts = orders_of(paper_length, theirs, order)
    paragraph: list[Claim] = [(f"seen.paper_{order.verdict if protocol == 'nonoverlapping' else protocol}", facts)]
    names = {"first": facts.first, "never": facts.never}
    if any(names.values()):
        paragraph.append((f"seen.order_{'_'.join(key for key, name in names.items() if name)}", facts))
    for kind, pairs in (("tied", order.tied), ("opposite", order.opposite)):
        for first, second in pairs:
            pair = Pair(TITLES[first], ours[first], TITLES[second], ours[second])
            paragraph.append((f"seen.order_{kind}{'' if ours[first].at else '_never'}", pair))
    return paragraph


def _paper_values(paper_length: int) -> list[Claim]:
    """Rises at FAR training lengths, there and here (nonoverlapping windows), and the paper's ranking at L."""
    facts, shorter = paper_of(paper_length)
    ends = (("seen.rises_ends", last) for last in shorter)
    return [("seen.rises", facts), *ends, ("seen.paper_best_alibi" if facts.rank == 1 else "seen.paper_best", facts)]


def short_and_long() -> list[Claim]:
    """ALiBi trained short and tested long, beside sinusoidal positions trained long, and beside ALiBi trained long."""
    claims: list[Claim] = []
    here, paper = experiment_facts.short_and_long(), experiment_facts.paper_short_and_long()
    for where, facts in (("here", here), ("paper", paper)):
        verdict = "ahead" if facts.best < facts.sinusoidal else "behind"
        longer = "better" if facts.alibi < facts.best else "worse"
        claims += [(f"lengths.{where}_{verdict}", facts), (f"lengths.{where}_longer_{longer}", facts)]
    return claims


def stretched() -> list[Claim]:
    """The stretched models at NEAR and FAR training lengths, best first; and ALiBi beside its trained slopes."""
    facts = experiment_facts.stretched()
    flatter = "better" if facts.flatter.far < facts.alibi.far else "worse"
    return [("stretched.rope", facts), (f"stretched.alibi_{flatter}", facts)]
