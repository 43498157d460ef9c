"""What the sentences of the sinusoidal lab say of its waves."""

from dataclasses import dataclass

from alibi_viz.ui.format import format_difference, format_number
from pages.lab_sinusoidal.study import Result


@dataclass(frozen=True)
class Facts:
    positions: int
    width: int
    base: str  # in LaTeX
    pair: int
    sin: int  # dimensions of the pair
    cos: int
    wavelength: str  # tokens of the pair's wave
    longest: str  # tokens of the slowest pair's wave
    closest: int  # distance of the two positions that are most similar
    likeness: str  # how similar they are
    deviation: str  # largest change of a similarity when both positions move


def facts_of(result: Result) -> Facts:
    chosen, products = result.controls, result.dot_products
    return Facts(
        positions=chosen.positions,
        width=chosen.width,
        base=f"{chosen.base:,.0f}".replace(",", "{,}"),
        pair=chosen.pair,
        sin=2 * chosen.pair,
        cos=2 * chosen.pair + 1,
        wavelength=format_number(result.wavelengths[chosen.pair]),
        longest=format_number(result.wavelengths[-1]),
        closest=result.closest,
        likeness=format_number(products[result.closest], 4),
        deviation=format_difference(result.deviation, float(products[0])),
    )
