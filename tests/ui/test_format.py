"""Numbers and outside text as the pages print them."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from alibi_viz.ui.format import (
    escape_markdown,
    format_bytes,
    format_difference,
    format_number,
    format_power_of_two,
    format_share,
    format_slope,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (1234.4, "1,234"),
        (-0.12345, "−0.123"),
        (2.0, "2"),
        (3.72e-8, "3.7 × 10⁻⁸"),
        (math.inf, "∞"),
        (99.95, "100"),
    ],
)
def test_numbers(value, text):
    assert format_number(value) == text


def test_slopes_and_exponents():
    assert format_slope(1 / 256) == "1/256"
    assert format_slope(2**-0.5) == "0.7071"
    assert format_power_of_two(Fraction(3)) == "1/8"
    assert format_power_of_two(Fraction(1, 2)) == "2^−0.5"
    assert format_power_of_two(Fraction(8, 3)) == "2^−8/3"
    assert format_power_of_two(None) == "–"


def test_outside_text_stays_text():
    assert escape_markdown("*a* <b> $x$ [l](u)") == r"\*a\* \<b\> \$x\$ \[l\]\(u\)"


def test_memory():
    assert format_bytes(32) == "32\N{NO-BREAK SPACE}bytes"
    assert format_bytes(8 * 1024**2 * 1.5) == "12\N{NO-BREAK SPACE}MiB"
    assert format_bytes(8 * 4 * 1e12).endswith("TiB")


def test_a_percentage_never_hides_a_little():
    assert [format_share(share) for share in (0, 0.0004, 0.051, 0.5, 1)] == ["0%", "0.04%", "5.1%", "50%", "100%"]


def test_what_rounding_makes_is_no_difference():
    assert [format_difference(value, 4.0) for value in (0.0, -3e-6, 5e-6, 1.5)] == ["0", "0", "5 × 10⁻⁶", "1.5"]


def test_a_text_that_runs_to_the_left_is_isolated():
    assert escape_markdown("שלום") == "\u2068שלום\u2069"
    assert escape_markdown("猫 cat") == "猫 cat"
