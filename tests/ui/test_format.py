"""Numbers and outside text as the pages print them."""

import math
from fractions import Fraction

from alibi_viz.ui.format import (
    escape_markdown,
    format_bytes,
    format_difference,
    format_number,
    format_power_of_two,
    format_share,
    format_slope,
)


def test_numbers_read_well_and_hide_nothing():
    numbers = (0, 1234.4, -0.12345, 2.0, 3.72e-8, math.inf, 99.95)
    assert [format_number(value) for value in numbers] == "0|1,234|−0.123|2|3.7 × 10⁻⁸|∞|100".split("|")
    assert (format_slope(1 / 256), format_slope(2**-0.5)) == ("1/256", "0.7071")
    exponents = (Fraction(3), Fraction(1, 2), Fraction(8, 3), None)
    assert [format_power_of_two(exponent) for exponent in exponents] == ["1/8", "2^−0.5", "2^−8/3", "–"]
    assert [format_bytes(count) for count in (32, 12 * 2**20)] == ["32\u00a0bytes", "12\u00a0MiB"]
    assert [format_share(share) for share in (0, 0.0004, 0.051, 0.5, 1)] == ["0%", "0.04%", "5.1%", "50%", "100%"]
    differences = [format_difference(value, 4.0) for value in (-3e-6, 5e-6, 1.5)]
    assert differences == ["0", "5 × 10⁻⁶", "1.5"], "what rounding makes is no difference"


def test_outside_text_stays_text():
    assert escape_markdown("*a* <b> $x$ [l](u)") == r"\*a\* \<b\> \$x\$ \[l\]\(u\)"
    assert escape_markdown("שלום") == "\u2068שלום\u2069", "a text that runs to the left is isolated"
    assert escape_markdown("猫 cat") == "猫 cat"
