"""What the sentences of the RoPE lab say of its clocks."""

from dataclasses import dataclass

from alibi_viz.ui.format import format_difference, format_number
from pages.lab_rope.study import COMPARED, Controls, Result, differences


@dataclass(frozen=True)
class Facts:
    head_dim: int
    base: float
    base_latex: str
    scaling: str
    factor: float
    train_length: int  # tokens
    position: int
    pairs: int
    full: int  # pairs that make a full turn in training
    rest: int  # pairs that make none
    within: int  # pairs that stay within the angles of training
    past: int  # pairs that leave them
    slowest: str  # tokens for a full turn of the slowest pair, without scaling
    slowest_now: str  # the same with the chosen scaling
    stretch: str  # what multiplies queries and keys


def facts_of(result: Result) -> Facts:
    chosen, plain = result.controls, result.plain_wavelengths
    full, within = int(result.full_turn.sum()), int(result.seen.sum())
    return Facts(
        head_dim=chosen.head_dim,
        base=chosen.base,
        base_latex=f"{chosen.base:,.0f}".replace(",", "{,}"),
        scaling=chosen.scaling,
        factor=chosen.factor,
        train_length=chosen.train_length,
        position=chosen.position,
        pairs=result.pairs,
        full=full,
        rest=result.pairs - full,
        within=within,
        past=result.pairs - within,
        slowest=format_number(plain[-1]),
        slowest_now=format_number(result.wavelengths[-1]),
        stretch=format_number(result.stretch, 4),
    )


@dataclass(frozen=True)
class Forms:
    """The largest difference of two ways to rotate the same queries."""

    n: int  # queries
    forms: str
    layouts: str
    mixed: str  # two layouts without the permutation that belongs to them


def forms_of(chosen: Controls) -> Forms:
    found = differences(chosen)
    forms, layouts, mixed = (format_difference(found[name], found["scale"]) for name in ("forms", "layouts", "mixed"))
    return Forms(COMPARED, forms, layouts, mixed)
