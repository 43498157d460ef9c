"""Numbers as the pages print them, and outside text made safe for Markdown."""

import unicodedata
from fractions import Fraction

from alibi_viz.lessons import load
from alibi_viz.lessons.numbers import MINUS, format_number
from alibi_viz.lessons.numbers import format_slope as format_slope

ROUNDING = 1e-6  # of the scale of two numbers: what float32 may make of their difference


def format_difference(value: float, scale: float) -> str:
    """A difference of two results of that scale; what rounding alone makes (below 1e-6 of it) reads as 0."""
    return format_number(0.0 if abs(value) < ROUNDING * abs(scale) else value)


def format_share(share: float) -> str:
    """A share in percent: 3%, 0.4%, and 0% only if it is none."""
    return f"{share:.0%}" if share >= 0.1 or share == 0 else f"{100 * share:.2g}%"


def format_power_of_two(exponent: Fraction | None) -> str:
    """2^-exponent, exactly: 1/8, 2^−0.5, 2^−8/3."""
    if exponent is None:
        return "–"
    if exponent.denominator == 1 and 0 <= exponent <= 20:
        return "1" if exponent == 0 else f"1/{2 ** int(exponent):,}"
    return f"2^{MINUS if exponent > 0 else ''}{format_exponent(abs(exponent))}"


def format_exponent(exponent: Fraction) -> str:
    """A fraction as a short decimal when it has one, else as a fraction."""
    denominator = exponent.denominator
    while denominator % 2 == 0:
        denominator //= 2
    short = denominator in (1, 5) and len(f"{float(exponent):g}") <= 6
    return f"{float(exponent):g}" if short else f"{exponent.numerator}/{exponent.denominator}"


def escape_markdown(text: str) -> str:
    """Outside text for a place that reads Markdown: its signs are escaped, so that it stays text."""
    return isolated("".join(f"\\{c}" if c in "\\`*_{}[]()<>#+-.!$|~:" else c for c in text))


def isolated(text: str) -> str:
    """A text that may run from right to left: isolated, so that what stands beside it keeps its place."""
    runs_left = any(unicodedata.bidirectional(c) in ("R", "AL") for c in text)
    return f"\u2068{text}\u2069" if runs_left else text


def format_bytes(size: float) -> str:
    """Bytes in the unit that a person would use (1 KiB = 1,024 bytes), on one line."""
    power = max(power for power in range(5) if power == 0 or size >= 1024**power)
    value, unit = size / 1024**power, ("", "KiB", "MiB", "GiB", "TiB")[power]
    number = f"{value:,.0f}" if power == 0 or value >= 100 else f"{value:.3g}"
    return load("shared").entry("table", "bytes", size=number) if power == 0 else f"{number}\N{NO-BREAK SPACE}{unit}"
